"""``minitickets rerun``: a new execution with the same input."""

import uuid
from datetime import datetime

import click

from execution_history import NEVER_MENDED
from operations.advice import advise
from operations.bookings import Claim, EmailRecord
from operations.commands.shared import connected
from operations.context import Operator
from operations.executions import Described

_EMAIL_KEPT_DAYS = 30


@click.command(short_help="Start a new execution with the same input.")
@click.argument("execution", metavar="BOOKING|NAME|ARN")
@click.option("--yes", is_flag=True, help="Do not ask.")
@connected
def rerun(operator: Operator, execution: str, yes: bool) -> int:
    """Start a new execution with the same input, for what a redrive cannot help.

    That is: it ended more than 14 days ago, its history is full, or the definition was mended.
    Seats that are ready stay as they are; the others are finished with their first token.

    \b
    Examples:
      minitickets rerun bk_123
      minitickets rerun 0f7c2f9e-4b0e-4f0a-9d3e-3f0a7b0f6a11 --yes
    """
    found = operator.find.one(execution)
    for warning in _warnings(operator, found):
        operator.screen.complain(f"Note: {warning}.")
    question = f"Start a new execution of booking {found.booking or '?'}?"
    if not yes and not click.confirm(question, err=True):
        return 1
    arn = operator.executions.start(f"rerun-{uuid.uuid4()}", found.input)
    if operator.screen.as_json:
        operator.screen.json({"executionArn": arn, "rerunOf": found.arn})
    operator.screen.say("Started ", arn)
    operator.screen.say("Next: ", operator.command(f"minitickets show {arn.rpartition(':')[2]}"))
    return 0


def _warnings(operator: Operator, found: Described) -> list[str]:
    now = operator.now()
    advice = advise(found, None, now, found.name)
    warnings = []
    if advice.redrive:
        warnings.append(
            f"a redrive may do, and repeats less: {operator.command(advice.next or '')}"
        )
    elif found.error in NEVER_MENDED or found.status in ("SUCCEEDED", "RUNNING"):
        warnings.append(advice.why)
    if found.booking:
        claim, email = (
            operator.bookings.claim(found.booking),
            operator.bookings.email(found.booking),
        )
        doubled = _second_email(claim, email, now)
        if doubled:
            warnings.append(doubled)
    return warnings


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
