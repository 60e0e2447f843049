"""`scripts/run --once` from outside: its exit code, its one JSON line and the files it leaves."""

import io
import json
import re
import signal
import stat
import subprocess
import sys
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image

from commands.processes import (
    PATIENCE,
    command,
    endpoint_of_children,
    environment,
    finished,
    running,
    wait_until_gone,
    workers,
)
from local_stack.cli import main
from workflow.harness import booking

KEYS = {"messages", "refused", "executions", "deadLetters", "tickets", "emails", "seconds"}
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def body(**changes):
    return json.dumps(booking(**changes), ensure_ascii=False)


def records(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def summary(done):
    return json.loads(done.stdout.splitlines()[-1])


# ---- One run that has everything in it

LINES = [
    body(bookingId="bk_one", quantity=2, email="zoe@exämple.com").encode(),
    b"",
    b'{"bookingId": "bk_control\x0b"}',
    b"x" * 65_537,
    b'{"bookingId": "bk_latin", "eventName": "Zo\xeb"}',
    # Separators that are no line feed, inside a name and between JSON tokens.
    body(bookingId="bk_two", quantity=1, eventName="A\u2028B\u2029C\x85D")
    .replace(", ", ",\r ")
    .encode(),
    b"not JSON",
]


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """The lines above, into a folder with an earlier run's results and files of other people."""
    out = tmp_path_factory.mktemp("once") / "out"
    for old in ("tickets/bk_old-00001.png", "emails/1-bk_old.eml", "logs/minitickets-old.log"):
        (out / old).parent.mkdir(parents=True, exist_ok=True)
        (out / old).write_text("old")
    for name in ("tickets.jsonl", "jobs.jsonl", "executions.jsonl"):
        (out / name).write_text('{"old": 1}\n')
        (out / name).chmod(0o644)
    for foreign in ("bookings.jsonl", "notes.txt", "tickets/logo.png", "emails/draft.eml"):
        (out / foreign).write_text("mine")
    (out / "bookings.jsonl").write_bytes(b"\n".join(LINES))
    return finished("local_stack", "--once", out / "bookings.jsonl", "--out", out), out


def test_the_last_line_of_stdout_is_one_json_object_with_the_documented_keys(rich):
    done, _ = rich
    assert len(done.stdout.splitlines()) == 1
    counts = summary(done)
    assert set(counts) == KEYS
    assert counts.pop("seconds") > 0
    assert counts == {
        "messages": 3,
        "refused": 4,
        "executions": {"succeeded": 2, "failed": 1},
        "deadLetters": 0,
        "tickets": {"creating": 0, "ready": 3},
        "emails": 2,
    }


def test_a_line_that_is_refused_or_fails_makes_the_exit_code_one(rich):
    assert rich[0].returncode == 1


def test_what_sqs_refuses_is_named_with_its_line_number_and_its_reason(rich):
    said = re.findall(r"^line (\d+) refused by SQS: (.+)$", rich[0].stderr, re.MULTILINE)
    assert [number for number, _ in said] == ["2", "3", "4", "5"]
    for (_, reason), word in zip(
        said, ("MessageBody", "characters", "65536", "UTF-8"), strict=True
    ):
        assert word in reason


def test_progress_names_each_seat_as_it_is_creating_written_and_ready(rich):
    for seat in (1, 2):
        at = [rich[0].stderr.index(f"bk_one  seat {seat}  {s}\n") for s in ("creating", "written")]
        at.append(rich[0].stderr.index(f"bk_one  seat {seat}  ready\n"))
        assert at == sorted(at)


def test_only_a_line_feed_ends_a_line(rich):
    (ticket,) = [t for t in records(rich[1] / "tickets.jsonl") if t["bookingId"] == "bk_two"]
    assert ticket["eventName"] == "A B C D"


def test_the_tables_are_lines_of_json_that_only_their_owner_reads(rich):
    _, out = rich
    tickets, jobs = records(out / "tickets.jsonl"), records(out / "jobs.jsonl")
    assert {ticket["ticketId"] for ticket in tickets} == {
        "bk_one-00001", "bk_one-00002", "bk_two-00001",
    }  # fmt: skip
    assert {ticket["status"] for ticket in tickets} == {"ready"}
    assert {job["jobKey"] for job in jobs} == {
        f"booking.{what}:{id_}"
        for what in ("accepted", "confirmed")
        for id_ in ("bk_one", "bk_two")
    }
    for name in ("tickets.jsonl", "jobs.jsonl"):
        assert stat.S_IMODE((out / name).stat().st_mode) == 0o600


def test_every_execution_is_told_with_its_end(rich):
    executions = {e["bookingId"]: e for e in records(rich[1] / "executions.jsonl")}
    assert set(executions) == {"bk_one", "bk_two", None}
    for execution in executions.values():
        assert set(execution) == {
            "bookingId", "executionArn", "status", "error", "cause", "redriveCount", "output",
        }  # fmt: skip
    assert executions["bk_one"]["status"] == "SUCCEEDED"
    assert executions["bk_one"]["error"] is executions["bk_one"]["cause"] is None
    assert executions["bk_one"]["output"] == {
        "bookingId": "bk_one",
        "tickets": {"ready": 2},
        "email": "sent",
    }
    assert executions[None]["status"] == "FAILED"
    assert executions[None]["error"] == "InvalidBooking"
    assert executions[None]["cause"]
    assert executions[None]["output"] is None


def test_each_ticket_is_a_png_whose_code_is_the_stored_ticket(rich):
    _, out = rich
    for ticket in records(out / "tickets.jsonl"):
        png = (out / "tickets" / f"{ticket['ticketId']}.png").read_bytes()
        image = Image.open(io.BytesIO(png)).convert("RGB")
        found = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
        assert [code.text for code in found] == [f"MT1.{ticket['ticketId']}.{ticket['token']}"]


def test_each_email_is_a_file_that_mail_programs_read(rich):
    _, out = rich
    files = {file.name.split("-", 1)[1]: file for file in (out / "emails").glob("[0-9]*.eml")}
    assert set(files) == {"bk_one.eml", "bk_two.eml"}
    assert {file.name.split("-")[0] for file in files.values()} == {"1", "2"}
    email = message_from_bytes(files["bk_one.eml"].read_bytes(), policy=default)
    assert email.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in email.iter_parts()] == ["text/plain", "text/html"]
    assert email["To"] == "zoe@xn--exmple-cua.com"
    assert email["From"].addresses[0].domain == "minitickets.example"
    assert "Held Back" in email["Subject"]
    for kind in ("plain", "html"):
        content = email.get_body([kind]).get_content()
        assert "Held Back" in content
        assert "20:00 CET" in content
        assert "2 seats" in content
        assert "https://minitickets.example/my-tickets" in content
    assert not email.defects


