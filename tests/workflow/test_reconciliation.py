"""Reconciliation finds what is broken, mends exactly that, and stops where it must ask.

What was written is counted where it reaches AWS.
"""

import threading
from collections import Counter
from datetime import timedelta

import pytest

from local_stack.lambda_service import Fault, FaultKind
from workflow.aws_calls import aws_calls
from workflow.grants import without
from workflow.harness import PATIENCE, Fulfilment, booking, statuses
from workflow.reconciling import (
    booked,
    change,
    ended,
    give_back,
    lose_images,
    new_date,
    on_check,
    reconcile,
    redrive,
    report,
    start,
    stop_halfway,
    told,
)
from workflow.tools import (
    delete_ticket,
    everything,
    image_is_the_tickets,
    object_keys,
    on_step,
    tokens,
    wait,
)


def test_three_lost_images_of_fifty_and_two_stale_records_are_mended_and_nothing_else(fulfilment):
    day = new_date()
    many, few = booked(fulfilment, day, 50), booked(fulfilment, day, 2)
    before = {id_: (tokens(fulfilment, id_), object_keys(fulfilment, id_)) for id_ in (many, few)}
    lose_images(fulfilment, many, 3, 17, 50)
    stop_halfway(fulfilment, few, 1, 2)
    ready_at = {seat: ticket["readyAt"] for seat, ticket in fulfilment.tickets(many).items()}

    with aws_calls() as calls:
        found = reconcile(fulfilment, day)

    assert told(found) == {
        "dates": 1, "checked": 52, "ready": 50, "stale": 2, "missing": 3, "repaired": 5,
    }  # fmt: skip
    assert Counter(calls.writing()) == {"PutObject": 5, "UpdateItem": 5}
    for id_ in (many, few):
        tickets = fulfilment.tickets(id_)
        assert {ticket["status"] for ticket in tickets.values()} == {"ready"}
        kept_tokens, kept_images = before[id_]
        assert tokens(fulfilment, id_) == kept_tokens
        assert object_keys(fulfilment, id_).keys() == kept_images.keys()
    assert {s: t["readyAt"] for s, t in fulfilment.tickets(many).items()} == ready_at
    mended = [fulfilment.tickets(many)[seat] for seat in (3, 17, 50)]
    for ticket in (*mended, *fulfilment.tickets(few).values()):
        assert image_is_the_tickets(fulfilment, ticket)
    assert told(reconcile(fulfilment, day)) == {"dates": 1, "checked": 52, "ready": 52}


def test_a_dry_run_finds_the_same_and_writes_nothing(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 20)
    lose_images(fulfilment, id_, 7)
    stop_halfway(fulfilment, id_, 8)
    before = everything(fulfilment, id_)
    with aws_calls() as calls:
        found = reconcile(fulfilment, day, dryRun=True)
    assert told(found) == {
        "dates": 1, "checked": 20, "ready": 19, "stale": 1, "missing": 1, "left": 2,
    }  # fmt: skip
    assert calls.writing() == []
    assert everything(fulfilment, id_) == before
    assert reconcile(fulfilment, day)["repaired"] == 2


@pytest.mark.slow
def test_a_ticket_that_was_reserved_a_moment_ago_is_left_to_its_booking(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 2)
    stop_halfway(fulfilment, id_, 1, age=timedelta(minutes=14))
    stop_halfway(fulfilment, id_, 2, age=timedelta(minutes=16))
    found = reconcile(fulfilment, day)
    assert told(found) == {"dates": 1, "checked": 2, "young": 1, "stale": 1, "repaired": 1}
    assert fulfilment.tickets(id_)[1]["status"] == "creating"
    assert len(object_keys(fulfilment, id_)) == 1


@pytest.mark.slow
def test_two_reconciliations_at_once_mend_each_ticket_with_its_one_token(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 20)
    kept = tokens(fulfilment, id_)
    stop_halfway(fulfilment, id_, 1, 2, 3, 4)
    lose_images(fulfilment, id_, 5)
    both_read = threading.Barrier(2)

    def meet(event):
        """Both have read the date before either repairs."""
        if event["seatNumber"] == 1:
            both_read.wait(PATIENCE)

    on_step(fulfilment, "Written", id_, meet)
    for arn in [start(fulfilment, day), start(fulfilment, day)]:
        assert report(ended(fulfilment, arn))["failed"] == 0
    assert tokens(fulfilment, id_) == kept
    tickets = fulfilment.tickets(id_)
    assert {ticket["status"] for ticket in tickets.values()} == {"ready"}
    assert all(image_is_the_tickets(fulfilment, tickets[seat]) for seat in (1, 2, 3, 4, 5))


