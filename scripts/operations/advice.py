"""Whether a redrive can help, why not, and what to type next."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from execution_history import NEVER_MENDED
from execution_status import OPEN, UNSUCCESSFUL
from operations.executions import Described

FULL_HISTORY = 24_999
REDRIVABLE_FOR = timedelta(days=14)
_PUBLISH_ANEW = "correct it where it comes from and publish it again"
_MEANINGS = {
    "InvalidBooking": f"the message breaks its rules, so a redrive fails again: {_PUBLISH_ANEW}",
    "BookingConflict": (
        "the booking is known with another owner, event, start or quantity, so a redrive fails "
        f"again: if the message is wrong, {_PUBLISH_ANEW}"
    ),
    "TicketConflict": (
        "the seat's record belongs to something else: a redrive helps only after that is mended"
    ),
    "TicketMissing": (
        "the seat's record was removed meanwhile: a redrive cannot bring it back, a rerun reserves "
        "the seat anew"
    ),
    "EmailRejected": (
        "SES refuses the email: if the address is wrong, publish the booking again with the right "
        "one; if the account or sender was blocked and is not any more, a redrive helps"
    ),
    "EmailThrottled": "SES refused for its rate or daily quota: redrive when there is room again",
    "InvalidOptions": "its input asks for what there is not, so a redrive fails again",
    "ImagesUnreadable": (
        "S3 did not say which images are there: give check_tickets its permissions, then redrive"
    ),
    "TooManyMissing": (
        "once the images are back, or the bucket is the right one, a redrive helps; if they are to "
        "be drawn anew, start minitickets reconcile with --from, --to and --allow-missing instead"
    ),
}


@dataclass(frozen=True)
class Advice:
    """``redrive``: whether one can help. ``next`` is a command, None when there is none to type."""

    redrive: bool
    why: str
    next: str | None = None


def advise(execution: Described, events: int | None, now: datetime, name: str) -> Advice:
    """``events`` is the history's length, None if it was not read; ``name`` is what to type."""
    if execution.status in OPEN:
        return Advice(False, "it is still running", f"minitickets show {name}")
    if execution.status not in UNSUCCESSFUL:
        return Advice(False, "it succeeded")
    if execution.error in NEVER_MENDED:
        return Advice(False, _MEANINGS[str(execution.error)], "minitickets book FILE")
    if execution.error == "InvalidOptions":
        return Advice(False, _MEANINGS["InvalidOptions"], "minitickets reconcile")
    hindrance = _hindrance(execution, events, now)
    if hindrance:
        return Advice(False, hindrance, f"minitickets rerun {name}")
    if execution.error == "TicketMissing":
        return Advice(False, _MEANINGS["TicketMissing"], f"minitickets rerun {name}")
    goes_on = "it goes on where it stopped, and what had finished is not run again"
    meaning = _MEANINGS.get(execution.error or "", goes_on)
    return Advice(True, meaning, f"minitickets redrive {name}")


def _hindrance(execution: Described, events: int | None, now: datetime) -> str | None:
    """AWS's word, where it has one; its documented limits otherwise.

    https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html
    """
    if execution.redrivable is False:
        return f"AWS cannot redrive it: {execution.reason or 'it gives no reason'}"
    if execution.stopped_at and now - execution.stopped_at > REDRIVABLE_FOR:
        return "it ended more than 14 days ago, and a redrive is possible for 14"
    if events is not None and events >= FULL_HISTORY:
        return f"its history is full: {events:,} events of 25,000"
    return None
