"""A new execution with the same input: whether it can help, and what to know before."""

import uuid
from dataclasses import replace
from datetime import datetime

from execution_history import NEVER_MENDED
from execution_status import OPEN
from operations.advice import advise
from operations.bookings import Bookings, Claim, EmailRecord
from operations.executions import Described, Executions

_EMAIL_KEPT_DAYS = 30


def start_again(executions: Executions, execution: Described) -> str:
    """Start it on its own machine; return the new execution's ARN."""
    machine = execution.arn.rpartition(":")[0].replace(":execution:", ":stateMachine:", 1)
    return replace(executions, machine=machine).start(f"rerun-{uuid.uuid4()}", execution.input)


def hindrance(execution: Described) -> str | None:
    """Why a rerun cannot help; None if it can."""
    if execution.status in OPEN:
        return "it is still running"
    if execution.status == "SUCCEEDED":
        return "it succeeded, so nothing is left to do"
    if execution.error in NEVER_MENDED:
        return f"a rerun has the same message, so it fails with {execution.error} again"
    return None


def warnings(bookings: Bookings, execution: Described, now: datetime) -> list[str]:
    """What a person should know before, a sentence each without its full stop."""
    if execution.booking is None:
        return []
    doubled = _second_email(
        bookings.claim(execution.booking), bookings.email(execution.booking), now
    )
    repeats = advise(execution, None, now, execution.name).redrive
    return [
        *(["a redrive may be enough, and repeats less"] if repeats else []),
        *([doubled] if doubled else []),
    ]


def _second_email(claim: Claim | None, email: EmailRecord | None, now: datetime) -> str | None:
    """A warning if the record that keeps the email from being sent twice has run out."""
    if email is not None:
        if email.holds(now) or email.status != "done":
            return None
        return "the record of the email has expired, so the customer gets the email once more"
    if claim is None or claim.accepted_at is None:
        return None
    days = (now - claim.accepted_at).days
    if days < _EMAIL_KEPT_DAYS:
        return None
    return (
        f"the booking was accepted {days} days ago, and a record of its email would have expired "
        "by now: if the email was sent, the customer gets it once more"
    )