def test_one_during_a_running_booking_gives_no_second_identity_and_takes_no_ready_back(fulfilment):
    day = new_date()
    message = booking(quantity=1, startsAt=f"{day}T20:00:00+01:00")
    id_, reached, go_on = message["bookingId"], threading.Event(), threading.Event()

    def hold(event):
        if not reached.is_set():
            reached.set()
            wait(go_on)

    on_step(fulfilment, "Written", id_, hold)
    fulfilment.publish(message)
    wait(reached)
    kept = tokens(fulfilment, id_)
    change(fulfilment, id_, 1, "SET createdAt = :old", {":old": "2026-01-01T00:00:00.000000Z"})
    assert reconcile(fulfilment, day)["repaired"] == 1
    by_reconciliation = fulfilment.tickets(id_)[1]
    go_on.set()
    fulfilment.wait_for(lambda: fulfilment.finished(id_) == 1)

    assert statuses(fulfilment.executions(id_)) == ["SUCCEEDED"]
    assert tokens(fulfilment, id_) == kept
    assert fulfilment.tickets(id_)[1] == by_reconciliation
    assert by_reconciliation["status"] == "ready"
    assert image_is_the_tickets(fulfilment, by_reconciliation)


@pytest.mark.parametrize(("state", "images"), [("Written", 0), ("Ready", 1)])
def test_mending_a_ticket_whose_record_has_gone_makes_no_record(fulfilment, state, images):
    day = new_date()
    id_ = booked(fulfilment, day, 2)
    stop_halfway(fulfilment, id_, 1)
    ticket = fulfilment.tickets(id_)[1]

    def cancel(event):
        if event["seatNumber"] == 1:
            delete_ticket(fulfilment, ticket["userId"], ticket["ticketId"])

    on_step(fulfilment, state, id_, cancel)
    found = reconcile(fulfilment, day)
    assert told(found, "repaired") == {
        "dates": 1, "checked": 2, "ready": 1, "stale": 1, "failed": 1, "repaired": 0,
    }  # fmt: skip
    assert found["failures"] == [{"bookingId": id_, "seatNumber": 1, "failed": "TicketMissing"}]
    assert list(fulfilment.tickets(id_)) == [2]
    assert len(object_keys(fulfilment, id_)) == 1 + images


@pytest.mark.slow
def test_where_s3_does_not_say_what_is_missing_nothing_is_rewritten_and_a_redrive_goes_on(
    fulfilment,
):
    day = new_date()
    id_ = booked(fulfilment, day, 20)
    lose_images(fulfilment, id_, 9)
    stop_halfway(fulfilment, id_, 10)
    denied = without(fulfilment, "CheckTicketsRole", "s3:ListBucket")
    with denied, aws_calls() as calls:
        stopped = ended(fulfilment, start(fulfilment, day))
    assert (stopped["status"], stopped["error"]) == ("FAILED", "ImagesUnreadable")
    assert "s3:ListBucket on the bucket minitickets-dev-tickets-" in stopped["cause"]
    assert calls.writing() == []
    assert redrive(fulfilment, stopped["executionArn"])["repaired"] == 2


