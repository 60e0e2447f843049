"""The workflow's definition keeps the promises that no single execution can show.

The expected retriers are the design's table, written out again by hand; durations are computed from
them as Step Functions documents it: the n-th retry waits IntervalSeconds * BackoffRate^(n-1), at
most MaxDelaySeconds (https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html).
"""

import inspect
from pathlib import Path
from typing import Any

import pytest

from asl_walk import scopes, tasks
from checks.asl_graph import check_file
from minitickets import errors
from sam_template import load_sam, substitutions

PROJECT = Path(__file__).resolve().parents[2]
DEFINITION = PROJECT / "statemachines" / "fulfil_booking.asl.yaml"
SAM = load_sam(PROJECT / "template.yaml")
MACHINE: dict[str, Any] = SAM["Resources"]["FulfilBookingStateMachine"]["Properties"]["Definition"]
STATES: dict[str, dict[str, Any]] = {
    name: state for scope in scopes(MACHINE) for name, state in scope.states.items()
}
TASKS = {name: state for name, state in STATES.items() if state["Type"] == "Task"}
FUNCTIONS = {
    "AcceptBooking": "AcceptBookingFunction",
    "Creating": "ReserveTicketFunction",
    "Written": "WriteTicketImageFunction",
    "Ready": "MarkTicketReadyFunction",
    "SendEmail": "SendEmailFunction",
    "RecordEmailJob": "RecordEmailJobFunction",
}
EVERYTHING = {
    "ErrorEquals": ["States.ALL"],
    "IntervalSeconds": 1,
    "MaxAttempts": 8,
    "BackoffRate": 2,
    "MaxDelaySeconds": 60,
    "JitterStrategy": "FULL",
}
# The names that no retrier lists: bases that are never raised.
DELIBERATELY_UNNAMED = {
    "FulfilmentError", "BookingError", "TicketError", "EmailError", "ReconciliationError",
}  # fmt: skip
RECONCILIATION: dict[str, Any] = SAM["Resources"]["ReconcileTicketsStateMachine"]["Properties"][
    "Definition"
]
ROUNDS = 13  # of 40 iterations at once, for 500 seats
STARTED_BY_A_COLD_START = 15  # seconds a Task allows beyond its function's own timeout


def grace(*names: str) -> dict[str, Any]:
    return {
        "ErrorEquals": list(names),
        "IntervalSeconds": 300,
        "MaxAttempts": 1,
        "BackoffRate": 1,
        "JitterStrategy": "NONE",
    }


RETRIERS = {
    "AcceptBooking": [
        {"ErrorEquals": ["InvalidBooking", "BookingConflict"], "MaxAttempts": 0},
        EVERYTHING,
    ],
    "Creating": [grace("TicketConflict"), EVERYTHING],
    "Written": [grace("TicketMissing", "TicketConflict"), EVERYTHING],
    "Ready": [grace("TicketMissing"), EVERYTHING],
    "SendEmail": [
        {
            "ErrorEquals": ["EmailInProgress"],
            "IntervalSeconds": 15,
            "MaxAttempts": 24,
            "BackoffRate": 1,
            "JitterStrategy": "NONE",
        },
        {
            "ErrorEquals": ["EmailThrottled"],
            "IntervalSeconds": 5,
            "MaxAttempts": 29,
            "BackoffRate": 2,
            "MaxDelaySeconds": 300,
            "JitterStrategy": "FULL",
        },
        grace("EmailRejected"),
        EVERYTHING,
    ],
    "RecordEmailJob": [EVERYTHING],
}


def function_timeout(state: str) -> int:
    properties = SAM["Resources"][FUNCTIONS[state]]["Properties"]
    return int(properties.get("Timeout", SAM["Globals"]["Function"]["Timeout"]))


def lease_seconds() -> int:
    send = SAM["Resources"]["SendEmailFunction"]["Properties"]
    return int(send["Environment"]["Variables"]["EMAIL_LEASE_SECONDS"])


def delays(retrier: dict[str, Any]) -> list[float]:
    """The longest that each retry waits, in seconds: jitter only shortens it."""
    first, rate = retrier.get("IntervalSeconds", 1), retrier.get("BackoffRate", 2)
    limit = retrier.get("MaxDelaySeconds", float("inf"))
    return [min(first * rate**n, limit) for n in range(retrier.get("MaxAttempts", 3))]


def longest(state: str, attempt: float) -> float:
    """The longest visit of a state in seconds, when every attempt takes ``attempt``."""
    waits = [delay for retrier in TASKS[state]["Retry"] for delay in delays(retrier)]
    return sum(waits) + (len(waits) + 1) * attempt


