"""The reconciliation's definition keeps the promises that no single execution can show."""

from pathlib import Path
from typing import Any

import pytest

from asl_walk import scopes
from checks.asl_graph import check_file
from infrastructure.test_definition import EVERYTHING, STARTED_BY_A_COLD_START, delays
from infrastructure.test_definition import MACHINE as BOOKING
from minitickets.domain.reconcile_plan import MOST_REPAIRS
from minitickets.domain.reconciliation import MOST_ASIDE, MOST_PAGES
from sam_template import load_sam, substitutions

PROJECT = Path(__file__).resolve().parents[2]
DEFINITION = PROJECT / "statemachines" / "reconcile_tickets.asl.yaml"
SAM = load_sam(PROJECT / "template.yaml")
NAME = "ReconcileTicketsStateMachine"
MACHINE: dict[str, Any] = SAM["Resources"][NAME]["Properties"]["Definition"]
STATES: dict[str, dict[str, Any]] = {
    name: state for scope in scopes(MACHINE) for name, state in scope.states.items()
}
OF_BOOKINGS = {name: state for scope in scopes(BOOKING) for name, state in scope.states.items()}
TASKS = {name: state for name, state in STATES.items() if state["Type"] == "Task"}
FUNCTIONS = {
    "Check": "CheckTicketsFunction",
    "SetAside": "CheckTicketsFunction",
    "CheckAgain": "CheckTicketsFunction",
    "Written": "WriteTicketImageFunction",
    "Ready": "MarkTicketReadyFunction",
    "Report": "ReportReconciliationFunction",
}
A_PAGE = 15  # seconds, far above what 500 requests to S3 take, 16 at once


def never(*names: str) -> dict[str, Any]:
    return {"ErrorEquals": list(names), "MaxAttempts": 0}


RETRIERS = {
    "Check": [never("ImagesUnreadable", "InvalidOptions", "TooManyMissing"), EVERYTHING],
    "SetAside": [EVERYTHING],
    "CheckAgain": [never("ImagesUnreadable", "InvalidOptions", "TooManyMissing"), EVERYTHING],
    "Written": [never("TicketMissing", "TicketConflict"), EVERYTHING],
    "Ready": [never("TicketMissing"), EVERYTHING],
    "Report": [EVERYTHING],
}


def longest(state: str) -> float:
    """The longest visit of a state in seconds: every attempt runs to its timeout."""
    waits = [delay for retrier in TASKS[state]["Retry"] for delay in delays(retrier)]
    return sum(waits) + (len(waits) + 1) * int(TASKS[state]["TimeoutSeconds"])


def test_the_graph_has_no_loose_end_and_every_state_says_why_it_is_there():
    assert check_file(DEFINITION, substitutions(SAM, NAME), allow_catch=True) == []
    assert all(state["Comment"].strip() for state in STATES.values())


def test_what_is_caught_never_ends_in_a_fail_state_that_a_redrive_could_not_leave():
    assert not any(state["Type"] == "Fail" for state in STATES.values())
    assert {name for name, state in STATES.items() if "Catch" in state} == {
        "Check", "Written", "Ready",
    }  # fmt: skip


def test_a_date_that_fails_is_set_aside_and_what_concerns_all_dates_ends_the_run_at_a_task():
    stops, sets_aside = STATES["Check"]["Catch"]
    assert (stops["ErrorEquals"], stops["Next"]) == (
        ["ImagesUnreadable", "InvalidOptions"], "CheckAgain",
    )  # fmt: skip
    assert stops["ResultPath"] is None  # so that a redrive has the very input that Check had
    assert (sets_aside["ErrorEquals"], sets_aside["Next"]) == (["States.ALL"], "SetAside")
    again = {
        key: value for key, value in STATES["Check"].items() if key not in ("Comment", "Catch")
    }
    assert {key: v for key, v in STATES["CheckAgain"].items() if key != "Comment"} == again


@pytest.mark.parametrize("state", ["Written", "Ready"])
def test_a_seat_that_fails_for_good_is_told_and_stops_no_other(state):
    (catch,) = STATES[state]["Catch"]
    assert (catch["ErrorEquals"], catch["Next"]) == (["States.ALL"], "Unrepaired")
    assert "Retry" not in STATES["Repair"]


@pytest.mark.parametrize("state", ["Written", "Ready"])
def test_a_seat_is_mended_by_the_very_function_that_a_booking_uses(state):
    used = STATES[state]["Parameters"]["FunctionName"]
    assert used == OF_BOOKINGS[state]["Parameters"]["FunctionName"]
    name = used[2:-1]
    of_bookings = substitutions(SAM, "FulfilBookingStateMachine")[name]
    assert substitutions(SAM, NAME)[name] == of_bookings


@pytest.mark.parametrize("state", TASKS)
def test_each_step_retries_as_the_table_says_in_that_order(state):
    assert TASKS[state]["Retry"] == RETRIERS[state]


@pytest.mark.parametrize("state", TASKS)
def test_two_attempts_of_a_step_never_overlap(state):
    function = SAM["Resources"][FUNCTIONS[state]]["Properties"]
    timeout = function.get("Timeout", SAM["Globals"]["Function"]["Timeout"])
    assert TASKS[state]["TimeoutSeconds"] >= timeout + STARTED_BY_A_COLD_START
    assert TASKS[state]["Parameters"]["FunctionName"] == f"${{{FUNCTIONS[state]}Arn}}"


def test_a_run_outlives_its_worst_case_and_ends_before_the_next_days():
    rounds = MOST_REPAIRS / STATES["Repair"]["MaxConcurrency"]
    repairs = rounds * (longest("Written") + longest("Ready"))
    failing = MOST_ASIDE * (longest("Check") + longest("SetAside")) + longest("CheckAgain")
    worst = repairs + failing + MOST_PAGES * A_PAGE + longest("Report")
    assert worst < MACHINE["TimeoutSeconds"] < 24 * 3600


def test_unless_something_else_is_deployed_a_tenth_of_a_date_is_mended_unasked():
    defaults = [
        SAM["Parameters"][f"Reconcile{name}"]["Default"]
        for name in ("HorizonDays", "AllowMissing", "UsualRepairs")
    ]
    assert defaults == ["400", "10", "10"]
    variables = SAM["Resources"]["CheckTicketsFunction"]["Properties"]["Environment"]["Variables"]
    assert variables["RECONCILE_HORIZON_DAYS"] == {"Ref": "ReconcileHorizonDays"}
    assert variables["RECONCILE_ALLOW_MISSING_PERCENT"] == {"Ref": "ReconcileAllowMissing"}
    assert MOST_REPAIRS == 500
