"""Written: draw the reserved ticket and store its PNG.

The record is read here, not handed over, so that its token never enters the execution's data.
"""

from typing import Any

from minitickets.adapters.image_bucket import ImageBucket
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.booking import qr_payload
from minitickets.domain.local_time import local_start
from minitickets.domain.seats import Ticket, read_reserved, write_image
from minitickets.drawing.ticket_image import TicketFace, draw_ticket
from minitickets.observability import logger, step
from minitickets.settings import required

TICKETS = TicketsTable.connect(required("TICKETS_TABLE"))
IMAGES = ImageBucket.connect(required("TICKETS_BUCKET"))


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """Draw the record and store the image.

    ``{"userId", "bookingId", "seatNumber", "execution"}`` → ``{"createdAt"}`` of the record drawn.
    """
    ticket = read_reserved(TICKETS, event["userId"], event["bookingId"], event["seatNumber"])
    image = draw_ticket(face(ticket))
    if image.replaced:
        logger.warning("characters replaced on the ticket", characters=list(image.replaced))
    write_image(TICKETS, IMAGES, ticket, image.png)
    logger.info("image written", bytes=len(image.png))
    return {"createdAt": ticket.created_at}


def face(ticket: Ticket) -> TicketFace:
    booking = ticket.booking
    starts = local_start(booking.starts_at, booking.time_zone)
    return TicketFace(
        event_name=booking.event_name,
        date_text=starts.date_text,
        time_text=starts.time_text,
        venue=booking.venue,
        seat_number=ticket.seat_number,
        quantity=booking.quantity,
        ticket_id=ticket.ticket_id,
        qr_payload=qr_payload(ticket.ticket_id, ticket.token),
    )
