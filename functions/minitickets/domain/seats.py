"""One seat's way from ``creating`` to ``ready``.

The order is the guarantee: a record with its token first, then the image, then the mark. Whatever
runs twice, or at once, meets the same record under the same key and goes on with its token.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, Protocol

from minitickets.clock import iso
from minitickets.domain.booking import Booking, image_key, ticket_id
from minitickets.domain.local_time import event_date
from minitickets.errors import TicketConflict, TicketMissing

CREATING = "creating"
READY = "ready"


class Ticket(NamedTuple):
    """A record of the tickets table. ``token`` is secret: it is left out of the repr."""

    booking: Booking
    seat_number: int
    token: str
    status: str
    created_at: str

    @property
    def ticket_id(self) -> str:
        return ticket_id(self.booking.booking_id, self.seat_number)

    @property
    def image_key(self) -> str:
        return image_key(self.booking.booking_id, self.seat_number)

    @property
    def event_date(self) -> str:
        return event_date(self.booking.starts_at, self.booking.time_zone)

    @property
    def event_date_key(self) -> str:
        return f"{self.booking.event_id}#{self.ticket_id}"

    def __repr__(self) -> str:
        return f"Ticket({self.ticket_id}, {self.status}, created {self.created_at})"


class Tickets(Protocol):
    """What the seat's steps need of the table."""

    def put_new(self, ticket: Ticket) -> Ticket | None:
        """Store the ticket unless its key is taken; then return the one that holds it."""

    def read(self, user_id: str, ticket_id: str) -> Ticket | None:
        """The latest record, whoever wrote it a moment ago."""

    def mark_ready(self, ticket: "TicketRef", ready_at: str) -> bool:
        """Mark this very record; False when it has gone or was made anew."""


class Images(Protocol):
    """What the seat's steps need of the bucket."""

    def put_new(self, key: str, png: bytes) -> bool:
        """Store the image where there is none; False where there is one."""

    def tag(self, key: str) -> str:
        """What tells the image there from any other."""

    def replace(self, key: str, tag: str, png: bytes) -> None:
        """Put the image over the one with this tag, and over no other."""


class TicketRef(NamedTuple):
    """The record a written image belongs to: one made anew has another ``created_at``.

    It is in microseconds, and a record is deleted between the two: they are not taken to be equal.
    """

    user_id: str
    booking_id: str
    seat_number: int
    created_at: str


def reserve(
    tickets: Tickets,
    booking: Booking,
    seat_number: int,
    now: datetime,
    new_token: Callable[[], str],
) -> Ticket:
    """Reserve the seat, or find it reserved before: by a retry, a redrive or a second delivery."""
    wanted = Ticket(booking, seat_number, new_token(), CREATING, iso(now))
    found = tickets.put_new(wanted)
    if found is None:
        return wanted
    _require_same_seat(found, booking.booking_id, seat_number, booking.event_id)
    return found


def read_reserved(tickets: Tickets, user_id: str, booking_id: str, seat_number: int) -> Ticket:
    """The reserved ticket whose image is to be written."""
    ticket = tickets.read(user_id, ticket_id(booking_id, seat_number))
    if ticket is None:
        raise TicketMissing(f"no record of ticket {ticket_id(booking_id, seat_number)}")
    _require_same_seat(ticket, booking_id, seat_number, ticket.booking.event_id)
    return ticket


def write_image(tickets: Tickets, images: Images, ticket: Ticket, png: bytes) -> None:
    """Store the image at the seat's key.

    An image that is there is written over only while the record drawn is still the seat's: a step
    that was held up, while the record was deleted and reserved anew, would undo a later one's. So
    the record is read again after the image's tag, and the image must still have that tag.
    """
    if images.put_new(ticket.image_key, png):
        return
    tag = images.tag(ticket.image_key)
    now = tickets.read(ticket.booking.user_id, ticket.ticket_id)
    if now is None or now.token != ticket.token:
        raise TicketMissing(
            f"ticket {ticket.ticket_id} has gone, or was made anew while its image was drawn"
        )
    images.replace(ticket.image_key, tag, png)


def mark_ready(tickets: Tickets, ref: TicketRef, now: datetime) -> None:
    """Mark a seat whose image is written. Never creates a record."""
    if not tickets.mark_ready(ref, iso(now)):
        raise TicketMissing(
            f"ticket {ticket_id(ref.booking_id, ref.seat_number)} has gone, or was made anew "
            "since its image was written"
        )


def _require_same_seat(found: Ticket, booking_id: str, seat_number: int, event_id: str) -> None:
    holder = (found.booking.booking_id, found.seat_number, found.booking.event_id)
    if holder != (booking_id, seat_number, event_id):
        raise TicketConflict(
            f"the key of ticket {ticket_id(booking_id, seat_number)} holds seat "
            f"{found.seat_number} of booking {found.booking.booking_id}"
        )
