"""The smoke test: one booking through the deployed stage, its email to SES's simulator.

https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
"""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from execution_status import OPEN
from local_stack.publish import publish
from minitickets.domain.email_job import DONE
from operations.context import Operator

RECIPIENT = "success@simulator.amazonses.com"
USER = "smoke-test"
_PAUSE = 1
_SECONDS = 180


@dataclass(frozen=True)
class Outcome:
    """``trouble`` is None if the ticket is ready and the email sent."""

    booking: str
    trouble: str | None


def smoke_test(
    operator: Operator,
    queue: str,
    sleep: Callable[[float], None] = time.sleep,
    seconds: int = _SECONDS,
) -> Outcome:
    """Publish one booking to the queue of that URL and wait for its ticket and its email."""
    booking = f"smoke-{operator.now():%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    body = json.dumps(message(booking, operator.now()))
    publish(operator.target.client("sqs"), queue, body.encode())
    for _ in range(seconds // _PAUSE):
        ended, trouble = _look(operator, booking)
        if ended:
            return Outcome(booking, trouble)
        sleep(_PAUSE)
    _, trouble = _look(operator, booking)
    return Outcome(booking, f"{trouble or 'it has not ended'}, {seconds} s after its publication")


def message(booking: str, now: datetime) -> dict[str, object]:
    """A booking of one seat, as the outbox would publish it."""
    return {
        "type": "booking.confirmed",
        "bookingId": booking,
        "userId": USER,
        "email": RECIPIENT,
        "eventId": USER,
        "eventName": "Smoke test of a deployment",
        "startsAt": (now + timedelta(days=1)).isoformat(timespec="seconds"),
        "quantity": 1,
    }


def _look(operator: Operator, booking: str) -> tuple[bool, str | None]:
    """Whether it has ended, and what is wrong with it so far."""
    claim = operator.bookings.claim(booking)
    if claim is None:
        return False, "no execution has accepted it"
    execution = operator.executions.describe(claim.execution_arn)
    if execution.status in OPEN:
        return False, f"its execution is {execution.status}"
    if execution.status != "SUCCEEDED":
        return True, f"its execution ended {execution.status}: {execution.error}"
    email = operator.bookings.email(booking)
    if operator.bookings.seats_ready(booking, USER) != 1:
        return True, "its execution SUCCEEDED, and its ticket is not ready"
    if email is None or email.status != DONE:
        return True, "its execution SUCCEEDED, and its email is not recorded as sent"
    return True, None
