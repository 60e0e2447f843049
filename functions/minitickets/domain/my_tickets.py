"""What a holder is shown of one page of their records: only what is true.

A page is what one Query of the user's own partition gave, in the order of ticket ids. A record
counts if owner, booking, seat, image key and facts agree with its key and with the booking's other
records. One that does not is shown as a seat that is being created, as is a seat without a record.

Whole bookings: a page that is not the last ends before the first booking of which more records
may follow, so the next page has that booking whole. Which bookings these are follows from the keys
alone. Ids may nest (seats of ``a-00001`` lie between seats 1 and 2 of ``a``), and 500 seats with
the longest names are more than the megabyte of a Query. Where such a booking fills a page by itself
it is shown in parts: each has the seats between the page's ends, and none of the parts is ready.

Order: the newest event first, within the page. Pages follow the table's order.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from minitickets.domain.booking import image_key, ticket_id
from minitickets.domain.local_time import InvalidTimeError, event_date, instant
from minitickets.domain.seats import CREATING, READY

MAX_SEATS = 500  # of a booking, as its message is accepted
MOST_SEATS = 5000  # on a page: a booking lists all its seats, however few records it has

_TICKET_ID = re.compile(r"(?P<booking>[A-Za-z0-9][A-Za-z0-9_-]{0,63})-(?P<seat>[0-9]{5})")
_AFTER_EVERY_ID = "\U0010ffff"

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
    booking_id: str
    facts: Facts
    seats: list[Seat]

    @property
    def status(self) -> str:
        """``ready`` needs every seat, so a part of a booking never is."""
        ready = sum(seat.status == READY for seat in self.seats)
        return READY if ready == self.facts.quantity else CREATING


class HolderPage(NamedTuple):
    """``ends_at`` is the ticket id after which the next page begins; None on the last page.

    ``unreadable`` are the ids of the records that do not count.
    """

    bookings: list[HeldBooking]
    ends_at: str | None
    unreadable: list[str]


class _Reading(NamedTuple):
    """A record as its key names it. ``facts`` is None where they cannot be read."""

    ticket_id: str
    booking_id: str
    seat_number: int
    facts: Facts | None
    status: str | None


def show_page(user_id: str, after: str, records: Sequence[Record], more: bool) -> HolderPage:
    """``after`` is where the Query began, ``""`` at the start; ``more``: it left something."""
    keys = [record["ticketId"] for record in records]
    kept = _whole(keys) if more else len(keys)
    covered = (after, keys[-1] if more and keys else _AFTER_EVERY_ID)
    page = HolderPage([], keys[kept - 1] if more and keys else None, [])
    readings = []
    for record in records[:kept]:
        reading = _read(record, user_id)
        if reading:
            readings.append(reading)
        else:
            page.unreadable.append(record["ticketId"])
    readings.sort(key=lambda reading: reading.booking_id)  # stable: seats stay in order
    listed = 0
    for booking_id, seats in groupby(readings, key=lambda reading: reading.booking_id):
        held = _hold(booking_id, list(seats), covered, page.unreadable)
        if held and held.seats:
            page.bookings.append(held)
            listed += len(held.seats)
        if listed > MOST_SEATS:
            # As if the Query had been shorter.
            return show_page(user_id, after, records[: len(records) // 2], more=True)
    page.bookings.sort(key=lambda held: _start(held.facts), reverse=True)  # stable: then by id
    return page


def _whole(keys: Sequence[str]) -> int:
    """How many records to keep, so that no booking is cut; all, if the first would be."""
    for count, key in enumerate(keys):
        found = _TICKET_ID.fullmatch(key)
        if found and keys[-1] < ticket_id(found["booking"], MAX_SEATS):
            return count or len(keys)
    return len(keys)


def _hold(
    booking_id: str, readings: list[_Reading], covered: tuple[str, str], unreadable: list[str]
) -> HeldBooking | None:
    """None where not even facts can be read: there is nothing to show."""
    facts = _common_facts(readings)
    sound = {r.seat_number: r.status for r in readings if r.status and r.facts == facts}
    unreadable.extend(r.ticket_id for r in readings if r.seat_number not in sound)
    if facts is None:
        return None
    after, until = covered
    seats = [
        Seat(key, number, sound.get(number) or CREATING)
        for number in range(1, facts.quantity + 1)
        if after < (key := ticket_id(booking_id, number)) <= until
    ]
    return HeldBooking(booking_id, facts, seats)


def _common_facts(readings: list[_Reading]) -> Facts | None:
    """Those of most records that count; else of most that can be read; None if none can."""
    counting = [reading.facts for reading in readings if reading.status and reading.facts]
    found = counting or [reading.facts for reading in readings if reading.facts]
    return Counter(found).most_common(1)[0][0] if found else None


def _read(record: Record, user_id: str) -> _Reading | None:
    """``status`` is None unless all the record says agrees with its key; None for a foreign key."""
    found = _TICKET_ID.fullmatch(record["ticketId"])
    if not found:
        return None
    booking_id, seat = found["booking"], int(found["seat"])
    facts = _facts(record)
    agrees = facts is not None and (
        record.get("userId") == user_id
        and record.get("bookingId") == booking_id
        and record.get("seatNumber") == seat
        and 1 <= seat <= facts.quantity
        and record.get("imageKey") == image_key(booking_id, seat)
        and record.get("status") in (CREATING, READY)
    )
    return _Reading(
        record["ticketId"], booking_id, seat, facts, record["status"] if agrees else None
    )


def _facts(record: Record) -> Facts | None:
    """The facts, if each has its type and range."""
    quantity = record.get("quantity")
    texts: list[Any] = [record.get(name) for name in ("eventId", "eventName", "startsAt")]
    optional: list[Any] = [record.get(name) for name in ("venue", "timeZone")]
    if not (
        all(isinstance(text, str) and text for text in texts)
        and all(text is None or isinstance(text, str) for text in optional)
        and isinstance(quantity, int)
        and 1 <= quantity <= MAX_SEATS
    ):
        return None
    (event_id, event_name, starts_at), (venue, time_zone) = texts, optional
    try:
        event_date(starts_at, time_zone)
    except InvalidTimeError:
        return None
    return Facts(event_id, quantity, event_name, venue, starts_at, time_zone)


def _start(facts: Facts) -> str:
    """The instant as a text whose order is that of time, whatever its fraction of a second."""
    return instant(facts.starts_at).removesuffix("Z")
