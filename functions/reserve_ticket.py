"""Creating: reserve one seat under an identity and a token that it keeps for ever."""

import base64
import secrets
from typing import Any

from minitickets.adapters.tickets_table import TicketsTable
from minitickets.clock import utc_now
from minitickets.domain.booking import Booking
from minitickets.domain.seats import READY, reserve
from minitickets.observability import count, logger, step
from minitickets.settings import required

TICKETS = TicketsTable.connect(required("TICKETS_TABLE"))


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """``{"booking": facts, "seatNumber", "execution"}`` → ``{"seatNumber", "status"}``."""
    booking = Booking.from_json(event["booking"])
    ticket = reserve(TICKETS, booking, event["seatNumber"], utc_now(), new_token)
    if ticket.status == READY:
        count("TicketsSkipped")
    logger.info("seat reserved", status=ticket.status)
    return {"seatNumber": ticket.seat_number, "status": ticket.status}


def new_token() -> str:
    """128 random bits in base32: 26 characters, no padding."""
    return base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=")