def test_earlier_results_are_replaced_and_other_peoples_files_stay(rich):
    _, out = rich
    assert {file.name for file in (out / "tickets").iterdir()} == {
        "logo.png", "bk_one-00001.png", "bk_one-00002.png", "bk_two-00001.png",
    }  # fmt: skip
    assert not (out / "emails" / "1-bk_old.eml").exists()
    assert not (out / "logs" / "minitickets-old.log").exists()
    assert '"old"' not in (out / "tickets.jsonl").read_text()
    assert (out / "bookings.jsonl").read_bytes() == b"\n".join(LINES)
    for foreign in ("notes.txt", "tickets/logo.png", "emails/draft.eml"):
        assert (out / foreign).read_text() == "mine"


# ---- The other ends


@pytest.mark.slow
def test_an_empty_file_is_no_message_and_no_mistake(tmp_path):
    (tmp_path / "empty").touch()
    done = finished("local_stack", "--once", tmp_path / "empty", "--out", tmp_path / "out")
    counts = summary(done)
    assert done.returncode == 0
    assert (counts["messages"], counts["executions"]) == (0, {"succeeded": 0, "failed": 0})
    for name in ("tickets", "jobs", "executions"):
        assert (tmp_path / "out" / f"{name}.jsonl").read_text() == ""


