"""A run stays within a standard execution's 25,000 events and 256 KiB of state.

https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html. How many events a page and
a seat cost is counted on the local stack: tests/workflow/test_reconcile_bounds.py.
"""

import json

from minitickets.domain.reconcile_plan import MOST_A_PAGE, MOST_REPAIRS, make_plan
from minitickets.domain.reconciliation import add_page, begin, count_outcomes
from minitickets.domain.ticket_check import Checked, Counts, Seat

EVENTS = 25_000
STATE = 256 * 1024
A_PAGE = 7  # a Task's five, a Choice's two
A_SEAT = 12  # two Tasks' ten, and the iteration's begin and end
A_FAILED_SEAT = 33  # nine attempts of three, in, out, the Pass's two and the iteration's two
A_ROUND = 8  # per date with repairs: the Map's four, the Pass's two, the Choice's two
TICKETS = 100_000
DAILY = make_plan({}, "2026-11-30T03:00:00Z", horizon_days=400, allow_missing=10)


def long_seat(number: int) -> Seat:
    """With the longest ids that a booking may have."""
    return {"userId": "u" * 64, "bookingId": "b" * 64, "seatNumber": number % 500 + 1}


def test_100_000_tickets_on_one_date_and_500_repairs_leave_events_to_spare():
    pages = TICKETS // MOST_A_PAGE + DAILY.days
    rounds = min(DAILY.days, MOST_REPAIRS)
    least = pages * A_PAGE + rounds * A_ROUND + MOST_REPAIRS * A_SEAT
    assert EVENTS - least > 10_000  # as many as 3,300 retries
    all_fail = pages * A_PAGE + rounds * A_ROUND + MOST_REPAIRS * A_FAILED_SEAT
    assert all_fail < EVENTS


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


def test_the_state_holds_every_seat_and_every_outcome_together():
    failed = "Lambda.TooManyRequestsException"
    seats = [long_seat(number) for number in range(MOST_REPAIRS)]
    outcomes = [{**seat, "failed": failed} for seat in seats]
    for outcome in outcomes:
        del outcome["userId"]
    progress = count_outcomes(begin(DAILY), outcomes)
    state = {"seats": seats, "outcomes": outcomes, "progress": progress.to_json()}
    assert len(json.dumps(state)) < STATE
