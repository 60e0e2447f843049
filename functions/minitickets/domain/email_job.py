"""The confirmation email as an idempotent consumer: check, lease, send; the record is its own step.

SES has no idempotency token, so "exactly once" cannot be had of it
(https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). What can be had: never
lost, and doubled only when a run dies, or outlives its lease, between SES's acceptance and the
record. Times are epoch seconds.
"""

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from minitickets.clock import iso
from minitickets.errors import EmailInProgress, EmailRejected, EmailThrottled

SENDING = "sending"
DONE = "done"
SENT = "sent"
ALREADY_SENT = "already-sent"
KEPT = timedelta(days=30)


class Owner(NamedTuple):
    """Who holds a lease: one run of an execution, which its ARN and its redrives so far name.

    A redrive is another run: of a stopped execution, the step that was sending may still be at it.
    """

    execution: str
    redrives: int


class EmailJob(NamedTuple):
    """The record under ``booking.confirmed:<bookingId>``."""

    status: str
    owner: Owner
    lease_until: int
    expires_at: int


class EmailJobs(Protocol):
    def read(self, booking_id: str) -> EmailJob | None:
        """The latest record (a consistent read)."""

    def lease(
        self, booking_id: str, owner: Owner, now: int, until: int, expires: int
    ) -> EmailJob | None:
        """Take the lease if it is free, lapsed or the owner's; else return what is in the way."""

    def release(self, booking_id: str, owner: Owner, now: int, expires: int) -> None:
        """Let the owner's lease lapse now."""

    def record_sent(self, sent: "SentEmail", now: int) -> None:
        """Store the record, unless one is done already."""


class SentEmail(NamedTuple):
    booking_id: str
    execution: str
    message_id: str
    completed_at: str
    expires_at: int


class Outcome(NamedTuple):
    email: str
    message_id: str | None = None


def send_once(
    jobs: EmailJobs,
    booking_id: str,
    owner: Owner,
    lease: timedelta,
    clock: Callable[[], datetime],
    send: Callable[[], str],
) -> Outcome:
    """Send unless sent, under a lease. ``send`` returns SES's message id.

    A run that meets its own live lease sends again: it cannot know whether SES accepted the first.
    """
    now = clock()
    job = jobs.read(booking_id)
    if job is None or not _stands_in_the_way(job, owner, now):
        until = now + lease
        job = jobs.lease(booking_id, owner, _floor(now), math.ceil(until.timestamp()), _expiry(now))
        if job is None:
            return _send_under_lease(jobs, booking_id, owner, until, clock, send)
    if job.status == DONE:
        return Outcome(ALREADY_SENT)
    raise EmailInProgress(f"another run is sending the email of booking {booking_id}")


def record_sent(
    jobs: EmailJobs, booking_id: str, execution: str, message_id: str, now: datetime
) -> None:
    """Remember the email. Finding it remembered is success: a lost reply, or another run."""
    sent = SentEmail(booking_id, execution, message_id, iso(now), _expiry(now))
    jobs.record_sent(sent, _floor(now))


def _expiry(now: datetime) -> int:
    return _floor(now + KEPT)


def _send_under_lease(
    jobs: EmailJobs,
    booking_id: str,
    owner: Owner,
    until: datetime,
    clock: Callable[[], datetime],
    send: Callable[[], str],
) -> Outcome:
    if clock() >= until:
        raise EmailInProgress(f"the lease on the email of booking {booking_id} ran out unused")
    try:
        return Outcome(SENT, send())
    except (EmailThrottled, EmailRejected):
        # SES said no, so nothing was sent: another run need not wait for this lease.
        now = clock()
        jobs.release(booking_id, owner, _floor(now), _expiry(now))
        raise


def _stands_in_the_way(job: EmailJob, owner: Owner, now: datetime) -> bool:
    # TTL deletes late (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/TTL.html),
    # so an expired record counts as absent.
    if job.expires_at <= _floor(now):
        return False
    return job.status == DONE or (job.owner != owner and job.lease_until > _floor(now))


def _floor(instant: datetime) -> int:
    return math.floor(instant.timestamp())
