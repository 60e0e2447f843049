"""G1 to G3: one identity a seat, no mark before its image, and no work on what is ready.

Real workers race and fail here; expected codes come from a reader independent of the writer.
"""

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.booking import Booking
from minitickets.domain.seats import reserve
from workflow.aws_calls import AwsCall, aws_calls
from workflow.harness import PATIENCE, booking, statuses
from workflow.tools import (
    break_step,
    everything,
    image_is_the_tickets,
    invoke,
    mend,
    object_keys,
    ticket_at,
    tokens,
)

RACERS = 4


def at_once(work, count=RACERS):
    """The results of ``work(n)``, all started at one moment."""
    barrier = threading.Barrier(count)

    def racer(number):
        barrier.wait(PATIENCE)
        return work(number)

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(racer, range(count)))


def facts(message):
    return {name: value for name, value in message.items() if name not in ("type", "email")}


def seat_event(message, seat):
    return {
        "userId": message["userId"],
        "bookingId": message["bookingId"],
        "seatNumber": seat,
        "execution": "arn:by-hand",
    }


# ---- G1 ------------------------------------------------------------------------------------------


def test_g1_real_workers_racing_on_one_seat_agree_on_one_token(fulfilment):
    message = booking(quantity=8)
    id_ = message["bookingId"]

    def issue(seat):
        reserved = invoke(
            fulfilment,
            "Creating",
            {"booking": facts(message), "seatNumber": seat, "execution": "arn:by-hand"},
        )
        invoke(fulfilment, "Written", seat_event(message, seat))
        return reserved

    with aws_calls() as calls:
        for seat in range(1, 9):
            replies = at_once(lambda _, seat=seat: issue(seat))
            assert replies == [{"seatNumber": seat, "status": "creating"}] * RACERS
            key = f"{id_}-{seat:05d}"
            reservations = [call.status for call in calls.of("PutItem", key)]
            assert sorted(reservations) == [200, *[400] * (RACERS - 1)]
            images = {call.request for call in calls.of("PutObject", key)}
            assert len(images) == 1
    tickets = fulfilment.tickets(id_)
    assert sorted(tickets) == list(range(1, 9))
    assert len(set(tokens(fulfilment, id_).values())) == 8
    assert all(image_is_the_tickets(fulfilment, ticket) for ticket in tickets.values())


def test_g1_of_two_hundred_races_for_a_record_each_has_one_winner_whom_all_follow(fulfilment):
    table = TicketsTable(
        fulfilment.stack.client("dynamodb"), fulfilment.stack.output("TicketsTableName")
    )
    message = booking(quantity=200)
    wanted = Booking.from_json(facts(message))
    now = datetime.now(UTC)

    def race(seat):
        barrier = threading.Barrier(2)

        def racer(letter):
            barrier.wait(PATIENCE)
            return reserve(table, wanted, seat, now, lambda: letter * 26).token

        return list(threads.map(racer, "AB"))

    with ThreadPoolExecutor(2) as threads:
        outcomes = {seat: race(seat) for seat in range(1, 201)}
    stored = tokens(fulfilment, message["bookingId"])
    assert {seat: set(seen) for seat, seen in outcomes.items()} == {
        seat: {token} for seat, token in stored.items()
    }
    assert len(stored) == 200
    assert len(Counter(stored.values())) > 1, "the same racer always won: it was no race"


# ---- G2 ------------------------------------------------------------------------------------------