def test_a_date_of_which_too_much_is_missing_stops_alone_and_goes_on_when_the_images_are_back(
    fulfilment,
):
    bad = new_date()
    good = bad + timedelta(days=1)
    lost, stale = booked(fulfilment, bad, 10), booked(fulfilment, good, 2)
    images = lose_images(fulfilment, lost, 1, 2)
    stop_halfway(fulfilment, stale, 1)
    with aws_calls() as calls:
        stopped = ended(fulfilment, start(fulfilment, bad, days=3, pageSize=4))
    assert (stopped["status"], stopped["error"]) == ("FAILED", "TooManyMissing")
    assert f"2 of the 10 images of {bad} are missing" in stopped["cause"]
    assert Counter(calls.writing()) == {"PutObject": 1, "UpdateItem": 1}
    assert len(object_keys(fulfilment, lost)) == 8
    assert fulfilment.tickets(stale)[1]["status"] == "ready"

    give_back(fulfilment, images)
    assert told(redrive(fulfilment, stopped["executionArn"])) == {
        "dates": 3, "checked": 12, "ready": 11, "stale": 1, "repaired": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_one_lost_image_of_a_small_date_is_mended_and_two_are_asked_about(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 4)
    lose_images(fulfilment, id_, 3)
    assert told(reconcile(fulfilment, day)) == {
        "dates": 1, "checked": 4, "ready": 4, "missing": 1, "repaired": 1,
    }  # fmt: skip
    lose_images(fulfilment, id_, 3, 4)
    stopped = ended(fulfilment, start(fulfilment, day))
    assert (stopped["status"], stopped["error"]) == ("FAILED", "TooManyMissing")
    assert len(object_keys(fulfilment, id_)) == 2


@pytest.mark.slow
def test_six_dates_of_which_too_much_is_missing_do_not_keep_the_seventh_from_being_mended(
    fulfilment,
):
    day = new_date()
    dates = [day + timedelta(days=n) for n in range(7)]
    ids = [booked(fulfilment, date, 2) for date in dates]
    images = {}
    for id_ in ids[:6]:
        images |= lose_images(fulfilment, id_, 1, 2)
    stop_halfway(fulfilment, ids[6], 2)
    stopped = ended(fulfilment, start(fulfilment, day, days=7))
    assert (stopped["status"], stopped["error"]) == ("FAILED", "TooManyMissing")
    assert all(str(date) in stopped["cause"] for date in dates[:6])
    assert str(dates[6]) not in stopped["cause"]
    assert fulfilment.tickets(ids[6])[2]["status"] == "ready"
    assert [len(object_keys(fulfilment, id_)) for id_ in ids] == [0] * 6 + [2]

    give_back(fulfilment, images)
    assert told(redrive(fulfilment, stopped["executionArn"])) == {
        "dates": 7, "checked": 14, "ready": 13, "stale": 1, "repaired": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_who_allows_a_larger_share_gets_all_of_it_drawn_anew(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 4)
    lose_images(fulfilment, id_, 1, 2, 3, 4)
    assert reconcile(fulfilment, day, allowMissing=100)["repaired"] == 4
    assert len(object_keys(fulfilment, id_)) == 4


@pytest.mark.slow
def test_a_run_mends_no_more_than_its_budget_and_the_next_one_does_the_rest(fulfilment):
    day = new_date()
    id_ = booked(fulfilment, day, 3)
    stop_halfway(fulfilment, id_, 1, 2, 3)
    first = reconcile(fulfilment, day, mostRepairs=2)
    assert (first["repaired"], first["left"]) == (2, 1)
    assert len(object_keys(fulfilment, id_)) == 2
    assert told(reconcile(fulfilment, day)) == {
        "dates": 1, "checked": 3, "ready": 2, "stale": 1, "repaired": 1,
    }  # fmt: skip


@pytest.mark.slow
def test_a_page_that_fails_stops_no_other_and_is_counted_once_when_it_is_checked_again(fulfilment):
    day = new_date()
    first = booked(fulfilment, day, 4)
    second = booked(fulfilment, day + timedelta(days=1), 2)
    stop_halfway(fulfilment, first, 1)
    stop_halfway(fulfilment, second, 1)
    broken = Fault("Check", None, FaultKind.ERROR, 9)  # the attempt and its eight retries

    def break_the_second_page(arn):
        on_check(fulfilment, arn, lambda n: n == 1 and fulfilment.stack.faults.add(broken))

    arn = start(fulfilment, day, days=2, before=break_the_second_page, pageSize=2)
    assert told(report(ended(fulfilment, arn))) == {
        "dates": 2, "checked": 6, "ready": 4, "stale": 2, "repaired": 2,
    }  # fmt: skip
    entered = [
        event["stateEnteredEventDetails"]["name"]
        for event in fulfilment.history(arn)
        if "stateEnteredEventDetails" in event
    ]
    order = [name for name in entered if name in ("SetAside", "Repair", "CheckAgain")]
    assert order[:3] == ["SetAside", "Repair", "CheckAgain"]
    assert order[-1] == "Repair"


def test_no_look_at_a_ticket_reads_its_token(fulfilment: Fulfilment):
    day = new_date()
    booked(fulfilment, day, 1)
    with aws_calls() as calls:
        reconcile(fulfilment, day)
    (query,) = calls.of("Query")
    names = query.fields["ExpressionAttributeNames"].values()
    assert set(names) == {"userId", "bookingId", "seatNumber", "status", "createdAt"}
