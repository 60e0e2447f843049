"""A booking's identity: claimed once, before any seat, and for ever."""

from typing import NamedTuple, Protocol

from minitickets.domain.booking import Booking
from minitickets.errors import BookingConflict


class Claim(NamedTuple):
    identity: str
    booking: Booking


class Claims(Protocol):
    def claim(self, booking: Booking, identity: str, execution: str, now: str) -> Claim | None:
        """Claim the booking unless it is claimed; then return the claim that stands."""


def accept(claims: Claims, booking: Booking, identity: str, execution: str, now: str) -> Booking:
    """The facts every seat and the email will carry: those of the first message.

    A later message with the same identity but other names, venue or zone gets the stored ones, so
    that all seats of a booking agree.
    """
    found = claims.claim(booking, identity, execution, now)
    if found is None:
        return booking
    if found.identity != identity:
        raise BookingConflict(
            f"booking {booking.booking_id} is known with another owner, event, start or quantity; "
            "nothing was changed"
        )
    return found.booking
