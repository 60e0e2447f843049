"""G8: the failure of one seat, or of the email, lets all others finish, and ends by its own name.

Each failure waits out the grace (10 s here), so all run side by side.
"""

import pytest

from workflow.harness import booking
from workflow.tools import (
    break_step,
    delete_ticket,
    image_is_the_tickets,
    object_keys,
    on_step,
    put,
)

SEATS = 5
FOREIGN_TOKEN = "FOREIGN" + "A" * 19


def broken_always(fulfilment, message):
    break_step(fulfilment, message["bookingId"], "Written", "error", None, seat=2)


def key_is_taken(fulfilment, message):
    put(fulfilment, "TicketsTableName", foreign(message))


def record_goes_ahead_of(state):
    def arrange(fulfilment, message):
        def act(event):
            if event["seatNumber"] == 2:
                id_ = f"{message['bookingId']}-00002"
                delete_ticket(fulfilment, message["userId"], id_)

        on_step(fulfilment, state, message["bookingId"], act)

    return arrange


def record_is_swapped_ahead_of(state):
    def arrange(fulfilment, message):
        def act(event):
            if event["seatNumber"] == 2:
                put(fulfilment, "TicketsTableName", foreign(message))

        on_step(fulfilment, state, message["bookingId"], act)

    return arrange


def record_is_made_anew_ahead_of_the_mark(fulfilment, message):
    def act(event):
        if event["seatNumber"] == 2:
            ours = {"bookingId": message["bookingId"], "createdAt": "2026-01-01T00:00:00.000000Z"}
            put(fulfilment, "TicketsTableName", foreign(message) | ours)

    on_step(fulfilment, "Ready", message["bookingId"], act)


def foreign(message):
    """Seat 2 of another booking, under this booking's key."""
    ticket = f"{message['bookingId']}-00002"
    return {
        **{name: message[name] for name in ("userId", "eventId", "eventName", "startsAt")},
        "ticketId": ticket,
        "bookingId": f"another-than-{message['bookingId']}",
        "seatNumber": 2,
        "quantity": SEATS,
        "eventDate": "2027-03-01",
        "eventDateKey": f"{message['eventId']}#{ticket}",
        "token": FOREIGN_TOKEN,
        "imageKey": f"tickets/{message['bookingId']}/{ticket}.png",
        "status": "creating",
        "createdAt": "2026-11-30T10:00:00.000000Z",
    }


FAILURES = {
    "Written fails always": (broken_always, "InjectedError"),
    "Creating finds another booking's record": (key_is_taken, "TicketConflict"),
    "Written finds no record": (record_goes_ahead_of("Written"), "TicketMissing"),
    "Written finds another booking's record": (
        record_is_swapped_ahead_of("Written"),
        "TicketConflict",
    ),
    "Ready finds no record": (record_goes_ahead_of("Ready"), "TicketMissing"),
    "Ready finds another booking's record": (
        record_is_swapped_ahead_of("Ready"),
        "TicketMissing",
    ),
    "Ready finds the record made anew": (record_is_made_anew_ahead_of_the_mark, "TicketMissing"),
}


@pytest.fixture(scope="module")
def failures(fulfilment):
    """A booking for each failure, and one whose email SES always rejects; all have ended."""
    messages = {name: booking(quantity=SEATS) for name in [*FAILURES, "rejected"]}
    for name, (arrange, _) in FAILURES.items():
        arrange(fulfilment, messages[name])
    break_step(fulfilment, messages["rejected"]["bookingId"], "SendEmail", "ses-reject", None)
    fulfilment.fulfil(*messages.values())
    return messages


@pytest.mark.parametrize("name", FAILURES)
def test_g8_one_seats_failure_lets_the_others_and_the_email_finish(fulfilment, failures, name):
    id_ = failures[name]["bookingId"]
    (execution,) = fulfilment.executions(id_)
    assert (execution["status"], execution["error"]) == ("FAILED", FAILURES[name][1])
    others = {seat: t for seat, t in fulfilment.tickets(id_).items() if seat != 2}
    assert {seat: ticket["status"] for seat, ticket in others.items()} == dict.fromkeys(
        (1, 3, 4, 5), "ready"
    )
    assert all(image_is_the_tickets(fulfilment, ticket) for ticket in others.values())
    assert len(fulfilment.emails(id_)) == 1
    assert fulfilment.job(f"booking.confirmed:{id_}")["status"] == "done"


@pytest.mark.parametrize("name", FAILURES)
def test_g2_a_seat_that_failed_is_not_ready(fulfilment, failures, name):
    seat = fulfilment.tickets(failures[name]["bookingId"]).get(2)
    assert seat is None or seat["status"] == "creating"


def test_g2_a_seat_whose_image_cannot_be_written_stays_creating_without_an_image(
    fulfilment, failures
):
    id_ = failures["Written fails always"]["bookingId"]
    assert fulfilment.tickets(id_)[2]["status"] == "creating"
    assert f"tickets/{id_}/{id_}-00002.png" not in object_keys(fulfilment, id_)


def test_g8_a_rejected_email_lets_every_seat_finish(fulfilment, failures):
    id_ = failures["rejected"]["bookingId"]
    (execution,) = fulfilment.executions(id_)
    assert (execution["status"], execution["error"]) == ("FAILED", "EmailRejected")
    tickets = fulfilment.tickets(id_)
    assert [ticket["status"] for ticket in tickets.values()] == ["ready"] * SEATS
    assert all(image_is_the_tickets(fulfilment, ticket) for ticket in tickets.values())
    assert fulfilment.emails(id_) == []
    assert "kim@example.org" not in execution["cause"]


def test_g8_a_ticket_that_vanished_is_not_brought_back_as_a_ghost(fulfilment, failures):
    for name in ("Written finds no record", "Ready finds no record"):
        assert 2 not in fulfilment.tickets(failures[name]["bookingId"])
