"""Report: what a reconciliation did, as the execution's output and as metrics."""

import json
from types import SimpleNamespace

import pytest

import report_reconciliation
from minitickets.domain.reconcile_plan import Plan
from minitickets.domain.reconciliation import add_page, begin
from minitickets.domain.ticket_check import Checked, Counts

CONTEXT = SimpleNamespace(aws_request_id="r-1")
SEATS = [{"userId": "usr_1", "bookingId": "bk_1", "seatNumber": number} for number in range(1, 8)]
FOUND = Checked(Counts(checked=100, ready=96, stale=4, missing=3), SEATS)
FAILURE = {"bookingId": "bk_1", "seatNumber": 5, "failed": "TicketMissing"}


def told(capsys, *, dry_run=False, outcomes=()):
    """The report of a date with seven to mend and a budget of five; its metrics by name."""
    plan = Plan("2026-12-24", "2026-12-24", allow_missing=10, most_repairs=5, dry_run=dry_run)
    turn = add_page(begin(plan), plan, FOUND, None)
    state = {"plan": plan.to_json(), "progress": turn.progress.to_json(), "outcomes": outcomes}
    event = {"state": json.loads(json.dumps(state)), "execution": "arn:e1"}
    report = report_reconciliation.handler(event, CONTEXT)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    counted = [line for line in lines if "_aws" in line]
    return report, {
        name: values[0]
        for line in counted
        for name, values in line.items()
        if name.startswith("Tickets")
    }


def test_what_was_checked_repaired_left_and_failed_is_told_and_counted(capsys):
    report, metrics = told(capsys, outcomes=[{"status": "ready"}] * 4 + [FAILURE])
    figures = {name: report[name] for name in ("checked", "repaired", "left", "failed")}
    assert figures == {"checked": 100, "repaired": 4, "left": 2, "failed": 1}
    assert report["failures"] == [FAILURE]
    assert metrics == {
        "TicketsChecked": 100, "TicketsRepaired": 4, "TicketsLeft": 2, "TicketsUnrepaired": 1,
    }  # fmt: skip


def test_a_dry_run_is_told_and_counted_nowhere(capsys):
    report, metrics = told(capsys, dry_run=True)
    assert (report["dryRun"], report["left"], report["repaired"]) == (True, 7, 0)
    assert metrics == {}


@pytest.mark.parametrize("repaired", [0, 5])
def test_no_repair_is_counted_as_none_so_that_the_alarm_sees_the_run(capsys, repaired):
    _, metrics = told(capsys, outcomes=[{"status": "ready"}] * repaired)
    assert metrics["TicketsRepaired"] == repaired
