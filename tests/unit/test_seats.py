"""A seat's way, against a table that judges conditions as DynamoDB does."""

from datetime import UTC, datetime, timedelta

import pytest

from fixtures.tables import new_table
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.booking import Booking
from minitickets.domain.seats import TicketRef, mark_ready, read_reserved, reserve
from minitickets.errors import TicketConflict, TicketMissing

NOW = datetime(2026, 11, 30, 10, 0, 0, 5, tzinfo=UTC)
LATER = NOW + timedelta(minutes=7)
CREATED = "2026-11-30T10:00:00.000005Z"
FACTS = {
    "booking_id": "bk_1",
    "user_id": "usr_1",
    "event_id": "evt_1",
    "quantity": 4,
    "event_name": "Gala",
    "venue": None,
    "starts_at": "2026-12-24T23:30:00Z",
    "time_zone": "Europe/Berlin",
}
BOOKING = Booking(**FACTS)
REF = TicketRef("usr_1", "bk_1", 2, CREATED)
TOKEN = "A" * 26


@pytest.fixture
def table():
    with new_table("userId", "ticketId") as table:
        yield table


@pytest.fixture
def tickets(table):
    return TicketsTable(table.client, table.name)


def test_a_reserved_seat_is_the_record_of_the_design(table, tickets):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    assert table.items() == [
        {
            "userId": "usr_1",
            "ticketId": "bk_1-00002",
            "bookingId": "bk_1",
            "seatNumber": 2,
            "quantity": 4,
            "eventId": "evt_1",
            "eventName": "Gala",
            "startsAt": "2026-12-24T23:30:00Z",
            "timeZone": "Europe/Berlin",
            "eventDate": "2026-12-25",  # on the wall in Berlin
            "eventDateKey": "evt_1#bk_1-00002",
            "token": TOKEN,
            "imageKey": "tickets/bk_1/bk_1-00002.png",
            "status": "creating",
            "createdAt": CREATED,
        }
    ]


def test_a_second_reservation_keeps_the_first_token_facts_and_time(table, tickets):
    """A lost reply, an SDK retry, a redrive or a second delivery: each finds its own record."""
    first = reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    before = table.items()
    renamed = BOOKING._replace(event_name="Other", quantity=9)
    second = reserve(tickets, renamed, 2, LATER, lambda: "B" * 26)
    assert second == first
    assert second.token == TOKEN
    assert table.items() == before


def test_a_ready_seat_is_found_ready(table, tickets):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    mark_ready(tickets, REF, LATER)
    assert reserve(tickets, BOOKING, 2, LATER, lambda: "B" * 26).status == "ready"


@pytest.mark.parametrize(
    "foreign", [{"bookingId": "bk_2"}, {"seatNumber": 3}, {"eventId": "evt_2"}]
)
def test_another_bookings_seats_or_events_record_under_the_key_is_a_conflict(
    table, tickets, foreign
):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    table.put(table.item() | foreign)
    before = table.items()
    with pytest.raises(TicketConflict) as caught:
        reserve(tickets, BOOKING, 2, LATER, lambda: "B" * 26)
    assert TOKEN not in str(caught.value)
    assert "bk_1-00002" in str(caught.value)
    assert table.items() == before


@pytest.mark.parametrize("foreign", [{"bookingId": "bk_2"}, {"seatNumber": 3}])
def test_no_image_is_drawn_of_another_bookings_record(table, tickets, foreign):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    table.put(table.item() | foreign)
    with pytest.raises(TicketConflict):
        read_reserved(tickets, "usr_1", "bk_1", 2)


def test_what_is_drawn_is_the_stored_record(table, tickets):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    table.put(table.item() | {"eventName": "As it was stored"})
    ticket = read_reserved(tickets, "usr_1", "bk_1", 2)
    assert (ticket.token, ticket.booking.event_name) == (TOKEN, "As it was stored")


def test_a_record_that_has_gone_is_missing_at_the_write(table, tickets):
    with pytest.raises(TicketMissing, match="bk_1-00002"):
        read_reserved(tickets, "usr_1", "bk_1", 2)


def test_the_mark_sets_status_and_time_and_nothing_else(table, tickets):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    before = table.item()
    mark_ready(tickets, REF, LATER)
    ready = {"status": "ready", "readyAt": "2026-11-30T10:07:00.000005Z"}
    assert table.items() == [before | ready]


def test_a_second_mark_succeeds_and_keeps_the_first_time(table, tickets):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    mark_ready(tickets, REF, LATER)
    before = table.items()
    mark_ready(tickets, REF, LATER + timedelta(hours=1))
    assert table.items() == before


def test_the_mark_of_a_record_that_has_gone_creates_no_ghost(table, tickets):
    with pytest.raises(TicketMissing):
        mark_ready(tickets, REF, LATER)
    assert table.items() == []


@pytest.mark.parametrize(
    "foreign", [{"bookingId": "bk_2"}, {"createdAt": "2026-11-30T10:00:00.000006Z"}]
)
def test_the_mark_of_another_bookings_record_or_one_made_anew_changes_nothing(
    table, tickets, foreign
):
    reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    table.put(table.item() | foreign)
    before = table.items()
    with pytest.raises(TicketMissing):
        mark_ready(tickets, REF, LATER)
    assert table.items() == before


def test_a_ticket_shows_no_token_when_it_is_printed(table, tickets):
    ticket = reserve(tickets, BOOKING, 2, NOW, lambda: TOKEN)
    assert TOKEN not in f"{ticket!r} {ticket} {[ticket]}"
