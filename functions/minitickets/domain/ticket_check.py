"""One page of a date's tickets: which of them a reconciliation has to mend."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, Self

from minitickets.clock import iso
from minitickets.domain.booking import image_key
from minitickets.domain.held_booking import MAX_SEATS
from minitickets.domain.seats import CREATING, READY

# The retries of a seat's three steps wait nine minutes: a younger one may still be finished.
STALE_AFTER = timedelta(minutes=15)

# As a message's are. S3 answers 400 to a key of more than 1,024 bytes, which would fail every page
# with such a record; and the execution's state has room for ids of 64 characters.
_ID = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")

Seat = dict[str, str | int]
"""``{"userId", "bookingId", "seatNumber"}``: what the steps Written and Ready need of a seat."""


class Counts(NamedTuple):
    """``checked`` is all that was read: ``ready`` and ``young`` and ``stale`` and ``unreadable``.

    ``young`` and ``stale`` are ``creating``; ``missing`` are those of ``ready`` without an image.
    """

    checked: int = 0
    ready: int = 0
    young: int = 0
    stale: int = 0
    missing: int = 0
    unreadable: int = 0

    def plus(self, other: Self) -> Self:
        return type(self)(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def found(self) -> int:
        return self.stale + self.missing


class Checked(NamedTuple):
    counts: Counts
    found: list[Seat]


def check_page(
    records: Sequence[Mapping[str, Any]],
    missing_of: Callable[[Collection[str]], Collection[str]],
    now: datetime,
) -> Checked:
    """Sort the records; ``missing_of`` gives those of the keys under which there is no image."""
    sound = [record for record in records if _is_sound(record)]
    ready = {image_key(r["bookingId"], r["seatNumber"]): r for r in sound if r["status"] == READY}
    creating = [r for r in sound if r["status"] == CREATING]
    too_old = iso(now - STALE_AFTER)
    stale = [record for record in creating if record["createdAt"] < too_old]
    missing = [ready[key] for key in missing_of(ready)]
    return Checked(
        Counts(
            checked=len(records),
            ready=len(ready),
            young=len(creating) - len(stale),
            stale=len(stale),
            missing=len(missing),
            unreadable=len(records) - len(sound),
        ),
        [_seat(record) for record in (*stale, *missing)],
    )


def _is_sound(record: Mapping[str, Any]) -> bool:
    """Not so is what something else wrote into the table; one such must not stop its whole date."""
    texts = all(isinstance(record.get(name), str) for name in ("userId", "bookingId", "createdAt"))
    known = record.get("status") in (CREATING, READY)
    seat = record.get("seatNumber")
    counted = isinstance(seat, int) and 1 <= seat <= MAX_SEATS
    return (
        texts
        and known
        and counted
        and all(_ID.fullmatch(record[name]) for name in ("userId", "bookingId"))
    )


def _seat(record: Mapping[str, Any]) -> Seat:
    return {name: record[name] for name in ("userId", "bookingId", "seatNumber")}
