"""A run stays within a standard execution's 25,000 events and 256 KiB of state.

https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html. How many events a page and
a seat cost is counted on the local stack: tests/workflow/test_reconcile_bounds.py.
"""

import json
import re
from pathlib import Path

from minitickets.domain.reconcile_plan import MOST_A_PAGE, MOST_DAYS, MOST_REPAIRS, make_plan
from minitickets.domain.reconcile_progress import Refusal
from minitickets.domain.reconciliation import MOST_PAGES, add_page, begin, count_outcomes
from minitickets.domain.ticket_check import Checked, Counts, Seat

PROJECT = Path(__file__).parents[2]
EVENTS = 25_000
STATE = 256 * 1024
AROUND = 7  # ExecutionStarted and ExecutionSucceeded, and Report's five
A_PAGE = 7  # a Task's five, a Choice's two
A_SEAT = 12  # two Tasks' ten, and the iteration's begin and end
A_FAILED_SEAT = 33  # nine attempts of three, in, out, the Pass's two and the iteration's two
A_ROUND = 8  # per date with repairs: the Map's four, the Pass's two, the Choice's two
TICKETS = 100_000
DAILY = make_plan({}, "2026-11-30T03:00:00Z", horizon_days=400, allow_missing=10)


def long_seat(number: int) -> Seat:
    """With the longest ids that a booking may have."""
    return {"userId": "u" * 64, "bookingId": "b" * 64, "seatNumber": number % 500 + 1}


def events(seat: int) -> int:
    """Of a run over every date, 100,000 tickets on one of them, and 500 repairs on as many."""
    pages = TICKETS // MOST_A_PAGE + DAILY.days
    rounds = min(DAILY.days, MOST_REPAIRS)
    return AROUND + pages * A_PAGE + rounds * A_ROUND + MOST_REPAIRS * seat


def test_100_000_tickets_on_one_date_and_500_repairs_leave_events_to_spare():
    assert EVENTS - events(A_SEAT) > 10_000  # as many as 3,300 retries
    assert events(A_FAILED_SEAT) < EVENTS


def test_a_run_of_every_page_leaves_events_to_read_each_again_that_lacked_too_much():
    rounds = min(MOST_DAYS, MOST_REPAIRS)
    mended = rounds * A_ROUND + MOST_REPAIRS * A_SEAT
    assert AROUND + 2 * MOST_PAGES * A_PAGE + mended < EVENTS


def test_the_state_of_a_date_of_100_000_stays_below_256_kib_on_every_page():
    progress = begin(DAILY)
    sizes = []
    for number in range(TICKETS // MOST_A_PAGE):
        found = [long_seat(number * 20 + seat) for seat in range(20)]
        counts = Counts(checked=MOST_A_PAGE, ready=MOST_A_PAGE - 20, stale=20)
        cursor = {"eventDate": "2026-12-24", "eventDateKey": "e" * 135, "userId": "u" * 64}
        turn = add_page(progress, DAILY, Checked(counts, found), cursor)
        progress = turn.progress
        sizes.append(len(json.dumps(progress.to_json())))
    assert len(progress.found) == MOST_REPAIRS
    assert max(sizes) < STATE / 2
    assert sizes[-1] - sizes[100] < 10  # digits


def largest_state() -> int:
    """In bytes, behind the Map: 500 seats, how each of them failed, and no date without damage."""
    failed = "Lambda.TooManyRequestsException"
    seats = [long_seat(number) for number in range(MOST_REPAIRS)]
    outcomes = [
        {name: seat[name] for name in ("bookingId", "seatNumber")} | {"failed": failed}
        for seat in seats
    ]
    progress = count_outcomes(begin(DAILY), outcomes)  # with those failures that it keeps
    progress = progress._replace(refused=(Refusal("2026-12-24", 99_999, 100_000, 1),) * MOST_DAYS)
    state = {
        "next": "repair", "then": "check", "seats": seats, "outcomes": outcomes,
        "plan": DAILY.to_json(), "progress": progress.to_json(),
    }  # fmt: skip
    return len(json.dumps(state))


def test_the_state_holds_every_seat_and_every_outcome_together():
    assert largest_state() < STATE


def test_the_readmes_limits_are_these():
    text = re.sub(r"\s+", " ", (PROJECT / "README.md").read_text(encoding="utf-8"))
    assert f"{A_PAGE} events a page, {A_SEAT} a seat that is mended, {A_ROUND} a date" in text
    assert f"{DAILY.days} dates, 100,000 tickets on one of them and {MOST_REPAIRS} repairs" in text
    assert f"up to {events(A_SEAT):,} of 25,000 events" in text
    assert f"at most {-(-largest_state() // 1024)} of 256 KiB" in text
