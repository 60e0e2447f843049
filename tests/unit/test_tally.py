"""Each state's visits are counted by how they stand, over all iterations or for one."""

import pytest

from execution_history import Status, Step, Tally, read_history, tallies
from fixtures.histories import (
    REDRIVEN,
    failing_map,
    history,
    map_started_thrice,
    retried_and_caught,
    timed_out_map,
)


def counted(*events, seat=None):
    return tallies(read_history(history(*events)), seat)


def test_a_maps_iterations_are_counted_under_their_states():
    assert counted(*failing_map()) == {
        "Seats": Tally(failed=1),
        "A": Tally(succeeded=2),
        "B": Tally(failed=1, aborted=1, retries=1),
    }


def test_states_that_timed_out_together_are_one_failure_and_three_stops():
    assert counted(*timed_out_map()) == {
        "Each": Tally(failed=1),
        "Call": Tally(failed=1, aborted=3),
    }


def test_four_attempts_of_one_visit_are_three_retries():
    assert counted(*retried_and_caught()) == {
        "Invoke": Tally(caught=1, retries=3),
        "HandleError": Tally(succeeded=1),
    }


def test_a_map_that_its_retry_started_anew_counts_by_its_last_start():
    found = counted(*map_started_thrice())
    assert found["Each"] == Tally(failed=1, retries=2)
    assert found["No"] == Tally(failed=1)


@pytest.mark.parametrize("shape", REDRIVEN.values(), ids=REDRIVEN)
def test_a_redrives_first_attempt_is_no_retry(shape):
    found = counted(*failing_map(redriven=True), *shape)
    assert found["B"] == Tally(succeeded=1, pending=1, retries=1)
    assert found["Seats"] == Tally(running=1)


def test_of_one_iteration_its_own_states_are_counted_and_those_outside_every_map():
    events = [*failing_map()[:-1], ("PassStateEntered", 24, {"name": "After", "input": "{}"})]
    first, second = ((Step("Seats", index),) for index in (0, 1))
    assert counted(*events, seat=first) == {
        "Seats": Tally(failed=1),
        "A": Tally(succeeded=1),
        "B": Tally(aborted=1),
        "After": Tally(running=1),
    }
    assert counted(*events, seat=second)["B"] == Tally(failed=1, retries=1)


def test_of_an_iteration_in_an_iteration_the_way_to_it_is_counted_and_no_sibling():
    events = [
        ("ExecutionStarted", 0, {"input": "{}"}),
        ("MapStateEntered", 0, {"name": "Rows", "input": "{}"}),
        ("MapStateStarted", 2, {"length": 2}),
        ("MapIterationStarted", 3, {"name": "Rows", "index": 0}),
        ("MapIterationStarted", 3, {"name": "Rows", "index": 1}),
        ("MapStateEntered", 4, {"name": "Seats", "input": "{}"}),  # 6
        ("MapStateEntered", 5, {"name": "Seats", "input": "{}"}),
        ("MapStateStarted", 6, {"length": 2}),  # 8
        ("MapIterationStarted", 8, {"name": "Seats", "index": 0}),
        ("MapIterationStarted", 8, {"name": "Seats", "index": 1}),
        ("TaskStateEntered", 9, {"name": "Call", "input": "{}"}),
        ("TaskStateEntered", 10, {"name": "Call", "input": "{}"}),
    ]
    assert {name: tally.total for name, tally in counted(*events).items()} == {
        "Rows": 1,
        "Seats": 2,
        "Call": 2,
    }
    inner = (Step("Rows", 0), Step("Seats", 1))
    assert {name: t.total for name, t in counted(*events, seat=inner).items()} == {
        "Rows": 1,
        "Seats": 1,
        "Call": 1,
    }
    outer = counted(*events, seat=(Step("Rows", 0),))
    assert (outer["Seats"].total, outer["Call"].total) == (1, 2)


@pytest.mark.parametrize(
    ("tally", "status"),
    [
        (Tally(succeeded=4, failed=1, running=1), Status.FAILED),
        (Tally(succeeded=4, running=1, pending=1), Status.RUNNING),
        (Tally(succeeded=4, pending=1, aborted=1), Status.PENDING),
        (Tally(succeeded=4, aborted=1, caught=1), Status.ABORTED),
        (Tally(succeeded=4, caught=1), Status.CAUGHT),
        (Tally(succeeded=4, retries=3), Status.SUCCEEDED),
    ],
)
def test_a_state_is_coloured_by_what_most_wants_to_be_looked_at(tally, status):
    assert tally.status is status
