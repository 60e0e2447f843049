"""AcceptBooking: one SQS message becomes a claimed booking, or is refused by name."""

from typing import Any

from minitickets.adapters.jobs_table import JobsTable
from minitickets.clock import iso, utc_now
from minitickets.domain.claim import accept
from minitickets.domain.message import read_message
from minitickets.errors import BookingError, InvalidBooking
from minitickets.observability import count, identify, logger, step
from minitickets.settings import required

JOBS = JobsTable.connect(required("PROCESSED_JOBS_TABLE"))


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """``{"records": [SQS record], "execution"}`` → ``{"booking": facts, "email"}``."""
    try:
        message = read_message(event["records"])
        identify(bookingId=message.booking.booking_id)
        booking = accept(
            JOBS, message.booking, message.identity, event["execution"], iso(utc_now())
        )
    except BookingError as error:
        if isinstance(error, InvalidBooking):
            identify(bookingId=error.booking_id)
        count("BookingsRejected")
        raise
    logger.info("booking accepted", quantity=booking.quantity)
    return {"booking": booking.to_json(), "email": message.email}