@pytest.mark.slow
def test_all_fulfilled_is_exit_code_zero(tmp_path):
    (tmp_path / "in").write_text(body(bookingId="bk_fine") + "\n")
    done = finished("local_stack", "--once", tmp_path / "in", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert summary(done)["executions"] == {"succeeded": 1, "failed": 0}


@pytest.mark.slow
def test_a_fault_strikes_the_seat_it_names_and_no_other(tmp_path):
    (tmp_path / "in").write_text(body(bookingId="bk_five", quantity=5) + "\n")
    done = finished(
        "local_stack", "--once", tmp_path / "in", "--out", tmp_path / "out",
        "--fault", "Written[2]:error:always", "--time-scale", "0.02",
    )  # fmt: skip
    assert done.returncode == 1
    assert summary(done)["tickets"] == {"creating": 1, "ready": 4}
    assert summary(done)["emails"] == 1
    (execution,) = records(tmp_path / "out" / "executions.jsonl")
    assert (execution["status"], execution["error"]) == ("FAILED", "InjectedError")


@pytest.mark.slow
@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_an_interrupted_run_still_says_what_it_did_and_leaves_no_process(tmp_path, number):
    (tmp_path / "in").write_text(body(bookingId="bk_cut", quantity=2) + "\n")
    out = tmp_path / "out"
    with running(
        "local_stack", "--once", tmp_path / "in", "--out", out, "--fault", "Written:error:always"
    ) as run:
        run.wait_for("bk_cut  email sent")
        run.wait_for("bk_cut  seat 1  creating")
        endpoint = endpoint_of_children(run.process.pid)
        assert workers(endpoint)
        run.process.send_signal(number)
        code, output = run.end()
    assert code == 130
    counts = json.loads(output.splitlines()[-1])
    assert set(counts) == KEYS
    assert (counts["messages"], counts["emails"]) == (1, 1)
    assert counts["executions"] == {"succeeded": 0, "failed": 0}
    assert [e["status"] for e in records(out / "executions.jsonl")] == ["RUNNING"]
    wait_until_gone(endpoint)


# ---- Bad usage


@pytest.fixture
def good(tmp_path):
    file = tmp_path / "good.jsonl"
    file.write_text("{}\n")
    return file


@pytest.fixture
def refused(capsys):
    """Run the command in this process, and give the one sentence it says as misused."""

    def refuse(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        assert end.value.code == 2
        output, said = capsys.readouterr()
        assert output == ""
        (sentence,) = said.splitlines()
        assert sentence.startswith("scripts/run: ")
        assert sentence.endswith(". See scripts/run --help.")
        return sentence

    return refuse


def test_a_mistake_ends_the_process_with_code_two_and_one_sentence(tmp_path):
    done = finished("local_stack", "--once", tmp_path / "gone", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout) == (2, "")
    reason = f"cannot read the file {tmp_path / 'gone'}: No such file or directory"
    assert done.stderr == f"scripts/run: {reason}. See scripts/run --help.\n"


def test_a_missing_file_is_named(refused, tmp_path):
    assert str(tmp_path / "gone") in refused("--once", tmp_path / "gone", "--out", tmp_path / "o")


def test_a_folder_in_place_of_the_file_is_named(refused, tmp_path):
    sentence = refused("--once", tmp_path, "--out", tmp_path / "o")
    assert str(tmp_path) in sentence
    assert "directory" in sentence


def test_a_folder_below_a_file_is_named(refused, good):
    assert str(good / "below") in refused("--once", good, "--out", good / "below")


def test_missing_out_is_asked_for(refused, good):
    assert "--out" in refused("--once", good)


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ("Written", "STATE[SEAT]:KIND:TIMES"),
        ("Written[2]:error", "'Written[2]:error'"),
        ("Writen:error:1", "'Writen'"),
        ("Written:explode:1", "'explode'"),
        ("Written:error:0", "'0'"),
        ("Written:ses-throttle:1", "ses-throttle"),
        ("SendEmail[2]:error:1", "SendEmail"),
        ("Written[x]:error:1", "'x'"),
        ("", "STATE[SEAT]:KIND:TIMES"),
    ],
)
def test_a_fault_that_makes_no_sense_is_named_with_what_is_wrong(
    refused, good, tmp_path, fault, named
):
    assert named in refused("--once", good, "--out", tmp_path / "o", "--fault", fault)


