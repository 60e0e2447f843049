"""What a page and a seat cost an execution, counted: they cost the same however many there are.

The arithmetic for 100,000 tickets rests on these figures: tests/unit/test_reconcile_bounds.py.
"""

import json

import pytest

from unit.test_reconcile_bounds import A_PAGE, A_ROUND, A_SEAT, AROUND
from workflow.harness import Fulfilment
from workflow.reconciling import booked, ended, new_date, report, start, stop_halfway


def events_and_bytes(fulfilment: Fulfilment, arn: str) -> tuple[int, int, int]:
    """The pages, the events, and the longest state that the history holds."""
    history = fulfilment.history(arn)
    entered = [event.get("stateEnteredEventDetails", {}) for event in history]
    pages = sum(detail.get("name") == "Check" for detail in entered)
    outputs = [event.get("stateExitedEventDetails", {}).get("output", "") for event in history]
    return pages, len(history), max(map(len, outputs))


def test_twice_the_pages_cost_twice_the_events_and_no_larger_state(fulfilment):
    day = new_date()
    booked(fulfilment, day, 16)
    sizes = {}
    for page in (4, 2, 1):
        arn = start(fulfilment, day, pageSize=page)
        assert report(ended(fulfilment, arn))["checked"] == 16
        pages, events, size = events_and_bytes(fulfilment, arn)
        assert pages >= 16 / page
        assert events == AROUND + A_PAGE * pages
        sizes[pages] = size
    few, more, most = (sizes[pages] for pages in sorted(sizes))
    assert most - more <= 2  # a digit more in a count
    assert more - few <= 2


@pytest.mark.slow
def test_each_seat_that_is_mended_costs_the_same(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 6)
    events = []
    for seats in ((1, 2), (3, 4, 5, 6)):
        stop_halfway(fulfilment, id_, *seats)
        arn = start(fulfilment, day)
        assert report(ended(fulfilment, arn))["repaired"] == len(seats)
        events.append(len(fulfilment.history(arn)))
    assert events == [AROUND + A_PAGE + A_ROUND + A_SEAT * n for n in (2, 4)]


def test_a_seats_outcome_and_its_entry_in_the_state_are_short(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 1)
    stop_halfway(fulfilment, id_, 1)
    arn = start(fulfilment, day)
    ended(fulfilment, arn)
    exited = [e.get("stateExitedEventDetails", {}) for e in fulfilment.history(arn)]
    (repaired,) = [json.loads(e["output"]) for e in exited if e.get("name") == "Repair"]
    assert repaired["outcomes"] == [{"status": "ready"}]
    assert repaired["seats"] == [{"userId": "usr_t", "bookingId": id_, "seatNumber": 1}]
