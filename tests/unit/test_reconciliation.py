"""The bookkeeping of a reconciliation, page by page, without AWS."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from minitickets.clock import iso
from minitickets.domain.reconcile_plan import MOST_DAYS, MOST_REPAIRS, Plan, make_plan
from minitickets.domain.reconcile_progress import Progress
from minitickets.domain.reconciliation import (
    CHECK,
    CHECK_AGAIN,
    MOST_ASIDE,
    MOST_PAGES,
    MOST_SPARED,
    REPORT,
    add_page,
    ask,
    begin,
    count_outcomes,
    report,
    set_aside,
)
from minitickets.domain.ticket_check import Checked, Counts, check_page
from minitickets.errors import InvalidOptions, TooManyMissing

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
STARTED = "2026-11-30T03:00:00.123Z"
PLAN = Plan("2026-12-01", "2026-12-03", allow_missing=10)
CURSOR = {"userId": "usr", "ticketId": "bk_1-00001"}


def seat(number: int = 1) -> dict[str, str | int]:
    return {"userId": "usr", "bookingId": "bk_1", "seatNumber": number}


def record(number: int = 1, status: str = "ready", age: timedelta = timedelta(hours=1), **changes):
    return seat(number) | {"status": status, "createdAt": iso(NOW - age)} | changes


def page(ready: int = 100, stale: int = 0, missing: int = 0) -> Checked:
    counts = Counts(checked=ready + stale, ready=ready, stale=stale, missing=missing)
    return Checked(counts, [seat(number) for number in range(1, stale + missing + 1)])


# ---- What is broken


def test_a_ticket_creating_for_more_than_15_minutes_is_found_and_a_younger_one_left_alone():
    ages = {1: timedelta(minutes=14, seconds=59), 2: timedelta(minutes=15, seconds=1)}
    records = [record(number, "creating", age) for number, age in ages.items()]
    checked = check_page(records, lambda keys: [], NOW)
    assert checked.found == [seat(2)]
    assert checked.counts == Counts(checked=2, young=1, stale=1)


def test_a_ready_ticket_is_found_when_no_object_lies_under_its_key():
    asked = []

    def missing(keys):
        asked.extend(keys)
        return ["tickets/bk_1/bk_1-00002.png"]

    records = [record(1), record(2), record(3, "creating", timedelta())]
    checked = check_page(records, missing, NOW)
    assert asked == ["tickets/bk_1/bk_1-00001.png", "tickets/bk_1/bk_1-00002.png"]
    assert checked.found == [seat(2)]
    assert checked.counts == Counts(checked=3, ready=2, young=1, missing=1)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "sold"},
        {"seatNumber": "7"},
        {"userId": 7},
        {"createdAt": None},
        {"bookingId": "b" * 65},
        {"bookingId": "../.."},
        {"bookingId": "bk_1\n"},
        {"userId": "u" * 2048},
    ],
)
def test_what_something_else_wrote_into_the_table_is_counted_and_does_not_stop_its_date(changes):
    checked = check_page([record(1, **changes), record(2)], list, NOW)
    assert checked.counts == Counts(checked=2, ready=1, missing=1, unreadable=1)
    assert checked.found == [seat(2)]


# ---- What may be asked for


def test_a_daily_run_goes_from_yesterday_to_the_horizon():
    plan = make_plan({}, STARTED, horizon_days=400, allow_missing=10)
    assert (plan.first, plan.last) == ("2026-11-29", "2028-01-03")
    assert plan == Plan("2026-11-29", "2028-01-03", 10, 500, 500, dry_run=False)


def test_everything_can_be_asked_for():
    asked = {"from": "2026-12-24", "to": "2026-12-31", "allowMissing": 100, "mostRepairs": 3,
             "pageSize": 7, "dryRun": True}  # fmt: skip
    plan = make_plan(asked, STARTED, 400, 10)
    assert plan == Plan("2026-12-24", "2026-12-31", 100, 3, 7, dry_run=True)
    assert make_plan({"horizonDays": 0}, STARTED, 400, 10).days == 1


@pytest.mark.parametrize(
    "options",
    [
        {"dryrun": True},
        {"dryRun": 1},
        {"from": "yesterday"},
        {"from": "20261224"},
        {"from": "2026-12-24", "to": "2026-12-23"},
        {"to": "2026-12-24", "horizonDays": 3},
        {"horizonDays": MOST_DAYS},
        {"from": "9999-12-31"},
        {"from": "9999-12-31", "to": "9999-12-31"},
        {"from": None},
        {"mostRepairs": MOST_REPAIRS + 1},
        {"allowMissing": 101},
        {"allowMissing": True},
        {"pageSize": 0},
        {"progress": {}},
        {"plan": {}, "progress": {}},
        [],
        "x",
        "progress",
        5,
        True,
        None,
    ],
)
def test_what_there_is_not_is_refused_by_name_so_that_no_dry_run_becomes_a_real_one(options):
    with pytest.raises(InvalidOptions):
        make_plan(options, STARTED, 400, 10)


# ---- Which page comes next


def test_a_dates_seats_are_handed_over_with_its_last_page_and_not_before():
    first = add_page(begin(PLAN), PLAN, page(missing=2), CURSOR)
    assert (first.then, first.seats, first.progress.cursor) == (CHECK, (), CURSOR)
    last = add_page(first.progress, PLAN, page(missing=1), None)
    assert [len(last.seats), last.then, last.progress.date] == [3, CHECK, "2026-12-02"]
    assert last.progress.found == ()


ONE_DATE = PLAN._replace(last=PLAN.first)


def ends_with(checked: Checked) -> str:
    """What the run of one date says when that is all there is."""
    turn = add_page(begin(ONE_DATE), ONE_DATE, checked, None)
    assert (turn.then, turn.seats) == (CHECK_AGAIN, ())
    with pytest.raises(TooManyMissing) as stopped:
        ask(turn.progress, ONE_DATE, 0)
    return str(stopped.value)


def test_exactly_the_allowed_share_is_mended_and_one_more_stops_the_date():
    assert len(add_page(begin(PLAN), PLAN, page(100, missing=10), None).seats) == 10
    assert "11 of the 100 images of 2026-12-01 are missing" in ends_with(page(100, missing=11))


@pytest.mark.parametrize("ready", [1, 4, 9])
def test_one_image_alone_is_no_outage_however_few_tickets_a_date_has(ready):
    assert len(add_page(begin(PLAN), PLAN, page(ready, missing=1), None).seats) == 1


def test_two_of_a_few_images_are_an_outage():
    assert "2 of the 4 images" in ends_with(page(4, missing=2))


def test_the_share_is_of_the_tickets_that_are_ready_and_not_of_those_still_creating():
    sold_just_now = Checked(
        Counts(checked=1000, ready=10, young=990, missing=2), [seat(1), seat(2)]
    )
    assert "2 of the 10 images" in ends_with(sold_just_now)


def test_the_share_is_of_all_pages_of_a_date():
    first = add_page(begin(PLAN), PLAN, page(10, missing=10), CURSOR)
    assert len(add_page(first.progress, PLAN, page(90), None).seats) == 10


def test_however_many_dates_lack_too_much_the_others_are_mended_and_the_run_fails_behind_them():
    plan = PLAN._replace(last="2026-12-08")
    progress = begin(plan)
    for _ in range(6):
        turn = add_page(progress, plan, page(4, missing=2), None)
        assert (turn.then, turn.seats) == (CHECK, ())
        progress = turn.progress
    turn = add_page(progress, plan, page(stale=1), None)
    assert (len(turn.seats), turn.progress.date) == (1, "2026-12-08")
    turn = set_aside(turn.progress, plan)  # what failed comes before what asks
    assert (turn.then, turn.progress.date) == (CHECK_AGAIN, "2026-12-08")
    turn = add_page(turn.progress, plan, page(), None)
    assert (turn.then, turn.progress.date) == (CHECK_AGAIN, "2026-12-01")
    with pytest.raises(TooManyMissing) as stopped:
        ask(turn.progress, plan, 0)
    said = str(stopped.value)
    assert "2 of the 4 images of 2026-12-01 are missing" in said
    others = ", ".join(f"2026-12-0{day}" for day in range(2, 7))
    assert f"Too many were missing of {others} as well" in said


def test_a_redrive_reads_every_page_of_such_dates_again_and_asks_about_those_that_are_still_so():
    plan = PLAN._replace(last="2026-12-03")
    turn = add_page(begin(plan), plan, page(), None)
    for _ in range(2):  # both pages of two dates
        turn = add_page(turn.progress, plan, page(4, missing=2), CURSOR)
        turn = add_page(turn.progress, plan, page(4), None)
    asked = turn.progress
    assert (turn.then, asked.date) == (CHECK_AGAIN, "2026-12-02")
    with pytest.raises(TooManyMissing):
        ask(asked, plan, 0)

    ask(asked, plan, 1)  # redriven: the images of the first date are back, and of the second not
    turn = add_page(asked, plan, page(4), CURSOR, 1)
    ask(turn.progress, plan, 1)
    turn = add_page(turn.progress, plan, page(4), None, 1)
    ask(turn.progress, plan, 1)
    turn = add_page(turn.progress, plan, page(4, missing=3), None, 1)
    with pytest.raises(TooManyMissing) as stopped:
        ask(turn.progress, plan, 1)
    assert "3 of the 4 images of 2026-12-03 are missing" in str(stopped.value)
    assert "2026-12-02" not in str(stopped.value)

    ask(turn.progress, plan, 2)
    turn = add_page(turn.progress, plan, page(4), None, 2)
    assert (turn.then, turn.progress.dates, turn.progress.refused) == (REPORT, 3, ())


def test_one_image_each_of_many_small_dates_is_an_outage_after_all():
    plan = PLAN._replace(last="2026-12-31")
    progress, mended = begin(plan), 0
    for _ in range(MOST_SPARED + 1):
        turn = add_page(progress, plan, page(1, missing=1), None)
        progress, mended = turn.progress, mended + len(turn.seats)
    assert mended == MOST_SPARED
    assert [each.date for each in progress.refused] == ["2026-12-11"]


def test_the_dates_that_lack_too_much_are_told_in_one_readable_sentence():
    plan = PLAN._replace(last="2027-12-31")
    turn = add_page(begin(plan), plan, page(4, missing=2), None)
    while turn.then == CHECK:
        turn = add_page(turn.progress, plan, page(4, missing=2), None)
    with pytest.raises(TooManyMissing, match="2026-12-21 and 375 more as well"):
        ask(turn.progress, plan, 0)


def test_a_date_set_aside_forgets_what_it_counted_and_is_checked_again_at_the_end():
    started = add_page(begin(PLAN), PLAN, page(stale=5), CURSOR).progress
    turn = set_aside(started, PLAN)
    left = turn.progress
    assert (turn.then, left.date) == (CHECK, "2026-12-02")
    assert (left.day, left.found, left.cursor) == (Counts(), (), None)
    turn = add_page(turn.progress, PLAN, page(), None)
    turn = add_page(turn.progress, PLAN, page(), None)
    assert (turn.then, turn.progress.date, turn.progress.cursor) == (
        CHECK_AGAIN,
        "2026-12-01",
        None,
    )
    turn = add_page(turn.progress, PLAN, page(stale=1), CURSOR)
    assert turn.then == CHECK_AGAIN
    turn = add_page(turn.progress, PLAN, page(stale=1), None)
    assert (turn.then, len(turn.seats)) == (REPORT, 2)
    assert turn.progress.totals == Counts(checked=402, ready=400, stale=2)


def test_when_many_dates_fail_the_run_stops_at_one_of_them_and_goes_on_once_it_is_mended():
    plan = PLAN._replace(last="2026-12-31")
    progress = begin(plan)
    for _ in range(MOST_ASIDE):
        turn = set_aside(progress, plan)
        progress = turn.progress
    assert (turn.then, progress.date) == (CHECK_AGAIN, "2026-12-01")
    turn = add_page(progress, plan, page(), None)
    assert (turn.then, turn.progress.date) == (CHECK, "2026-12-06")


def test_a_run_repairs_no_more_than_its_budget_and_counts_what_is_left():
    plan = PLAN._replace(most_repairs=5)
    turn = add_page(begin(plan), plan, page(stale=4), None)
    turn = add_page(turn.progress, plan, page(stale=4), None)
    assert len(turn.seats) == 1
    turn = add_page(turn.progress, plan, page(stale=4), None)
    assert (len(turn.seats), turn.then) == (0, REPORT)
    progress = count_outcomes(turn.progress, [{"status": "ready"}] * 5)
    told = report(progress, plan)
    assert (told["stale"], told["repaired"], told["left"], told["failed"]) == (12, 5, 7, 0)


def test_a_dry_run_hands_nothing_over_and_tells_what_it_found():
    plan = PLAN._replace(dry_run=True, last=PLAN.first)
    turn = add_page(begin(plan), plan, page(stale=2, missing=3), None)
    assert (turn.seats, turn.then) == ((), REPORT)
    told = report(turn.progress, plan)
    assert (told["left"], told["repaired"], told["dryRun"]) == (5, 0, True)


def test_a_seat_that_failed_is_told_by_its_error():
    turn = add_page(begin(PLAN), PLAN, page(stale=2), None)
    failure = {"bookingId": "bk_1", "seatNumber": 2, "failed": "TicketMissing"}
    told = report(count_outcomes(turn.progress, [{"status": "ready"}, failure]), PLAN)
    assert (told["repaired"], told["failed"], told["left"]) == (1, 1, 0)
    assert told["failures"] == [failure]


def test_a_run_begins_no_date_after_its_last_page_and_says_how_many_are_left():
    progress = begin(PLAN)._replace(pages=MOST_PAGES - 1)
    turn = add_page(progress, PLAN, page(stale=1), CURSOR)
    assert (turn.then, turn.seats) == (REPORT, ())
    told = report(turn.progress, PLAN)
    assert (told["dates"], told["datesLeft"], told["checked"]) == (0, 3, 0)


def test_what_was_set_aside_is_checked_again_whatever_pages_were_used():
    progress = set_aside(begin(PLAN), PLAN).progress._replace(pages=MOST_PAGES - 1)
    turn = add_page(progress, PLAN, page(), None)
    assert (turn.then, turn.progress.date) == (CHECK_AGAIN, "2026-12-01")
    turn = add_page(turn.progress, PLAN, page(), CURSOR)
    assert turn.then == CHECK_AGAIN


def test_progress_is_the_same_after_its_way_through_the_executions_state():
    progress = add_page(begin(PLAN), PLAN, page(4, missing=2), None).progress
    progress = add_page(progress, PLAN, page(stale=2), CURSOR).progress
    again = Progress.from_json(json.loads(json.dumps(progress.to_json())))
    assert again == progress
    assert Plan.from_json(json.loads(json.dumps(PLAN.to_json()))) == PLAN
