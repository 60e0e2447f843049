"""GET /tickets: the signed-in user's bookings, a page of them."""

import re
from typing import Any

from minitickets.adapters.image_bucket import ImageBucket
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.booking import image_key
from minitickets.domain.held_booking import HeldBooking, Seat
from minitickets.domain.image_name import content_disposition
from minitickets.domain.my_tickets import show_page
from minitickets.domain.page_position import (
    InvalidPositionError,
    Position,
    read_position,
    write_position,
)
from minitickets.domain.seats import READY
from minitickets.http_answer import answer, refuse
from minitickets.observability import count, endpoint, logger
from minitickets.settings import required

# No state machine tries again for whoever waits here, and an answer may be a megabyte: two attempts
# of so many seconds fit into the function's timeout.
TICKETS = TicketsTable.connect(required("TICKETS_TABLE"), read_seconds=8)
IMAGES = ImageBucket.connect(required("TICKETS_BUCKET"))
# More than a booking has seats, so that a page holds a whole one. The answer stays below Lambda's
# 6 MB: a seat takes 4 KB at most, nearly all of it its link.
RECORDS_A_PAGE = 1000
LINK_SECONDS = 600
# No booking is accepted for any other user.
_USER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


@endpoint
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """An event of API Gateway's, payload version 2.0, whose JWT names the user → its answer.

    200 ``{"bookings": […], "next"?}``; 400 for a ``next`` that is not this user's; 403 for a token
    without a user. What is asked is always the caller's own, so nothing tells who else exists.
    """
    user_id = signed_in_user(event)
    if not user_id:
        return refuse(403, "Forbidden", "The token names no user: it has no sub.")
    if not _USER_ID.fullmatch(user_id):
        return answer({"bookings": []})
    asked = (event.get("queryStringParameters") or {}).get("next")
    try:
        begin = Position() if asked is None else read_position(asked, user_id)
    except InvalidPositionError as error:
        return refuse(400, "InvalidParameter", f"The parameter next {error}. Begin without it.")
    return answer(page(user_id, begin))


def signed_in_user(event: dict[str, Any]) -> str:
    """``sub`` as it stands in the token; empty where there is none."""
    authorizer = event.get("requestContext", {}).get("authorizer") or {}
    user_id = authorizer.get("jwt", {}).get("claims", {}).get("sub", "")
    return user_id if isinstance(user_id, str) else ""


def page(user_id: str, begin: Position) -> dict[str, Any]:
    records, more = TICKETS.page_of(user_id, begin.after, RECORDS_A_PAGE)
    shown = show_page(user_id, begin, records, more)
    if shown.unreadable:
        count("TicketsUnreadable", len(shown.unreadable))
        logger.warning("tickets unreadable", tickets=shown.unreadable)
    logger.info("tickets listed", bookings=len(shown.bookings), records=len(records))
    content: dict[str, Any] = {"bookings": [booking_json(held) for held in shown.bookings]}
    if shown.next:
        content["next"] = write_position(shown.next, user_id)
    return content


def booking_json(held: HeldBooking) -> dict[str, Any]:
    return {
        "bookingId": held.booking_id,
        "eventName": held.facts.event_name,
        "venue": held.facts.venue,
        "startsAt": held.facts.starts_at,
        "timeZone": held.facts.time_zone,
        "quantity": held.facts.quantity,
        "status": held.status,
        "tickets": [ticket_json(held, seat) for seat in held.seats],
    }


def ticket_json(held: HeldBooking, seat: Seat) -> dict[str, Any]:
    ticket = {
        "ticketId": seat.ticket_id,
        "seatNumber": seat.seat_number,
        "status": seat.status,
    }
    if seat.status == READY:
        name = content_disposition(seat.ticket_id, seat.seat_number, held.facts.event_name)
        key = image_key(held.booking_id, seat.seat_number)
        ticket["imageUrl"] = IMAGES.link(key, name, LINK_SECONDS)
    return ticket
