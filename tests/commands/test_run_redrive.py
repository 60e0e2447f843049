"""`scripts/run --once --redrive` from outside: fail, mend, redrive, in one command."""

import json

import pytest

from commands.processes import finished
from workflow.harness import booking


def run(tmp_path, bookings, *options):
    file, out = tmp_path / "bookings.jsonl", tmp_path / "out"
    file.write_text("".join(json.dumps(each) + "\n" for each in bookings))
    done = finished("local_stack", "--once", file, "--out", out, "--redrive", *options)
    lines = (out / "executions.jsonl").read_text().splitlines()
    rows = {row["bookingId"]: row for row in map(json.loads, lines)}
    return done, json.loads(done.stdout.splitlines()[-1]), rows


@pytest.mark.slow
def test_the_command_redrives_an_email_that_ses_throttled_to_the_end_of_the_retries(tmp_path):
    one = booking()
    fault = "SendEmail:ses-throttle:always"
    done, summary, rows = run(tmp_path, [one], "--time-scale", "0.001", "--fault", fault)
    row = rows[one["bookingId"]]
    assert (row["status"], row["redriveCount"]) == ("SUCCEEDED", 1)
    assert (summary["executions"], summary["emails"]) == ({"succeeded": 1, "failed": 0}, 1)
    assert done.returncode == 0


@pytest.mark.slow
def test_the_command_leaves_what_a_redrive_cannot_help(tmp_path):
    good = booking()
    wrong = booking(quantity=0)
    fault = "Written[2]:error:always"
    done, summary, _ = run(tmp_path, [good, wrong], "--time-scale", "0.01", "--fault", fault)
    rows = [json.loads(x) for x in (tmp_path / "out/executions.jsonl").read_text().splitlines()]
    by_id = {row["bookingId"]: row for row in rows}
    assert by_id[good["bookingId"]]["status"] == "SUCCEEDED"
    assert by_id[good["bookingId"]]["redriveCount"] == 1
    left_failed = by_id[wrong["bookingId"]]
    assert (left_failed["error"], left_failed["redriveCount"]) == ("InvalidBooking", 0)
    assert summary["executions"] == {"succeeded": 1, "failed": 1}
    assert summary["tickets"] == {"creating": 0, "ready": 2}
    assert done.returncode == 1
    assert "not redriven" in done.stderr


def test_redrive_belongs_to_once():
    done = finished("local_stack", "--redrive")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--redrive belongs to --once FILE" in done.stderr