def test_the_graph_has_no_loose_end_and_every_state_says_why_it_is_there():
    assert check_file(DEFINITION, substitutions(SAM, "FulfilBookingStateMachine")) == []
    assert all(state["Comment"].strip() for state in STATES.values())


def test_the_states_are_those_of_the_design():
    assert list(STATES) == [
        "AcceptBooking", "FulfilBooking", "IssueTickets", "Creating", "ReadyAlready?",
        "AlreadyReady", "Written", "Ready", "SendEmail", "RecordEmailJob",
    ]  # fmt: skip
    assert STATES["IssueTickets"]["MaxConcurrency"] == 40


def test_failures_escape_nothing_is_caught():
    assert not any("Catch" in state for state in STATES.values())
    assert not any(state["Type"] == "Fail" for state in STATES.values())


@pytest.mark.parametrize("state", RETRIERS)
def test_each_step_retries_as_the_table_says_in_that_order(state):
    assert TASKS[state]["Retry"] == RETRIERS[state]


def test_the_map_and_the_parallel_have_no_retry_that_would_run_finished_seats_again():
    assert "Retry" not in STATES["IssueTickets"]
    assert "Retry" not in STATES["FulfilBooking"]


@pytest.mark.parametrize("state", FUNCTIONS)
def test_two_attempts_of_a_step_never_overlap(state):
    assert TASKS[state]["TimeoutSeconds"] >= function_timeout(state) + STARTED_BY_A_COLD_START


@pytest.mark.parametrize("state", FUNCTIONS)
def test_each_state_calls_its_own_function(state):
    assert TASKS[state]["Parameters"]["FunctionName"] == f"${{{FUNCTIONS[state]}Arn}}"
    value = substitutions(SAM, "FulfilBookingStateMachine")[f"{FUNCTIONS[state]}Arn"]
    # By its name, since the machine stays when the functions go (ComputeEnabled).
    name = SAM["Resources"][FUNCTIONS[state]]["Properties"]["FunctionName"]["Fn::Sub"]
    assert value == {
        "Fn::Sub": "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:" + name
    }


def test_every_error_named_in_a_machine_is_a_class_and_every_class_is_named():
    classes = {
        name
        for name, member in vars(errors).items()
        if inspect.isclass(member) and issubclass(member, Exception)
    }
    named = {
        name
        for machine in (MACHINE, RECONCILIATION)
        for _, state in tasks(machine)
        for entry in (*state["Retry"], *state.get("Catch", ()))
        for name in entry["ErrorEquals"]
        if not name.startswith("States.")
    }
    assert named == classes - DELIBERATELY_UNNAMED


def test_a_waiting_run_outlasts_the_lease_so_that_it_ends_as_already_sent():
    lease = lease_seconds()
    in_progress = TASKS["SendEmail"]["Retry"][0]
    assert lease == 300
    assert sum(delays(in_progress)) == 360
    assert sum(delays(in_progress)) > lease


def test_the_lease_outlasts_the_send_and_every_attempt_to_record_it():
    lease = lease_seconds()
    send = TASKS["SendEmail"]["TimeoutSeconds"]
    record = longest("RecordEmailJob", function_timeout("RecordEmailJob"))
    assert send + record == 25 + 183 + 9 * 8
    assert send + record < lease


def test_throttled_emails_are_retried_for_two_hours():
    throttled = TASKS["SendEmail"]["Retry"][1]
    assert sum(delays(throttled)) == pytest.approx(2 * 3600, rel=0.05)


def test_the_machine_outlives_the_worst_case_of_every_retry_at_every_step():
    per_seat = sum(
        longest(state, TASKS[state]["TimeoutSeconds"]) for state in ("Creating", "Written", "Ready")
    )
    seats = ROUNDS * per_seat
    email = sum(
        longest(state, TASKS[state]["TimeoutSeconds"]) for state in ("SendEmail", "RecordEmailJob")
    )
    accept = longest("AcceptBooking", TASKS["AcceptBooking"]["TimeoutSeconds"])
    assert accept + max(seats, email) < MACHINE["TimeoutSeconds"]


def test_the_siblings_of_a_broken_step_have_minutes_to_finish():
    for state in ("Creating", "Written", "Ready", "SendEmail", "RecordEmailJob"):
        *business, everything = TASKS[state]["Retry"]
        assert sum(delays(everything)) == 183
        for retrier in business:
            assert sum(delays(retrier)) >= 300
