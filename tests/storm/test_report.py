"""What a storm says at its end of what held, what is broken, and what it never put to the test."""

import re

import pytest

from operations.screen import Screen
from storming.judging import Verdict
from storming.report import Report, write

HELD = Verdict("G1", "one identity per seat", 2, "2 seats")
NOT_MET = Verdict("G6", "runs at once send one email", 0, "0 bookings")
BROKEN = Verdict("G7", "no message disappears", 0, "0 messages", ("3 messages still in the queue",))


def report(*verdicts):
    return Report(2, 7, 31.4, verdicts, {"messages": 4})


def lines(capsys, *verdicts):
    write(Screen(), report(*verdicts))
    return capsys.readouterr().out.splitlines()


def test_each_guarantee_has_its_verdict_and_what_was_counted(capsys):
    rows = [line.strip() for line in lines(capsys, HELD, NOT_MET, BROKEN)[1:4]]
    assert [re.split(" {2,}", row) for row in rows] == [
        ["G1", "one identity per seat", "held", "2 seats"],
        ["G6", "runs at once send one email", "not met", "0 bookings"],
        ["G7", "no message disappears", "BROKEN", "0 messages"],
    ]


def test_the_last_line_names_what_was_not_met(capsys):
    assert lines(capsys, HELD, NOT_MET)[-1] == (
        "31 s. Not met: G6. Again: scripts/storm --bookings 2 --seed 7"
    )
    assert lines(capsys, HELD)[-1] == "31 s. Again: scripts/storm --bookings 2 --seed 7"


@pytest.mark.parametrize(
    ("verdicts", "held", "each"),
    [
        ((HELD, NOT_MET), True, [True, None]),
        ((HELD, NOT_MET, BROKEN), False, [True, None, False]),
    ],
)
def test_what_was_not_met_breaks_nothing_and_is_null_in_json(verdicts, held, each):
    told = report(*verdicts).to_json()
    assert (told["held"], told["notMet"]) == (held, ["G6"])
    assert [guarantee["held"] for guarantee in told["guarantees"]] == each