@pytest.mark.parametrize("scale", ["0", "-1", "nan", "inf", "fast", ""])
def test_a_time_scale_that_is_no_number_above_zero_is_named(refused, good, tmp_path, scale):
    sentence = refused("--once", good, "--out", tmp_path / "o", f"--time-scale={scale}")
    assert "--time-scale" in sentence
    assert repr(scale) in sentence


@pytest.mark.parametrize("port", ["http", "-1", "65536", "99999999999999", "1.5", ""])
def test_a_port_that_is_none_is_named(refused, port):
    sentence = refused(f"--port={port}")
    assert "--port" in sentence
    assert repr(port) in sentence


def test_an_unknown_option_is_named(refused):
    assert "--onse" in refused("--onse", "file")


@pytest.mark.slow
def test_two_runs_never_mix_their_tickets_in_one_folder(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    out = tmp_path / "out"
    with running("local_stack", "--out", out, "--port=0") as first:
        first.wait_for("Listening on")
        second = finished("local_stack", "--once", tmp_path / "empty", "--out", out)
    assert second.returncode == 2
    assert second.stderr.count("\n") == 1
    assert str(out) in second.stderr
    assert "in use" in second.stderr


@pytest.mark.slow
def test_an_execution_that_failed_is_named_with_its_reason(tmp_path):
    file = tmp_path / "broken.jsonl"
    file.write_text('{"type": "booking.confirmed", "bookingId": "bk_broken"}\n')
    done = finished("local_stack", "--once", file, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert re.search(r"bk_broken  FAILED  InvalidBooking: message \S+: .*userId", done.stderr)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_stderr_that_nobody_can_write_to_fails_no_step_and_doubles_no_email(tmp_path):
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(booking(bookingId="bk_mute", quantity=2)))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command("local_stack", "--once", file, "--out", tmp_path / "out"),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=PATIENCE,
            check=False,
        )
    told = json.loads(done.stdout.splitlines()[-1])
    assert (told["executions"], told["emails"]) == ({"succeeded": 1, "failed": 0}, 1)


@pytest.mark.slow
def test_an_id_that_is_no_text_loses_no_result(tmp_path):
    file = tmp_path / "odd.jsonl"
    file.write_text('{"bookingId": "bk\\ud800x"}\n{"bookingId": "\\u001b[2J"}\n')
    done = finished("local_stack", "--once", file, "--out", tmp_path / "out")
    assert done.returncode == 1
    told = records(tmp_path / "out" / "executions.jsonl")
    assert [(each["bookingId"], each["error"]) for each in told] == [(None, "InvalidBooking")] * 2
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("name", ["tickets.jsonl", "jobs.jsonl", "executions.jsonl"])
def test_a_file_of_bookings_is_never_overwritten_by_its_own_results(tmp_path, capsys, name):
    file = tmp_path / name
    file.write_text("{}\n")
    with pytest.raises(SystemExit) as ended:
        main(["--once", str(file), "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert str(file) in capsys.readouterr().err
    assert file.read_text() == "{}\n"


@pytest.mark.parametrize("scale", ["5e-324", "1e-9", "1e308", "nan", "inf", "-1", "0"])
def test_a_scale_that_no_wait_can_bear_is_refused(tmp_path, capsys, scale):
    with pytest.raises(SystemExit) as ended:
        main(["--once", "/dev/null", "--out", str(tmp_path), "--time-scale", scale])
    assert ended.value.code == 2
    assert scale in capsys.readouterr().err


def test_a_file_in_the_place_of_a_folder_is_a_usage_error(tmp_path, capsys):
    (tmp_path / "tickets").write_text("")
    with pytest.raises(SystemExit) as ended:
        main(["--once", "/dev/null", "--out", str(tmp_path)])
    assert ended.value.code == 2
    assert str(tmp_path) in capsys.readouterr().err
