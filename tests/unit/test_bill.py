"""What AWS bills is counted from the history: each step executed, each retry, each redrive.

https://aws.amazon.com/step-functions/pricing/ and
https://docs.aws.amazon.com/step-functions/latest/dg/concepts-transitions.html
"""

from decimal import Decimal

import pytest

from execution_history import cost, transitions
from fixtures.histories import (
    REDRIVEN,
    failing_map,
    history,
    map_started_thrice,
    retried_and_caught,
    timed_out_map,
)


def test_each_retry_is_one_more():
    # Invoke 1 + its 3 retries + HandleError 1
    assert transitions(history(*retried_and_caught())) == 5


def test_a_maps_retry_is_one_more_and_so_is_each_step_that_it_runs_again():
    # Start 1 + Each 1 + its 2 retries + No 3 times
    assert transitions(history(*map_started_thrice())) == 7


def test_a_map_is_one_and_each_step_of_each_iteration_is_one():
    # Each 1 + Call in 4 iterations
    assert transitions(history(*timed_out_map())) == 5


def test_a_booking_of_four_seats_without_a_failure_is_twenty_one():
    """The README's figure: AcceptBooking, two branches with the Map, SendEmail, RecordEmailJob."""
    outside = ["AcceptBooking", "FulfilBooking", "IssueTickets", "SendEmail", "RecordEmailJob"]
    seat = ["Creating", "ReadyAlready?", "Written", "Ready"]
    names = outside + 4 * seat  # 5 + 4 × 4
    visits = [("TaskStateEntered", 0, {"name": name, "input": "{}"}) for name in names]
    assert transitions(history(("ExecutionStarted", 0), *visits, ("ExecutionSucceeded", 0))) == 21


@pytest.mark.parametrize(
    ("shape", "again"),
    [
        # The first run: Seats 1 + A 2 + B 2 + 1 retry = 6. The redrive 1, and B again 1. A Map
        # that is entered again is run again: 1; AWS may also go on inside it.
        ("each state is entered again", 6 + 1 + 1 + 1),
        ("the task is scheduled again", 6 + 1 + 1),
    ],
)
def test_a_redrive_is_one_and_each_state_that_it_runs_again(shape, again):
    assert transitions(history(*failing_map(redriven=True), *REDRIVEN[shape])) == again


def test_a_thousand_cost_two_and_a_half_cents_to_the_last_digit():
    assert cost(1_000) == Decimal("0.025")
    assert cost(21) == Decimal("0.000525")
    assert cost(0) == 0
