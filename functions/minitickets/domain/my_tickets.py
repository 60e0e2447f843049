"""What a holder is shown of one page of their records.

A page is what one Query of the user's own partition gave, in the order of ticket ids. Over all
pages each booking that has a readable record is listed with every seat once, whatever records are
missing and wherever a page ends.

Whole bookings: a page ends where it cuts the fewest bookings. Where a booking may go on follows
from the keys alone. So a booking comes whole unless a page cannot hold its records, and those of
the bookings whose ids nest in it: seats of ``a-00001`` lie between seats 1 and 2 of ``a``, and 500
seats with the longest names are more than the megabyte of a Query.

Parts: a booking that is cut is listed up to its last record, and the next page's position carries
it along with its facts. Its quantity stays that of its first part, so that the parts make one
booking: a later record that has another quantity does not count. Whichever page passes its last
possible key lists the rest, records or not. A booking that is cut is never ready, not even in one
part that has all its seats: what the next page holds may speak against it.

Order: the newest event first, within the page. Pages follow the table's order.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minitickets.domain.booking import ticket_id
from minitickets.domain.held_booking import (
    MAX_SEATS,
    Facts,
    HeldBooking,
    Reading,
    Record,
    common_facts,
    hold,
    read,
    sound_seats,
)
from minitickets.domain.local_time import instant
from minitickets.domain.page_position import CutBooking, Position

# Of the bookings that begin on a page: each lists all its seats, however few records it has.
MOST_SEATS = 5000
_FROM_CONTROL_ON = re.compile(r"[\x00-\x1f].*", re.DOTALL)


class HolderPage(NamedTuple):
    """``next`` is where the next page begins; None on the last page.

    ``unreadable`` are the ids of the records that do not count.
    """

    bookings: list[HeldBooking]
    next: Position | None
    unreadable: list[str]


def show_page(user_id: str, begin: Position, records: Sequence[Record], more: bool) -> HolderPage:
    """``begin`` is where the Query began; ``more``: it left something.

    Without records there is nothing more: a Query without a filter gives all that it reads.
    """
    keys = [record["ticketId"] for record in records]
    readings = [read(record, user_id) for record in records]
    end = _end(keys, readings, more, begin.cut)
    page = HolderPage(
        [], None, [key for key, r in zip(keys[:end], readings, strict=False) if not r]
    )
    kept = _by_booking(readings[:end])
    before = {cut.booking_id: cut for cut in begin.cut}
    after, goes_on = keys[end - 1] if end else "", []
    for booking_id in sorted(before.keys() | kept.keys()):
        own, cut = kept.get(booking_id, []), before.get(booking_id)
        # Not the other facts: the position may have shortened the names.
        found = common_facts(
            [r for r in own if not cut or (r.facts and r.facts.quantity == cut.facts.quantity)]
        )
        statuses = sound_seats(own, found)
        page.unreadable.extend(r.ticket_id for r in own if r.seat_number not in statuses)
        last_key = ticket_id(booking_id, MAX_SEATS)
        ends = not _passes(last_key, keys, end, more)
        if ends and end < len(keys):
            # Past what this page has listed, so that a record that is made meanwhile under one of
            # these keys does not begin the booking anew.
            after = max(after, last_key)
        facts = found or (cut.facts if cut else None)
        if facts is None:
            continue  # not even facts can be read: there is nothing to show
        listed = cut.listed if cut else 0
        last = facts.quantity if ends else min(facts.quantity, _last_seat(own))
        whole = ends and not cut
        held = hold(booking_id, facts, range(listed + 1, last + 1), statuses, whole)
        if held.seats:
            page.bookings.append(held)
        if not ends:
            goes_on.append(CutBooking(booking_id, max(listed, last), facts))
    page.bookings.sort(key=lambda held: _start(held.facts), reverse=True)  # stable: then by id
    if end < len(keys) or (more and keys):
        return page._replace(next=Position(_without_control(after), tuple(goes_on)))
    return page


def _without_control(key: str) -> str:
    """Where to begin behind a key, as a position may say it.

    A space comes right behind the control characters, so this goes past other keys that have one
    at this place, of which none is a ticket's.
    """
    return _FROM_CONTROL_ON.sub(" ", key)


def _end(
    keys: Sequence[str],
    readings: Sequence[Reading | None],
    more: bool,
    cut: Iterable[CutBooking],
) -> int:
    """How many records to keep: as many as go without cutting a booking that need not be.

    The bookings over one end are nested in each other, so the end with the fewest is the one that
    cuts none but those that begin the page, or began before it, and do not end on it.
    """
    quantities = {
        booking_id: facts.quantity
        for booking_id, own in _by_booking(readings).items()
        if (facts := common_facts(own))
    }
    begun = {booking.booking_id for booking in cut}
    over = [ticket_id(booking_id, MAX_SEATS) for booking_id in begun]
    best, fewest, seats = 0, len(keys) + len(over), 0
    for end, reading in enumerate(readings, start=1):
        if reading and reading.booking_id not in begun:
            begun.add(reading.booking_id)
            over.append(ticket_id(reading.booking_id, MAX_SEATS))
            seats += quantities.get(reading.booking_id, 0)
        if seats > MOST_SEATS:
            break
        over = [last_key for last_key in over if _passes(last_key, keys, end, more)]
        if len(over) <= fewest:
            best, fewest = end, len(over)
    return best


def _passes(last_key: str, keys: Sequence[str], end: int, more: bool) -> bool:
    """Whether a booking with this last key can have records behind so many of the page's."""
    if end < len(keys):
        return keys[end] <= last_key
    return more and bool(keys) and keys[-1] < last_key


def _by_booking(readings: Iterable[Reading | None]) -> dict[str, list[Reading]]:
    found: dict[str, list[Reading]] = {}
    for reading in readings:
        if reading:
            found.setdefault(reading.booking_id, []).append(reading)
    return found


def _last_seat(readings: Sequence[Reading]) -> int:
    return max((reading.seat_number for reading in readings), default=0)


def _start(facts: Facts) -> str:
    """The instant as a text whose order is that of time, whatever its fraction of a second."""
    return instant(facts.starts_at).removesuffix("Z")
