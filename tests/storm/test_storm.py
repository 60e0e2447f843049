"""A storm as somebody runs it, in a process of its own: there is one moto in a process."""

import json
import signal
import subprocess

import pytest

from commands.processes import TRACEBACK, command, environment, running
from storming.secrets import addresses_in, tokens_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SECONDS = 360  # a small storm takes one minute, and more beside other tests
HAPPENED = (
    "messages: again", "messages: correction", "messages: conflict", "messages: invalid",
    "retries", "workers killed", "executions stopped by hand", "outages of StartExecution",
    "delivered twice at once", "delivered again late", "pipe killed", "dead letters sent back",
    "redriven", "executions FAILED", "emails",
)  # fmt: skip


@pytest.fixture(scope="module")
def storm(tmp_path_factory):
    """Sixty bookings, another seed each time: a failure names it, and it repeats the plan."""
    out = tmp_path_factory.mktemp("storm")
    done = subprocess.run(
        command("storming", "--bookings", "60", "--json", "--out", out), env=environment(),
        capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert TRACEBACK not in done.stderr
    return done, json.loads(done.stdout), out


def test_every_guarantee_holds_in_a_storm_of_sixty_bookings(storm):
    done, report, _ = storm
    broken = {g["guarantee"]: g["broken"] for g in report["guarantees"] if g["broken"]}
    assert broken == {}, report["repeat"]
    assert report["trouble"] is None, report["repeat"]
    assert [g["guarantee"] for g in report["guarantees"]] == [f"G{n}" for n in range(1, 10)]
    assert (done.returncode, report["held"]) == (0, True)
    assert report["notMet"] == [g["guarantee"] for g in report["guarantees"] if g["held"] is None]


def test_the_storm_was_one(storm):
    _, report, _ = storm
    assert report["counts"]["bookings accepted"] == 60
    assert {name: 0 for name in HAPPENED if not report["counts"].get(name)} == {}


def test_it_says_first_and_last_how_to_repeat_it(storm):
    done, report, _ = storm
    assert report["repeat"] == f"scripts/storm --bookings 60 --seed {report['seed']}"
    assert done.stderr.splitlines()[0] == report["repeat"]


def test_the_evidence_is_kept_and_no_secret_is_in_what_was_said_or_logged(storm):
    done, report, out = storm
    tickets = [json.loads(line) for line in (out / "tickets.jsonl").read_text().split("\n") if line]
    assert len(tickets) == report["counts"]["seats"] == len(list((out / "tickets").iterdir()))
    assert len(list((out / "emails").iterdir())) == report["counts"]["emails"]
    assert json.loads((out / "storm.json").read_text()) == report
    tokens = {ticket["token"] for ticket in tickets}
    said = [done.stdout, done.stderr, *(file.read_text() for file in (out / "logs").iterdir())]
    assert [tokens_in(text, tokens) for text in said if tokens_in(text, tokens)] == []
    assert [addresses_in(text) for text in said if addresses_in(text)] == []


def test_ctrl_c_ends_it_with_130_and_says_how_to_repeat_it():
    with running("storming", "--bookings", "60", "--seed", "4") as started:
        started.wait_for("storm: ")
        started.process.send_signal(signal.SIGINT)
        code, output = started.end()
    assert (code, output) == (130, "")
    assert started.said[-1] == "Stopped. Again:  scripts/storm --bookings 60 --seed 4"
