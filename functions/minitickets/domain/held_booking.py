"""What one booking's records say to its holder: only what is true.

A record counts if owner, booking, seat, image key and facts agree with its key and with the
booking's other records. One that does not is shown as a seat that is being created, as is a seat
without a record.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from minitickets.domain.booking import image_key, ticket_id
from minitickets.domain.local_time import InvalidTimeError, event_date
from minitickets.domain.seats import CREATING, READY

MAX_SEATS = 500  # of a booking, as its message is accepted
_LONGEST_START = 64  # characters, likewise

BOOKING_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_TICKET_ID = re.compile(rf"(?P<booking>{BOOKING_ID.pattern})-(?P<seat>[0-9]{{5}})")

Record = Mapping[str, Any]
"""A record's attributes that are texts or whole numbers; ``ticketId`` is always there."""


class Facts(NamedTuple):
    event_id: str
    quantity: int
    event_name: str
    venue: str | None
    starts_at: str
    time_zone: str | None


class Seat(NamedTuple):
    ticket_id: str
    seat_number: int
    status: str


class HeldBooking(NamedTuple):
    """``whole``: no other page has records of it."""

    booking_id: str
    facts: Facts
    seats: list[Seat]
    whole: bool

    @property
    def status(self) -> str:
        """``ready`` needs every seat, and that no other page can speak against it."""
        ready = sum(seat.status == READY for seat in self.seats)
        return READY if self.whole and ready == self.facts.quantity else CREATING


class Reading(NamedTuple):
    """A record as its key names it. ``facts`` is None where they cannot be read."""

    ticket_id: str
    booking_id: str
    seat_number: int
    facts: Facts | None
    status: str | None


def sound_seats(readings: Sequence[Reading], facts: Facts | None) -> dict[int, str]:
    """The statuses of the seats whose records count, by seat number."""
    return {r.seat_number: r.status for r in readings if r.status and r.facts == facts}


def hold(
    booking_id: str, facts: Facts, seat_numbers: range, statuses: Mapping[int, str], whole: bool
) -> HeldBooking:
    """The booking with these of its seats."""
    seats = [
        Seat(ticket_id(booking_id, number), number, statuses.get(number, CREATING))
        for number in seat_numbers
    ]
    return HeldBooking(booking_id, facts, seats, whole)


def common_facts(readings: Sequence[Reading]) -> Facts | None:
    """Those of most records that count; else of most that can be read; None if none can."""
    counting = [reading.facts for reading in readings if reading.status and reading.facts]
    found = counting or [reading.facts for reading in readings if reading.facts]
    return Counter(found).most_common(1)[0][0] if found else None


def read(record: Record, user_id: str) -> Reading | None:
    """``status`` is None unless all it says agrees with its key; None for a key of no seat."""
    found = _TICKET_ID.fullmatch(record["ticketId"])
    if not found or not 1 <= int(found["seat"]) <= MAX_SEATS:
        return None
    booking_id, seat = found["booking"], int(found["seat"])
    facts = read_facts(record)
    agrees = facts is not None and (
        record.get("userId") == user_id
        and record.get("bookingId") == booking_id
        and record.get("seatNumber") == seat
        and seat <= facts.quantity
        and record.get("imageKey") == image_key(booking_id, seat)
        and record.get("status") in (CREATING, READY)
    )
    return Reading(
        record["ticketId"], booking_id, seat, facts, record["status"] if agrees else None
    )


def read_facts(record: Record) -> Facts | None:
    """The facts, if each has its type and range."""
    quantity = record.get("quantity")
    texts: list[Any] = [record.get(name) for name in ("eventId", "eventName", "startsAt")]
    optional: list[Any] = [record.get(name) for name in ("venue", "timeZone")]
    if not (
        all(isinstance(text, str) and text for text in texts)
        and all(text is None or isinstance(text, str) for text in optional)
        and type(quantity) is int  # True is an int
        and 1 <= quantity <= MAX_SEATS
        and len(texts[2]) <= _LONGEST_START
    ):
        return None
    (event_id, event_name, starts_at), (venue, time_zone) = texts, optional
    try:
        event_date(starts_at, time_zone)
    except InvalidTimeError:
        return None
    return Facts(event_id, quantity, event_name, venue, starts_at, time_zone)
