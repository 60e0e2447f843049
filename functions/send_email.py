"""SendEmail: send the booking's one confirmation under a lease, unless it was sent before."""

from datetime import timedelta
from typing import Any

from minitickets.adapters.jobs_table import JobsTable
from minitickets.adapters.mailer import Mailer
from minitickets.clock import utc_now
from minitickets.domain.booking import Booking
from minitickets.domain.confirmation import write_confirmation
from minitickets.domain.email_job import SENT, Owner, send_once
from minitickets.errors import EmailRejected, EmailThrottled
from minitickets.observability import count, logger, step
from minitickets.settings import required, required_seconds

JOBS = JobsTable.connect(required("PROCESSED_JOBS_TABLE"))
MAILER = Mailer.connect(required("EMAIL_FROM"), required("EMAIL_CONFIGURATION_SET"))
LEASE = timedelta(seconds=required_seconds("EMAIL_LEASE_SECONDS"))
MY_TICKETS_URL = required("MY_TICKETS_URL")


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """Send, or find it sent.

    ``{"booking": facts, "email", "execution", "redriveCount"}`` →
    ``{"email": "sent" | "already-sent", "messageId"}``; the id is null when it was sent before.
    """
    booking = Booking.from_json(event["booking"])
    confirmation = write_confirmation(booking, MY_TICKETS_URL)
    try:
        outcome = send_once(
            JOBS,
            booking.booking_id,
            owner=Owner(event["execution"], event.get("redriveCount", 0)),
            lease=LEASE,
            clock=utc_now,
            send=lambda: MAILER.send(event["email"], booking.booking_id, confirmation),
        )
    except (EmailRejected, EmailThrottled) as refusal:
        count("EmailsRejected" if isinstance(refusal, EmailRejected) else "EmailsThrottled")
        raise
    count("EmailsSent" if outcome.email == SENT else "EmailsSkipped")
    logger.info("email", outcome=outcome.email)
    return {"email": outcome.email, "messageId": outcome.message_id}