def test_g2_no_seat_is_marked_ready_before_its_image_decodes_to_the_stored_token(fulfilment):
    """Looked at whenever a mark arrives, ahead of it, while steps die and lose their replies."""
    messages = [booking() for _ in range(7)]
    for message, (state, kind) in zip(
        messages,
        [(s, k) for s in ("Written", "Ready") for k in ("error", "lost-reply", "crash")],
        strict=False,
    ):
        break_step(fulfilment, message["bookingId"], state, kind)
    ids = {message["bookingId"] for message in messages}
    marked: list[tuple[str, bool]] = []

    def look(call: AwsCall) -> None:
        if call.operation == "UpdateItem" and call.subject.rpartition("-")[0] in ids:
            ticket = ticket_at(fulfilment, call.fields["Key"])
            stored = ticket["imageKey"] in object_keys(fulfilment, ticket["bookingId"])
            marked.append((call.subject, stored and image_is_the_tickets(fulfilment, ticket)))

    with aws_calls(before=look) as calls:
        executions = fulfilment.fulfil(*messages)
    assert set(statuses(executions)) == {"SUCCEEDED"}
    assert {subject for subject, _ in marked} == {f"{id_}-0000{n}" for id_ in ids for n in (1, 2)}
    assert all(stored for _, stored in marked)
    for subject, _ in marked:
        written = calls.of("PutObject", f"{subject}.png")
        assert min(call.ended for call in written) < calls.of("UpdateItem", subject)[0].began


# ---- G3 ------------------------------------------------------------------------------------------


def test_g3_a_second_run_of_a_ready_booking_skips_every_seat_without_a_call_to_s3(fulfilment):
    message = booking(quantity=3)
    fulfilment.fulfil(message)
    before = everything(fulfilment, message["bookingId"])
    with aws_calls() as calls:
        _, second = fulfilment.fulfil(message)
    assert second["status"] == "SUCCEEDED"
    assert json.loads(second["output"]) == {
        "tickets": {"ready": 3},
        "bookingId": message["bookingId"],
        "email": "already-sent",
    }
    assert calls.of("PutItem", f"{message['bookingId']}-")
    assert calls.of("PutObject", message["bookingId"]) == []
    assert calls.of("UpdateItem", message["bookingId"]) == []
    entered = {
        event["stateEnteredEventDetails"]["name"]
        for event in fulfilment.history(second["executionArn"])
        if "stateEnteredEventDetails" in event
    }
    assert not {"Written", "Ready"} & entered
    assert everything(fulfilment, message["bookingId"]) == before


def test_g3_a_later_run_finishes_a_creating_seat_at_the_same_key_with_the_same_token(fulfilment):
    message = booking(quantity=3)
    id_ = message["bookingId"]
    break_step(fulfilment, id_, "Written", "error", None, seat=2)
    (first,) = fulfilment.fulfil(message)
    assert first["status"] == "FAILED"
    half_done = fulfilment.tickets(id_)
    assert {n: t["status"] for n, t in half_done.items()} == {
        1: "ready",
        2: "creating",
        3: "ready",
    }
    mend(fulfilment, id_)
    with aws_calls() as calls:
        _, second = fulfilment.fulfil(message)
    assert second["status"] == "SUCCEEDED"
    assert [call.subject for call in calls.of("PutObject", id_)] == [half_done[2]["imageKey"]]
    done = fulfilment.tickets(id_)
    assert done[2] == half_done[2] | {"status": "ready", "readyAt": done[2]["readyAt"]}
    assert (done[1], done[3]) == (half_done[1], half_done[3])
    assert image_is_the_tickets(fulfilment, done[2])


def test_g3_a_second_write_gives_the_same_bytes_and_keeps_the_mark(fulfilment):
    message = booking(quantity=1)
    fulfilment.fulfil(message)
    (before,) = fulfilment.tickets(message["bookingId"]).values()
    image = fulfilment.image(before["imageKey"])
    with aws_calls() as calls:
        written = invoke(fulfilment, "Written", seat_event(message, 1))
        invoke(fulfilment, "Ready", seat_event(message, 1) | written)
    # First only if there is none yet, then over the very image that was found there.
    assert [c.status for c in calls.of("PutObject", message["bookingId"])] == [412, 200]
    assert fulfilment.image(before["imageKey"]) == image
    assert fulfilment.tickets(message["bookingId"]) == {1: before}
