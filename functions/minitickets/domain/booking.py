"""A booking as every step knows it, and the ids that follow from it.

All ids derive from the booking and the seat number alone, so that whatever runs twice, or at once,
arrives at the same record and the same image.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

_OPTIONAL = ("venue", "timeZone")


class Booking(NamedTuple):
    """The accepted facts; between steps, a JSON object with the same names in camelCase.

    ``starts_at`` is RFC 3339 with an offset; ``time_zone`` is an IANA name, or None for the offset
    of ``starts_at``; ``venue`` may be None.
    """

    booking_id: str
    user_id: str
    event_id: str
    quantity: int
    event_name: str
    venue: str | None
    starts_at: str
    time_zone: str | None

    def to_json(self) -> dict[str, Any]:
        return {_camel(name): value for name, value in self._asdict().items()}

    @classmethod
    def from_json(cls, facts: Mapping[str, Any]) -> Self:
        """Read the object :meth:`to_json` writes; names it does not know are ignored.

        Raises KeyError with the name of a fact that is not there.
        """
        names = {name: _camel(name) for name in cls._fields}
        optional = dict.fromkeys(_OPTIONAL)
        return cls(**{name: {**optional, **facts}[camel] for name, camel in names.items()})


def ticket_id(booking_id: str, seat_number: int) -> str:
    """``<bookingId>-<seat, 5 digits>``: the suffix has one length, so no two seats share an id."""
    return f"{booking_id}-{seat_number:05d}"


def image_key(booking_id: str, seat_number: int) -> str:
    return f"tickets/{booking_id}/{ticket_id(booking_id, seat_number)}.png"


def qr_payload(ticket: str, token: str) -> str:
    """What a gate scans. The token is secret: it goes into the table and the PNG only."""
    return f"MT1.{ticket}.{token}"


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
