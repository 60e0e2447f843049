"""Ready: mark a seat whose image is stored."""

from typing import Any

from minitickets.adapters.tickets_table import TicketsTable
from minitickets.clock import utc_now
from minitickets.domain.seats import READY, TicketRef, mark_ready
from minitickets.observability import count, logger, step
from minitickets.settings import required

TICKETS = TicketsTable.connect(required("TICKETS_TABLE"))


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """Mark the record drawn.

    ``{"userId", "bookingId", "seatNumber", "createdAt", "execution"}`` →
    ``{"seatNumber", "status"}``.
    """
    ref = TicketRef(event["userId"], event["bookingId"], event["seatNumber"], event["createdAt"])
    mark_ready(TICKETS, ref, utc_now())
    count("TicketsReady")
    logger.info("ticket ready")
    return {"seatNumber": ref.seat_number, "status": READY}
