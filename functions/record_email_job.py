"""RecordEmailJob: remember for 30 days that the booking's email was sent.

A step of its own, so that retrying the record never sends again.
"""

from typing import Any

from minitickets.adapters.jobs_table import JobsTable
from minitickets.clock import utc_now
from minitickets.domain.email_job import SENT, record_sent
from minitickets.observability import logger, step
from minitickets.settings import required

JOBS = JobsTable.connect(required("PROCESSED_JOBS_TABLE"))


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """``{"bookingId", "email", "messageId", "execution"}`` → ``{"bookingId", "email"}``."""
    if event["email"] == SENT:
        record_sent(JOBS, event["bookingId"], event["execution"], event["messageId"], utc_now())
    logger.info("email recorded", outcome=event["email"])
    return {"bookingId": event["bookingId"], "email": event["email"]}
