"""``minitickets book``: publish bookings, as the outbox does."""

from typing import BinaryIO

import click

from operations.commands.shared import connected
from operations.context import Operator
from operations.queues import publish_lines


@click.command(short_help="Publish the bookings of a file.")
@click.argument("file", type=click.File("rb"))
@connected
def book(operator: Operator, file: BinaryIO) -> int:
    """Publish the bookings in FILE: one message body per line, sent as it stands; - is stdin.

    \b
    Examples:
      minitickets book bookings.jsonl
      grep bk_123 bookings.jsonl | minitickets book -
    """
    sent = refused = 0
    sqs, queue = operator.target.client("sqs"), operator.queue("bookings")
    for outcome in publish_lines(sqs, queue, file.read()):
        if outcome is None:
            sent += 1
        else:
            refused += 1
            operator.screen.complain(f"line {outcome.line} refused by SQS: {outcome.reason}")
    if operator.screen.as_json:
        operator.screen.json({"sent": sent, "refused": refused})
    operator.screen.say(f"{sent} sent, {refused} refused.")
    return 1 if refused else 0
