"""``minitickets rerun``: a new execution with the same input."""

import click

from operations.commands.shared import connected
from operations.context import Operator
from operations.executions import Described
from operations.rerunning import hindrance, start_again, warnings


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
    for note in _notes(operator, found):
        operator.screen.complain(f"Note: {note}.")
    of = "this reconciliation" if found.is_reconciliation else f"booking {found.booking or '?'}"
    question = f"Start a new execution of {of}?"
    if not yes and not click.confirm(question, err=True):
        return 1
    arn = start_again(operator.executions, found)
    if operator.screen.as_json:
        operator.screen.json({"executionArn": arn, "rerunOf": found.arn})
    operator.screen.say("Started ", arn)
    operator.screen.say("Next: ", operator.command(f"minitickets show {arn.rpartition(':')[2]}"))
    return 0


def _notes(operator: Operator, found: Described) -> list[str]:
    why_not = hindrance(found)
    notes = [why_not] if why_not else []
    return notes + warnings(operator.bookings, found, operator.now())
