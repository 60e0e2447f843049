"""``minitickets dead-letters``: messages that the pipe could not turn into executions."""

from collections.abc import Iterator

import click

from operations.commands.shared import connected
from operations.context import Operator
from operations.queues import DeadLetter, DeadLetters
from operations.screen import age, text
from operations.stopping import INTERRUPTED, Interrupt


@click.command("dead-letters", short_help="List messages that started nothing; send them back.")
@click.option("--send-back", is_flag=True, help="Put them into the booking queue again.")
@click.option("--booking", metavar="ID", help="Only this booking's messages.")
@connected
def dead_letters(operator: Operator, send_back: bool, booking: str | None) -> int:
    """List the dead letters: messages whose execution AWS refused to start five times.

    SQS keeps no reason. The pipe's log has it, and the usual ones are a missing permission of the
    pipe's role and a deleted state machine. Looking at a message counts as receiving it.

    \b
    Examples:
      minitickets dead-letters
      minitickets dead-letters --send-back             once the cause is mended
      minitickets dead-letters --send-back --booking bk_123
    """
    letters = DeadLetters(operator.target.client("sqs"), operator.queue("bookings-dead-letters"))
    with Interrupt() as stop:
        hidden = letters.hidden()
        found = list(letters.look())
        wanted = [letter for letter in found if booking in (None, letter.booking)]
        back: list[DeadLetter] = []
        try:
            if send_back:
                queue = operator.queue("bookings")
                for letter in wanted:
                    if stop.requested():
                        break
                    letters.send_back(letter, queue)
                    back.append(letter)
        finally:
            _put_back(letters, found, back)
    _report(operator, wanted, back, hidden, send_back)
    if stop.requested():
        return INTERRUPTED
    return 1 if hidden else 0


def _put_back(letters: DeadLetters, found: list[DeadLetter], gone: list[DeadLetter]) -> None:
    sent = {letter.id for letter in gone}
    for letter in found:
        if letter.id not in sent:
            letters.put_back(letter)


def _report(
    operator: Operator,
    wanted: list[DeadLetter],
    back: list[DeadLetter],
    hidden: int,
    asked: bool,
) -> None:
    screen, pipe = operator.screen, operator.target.named("bookings")
    if screen.as_json:
        listed = list(_rows(operator, wanted))
        screen.json({"deadLetters": listed, "sentBack": len(back), "hidden": hidden})
        return
    if hidden:
        screen.say(
            f"{hidden} more are hidden: someone is looking at them, for two minutes at most."
        )
    if not wanted:
        screen.say(
            "There are no dead letters to be seen." if hidden else "There are no dead letters."
        )
        return
    columns = ["booking", "published", "received", "message"]
    rows = [
        [
            text(letter.booking or "?"),
            text(f"{age(operator.now() - letter.sent_at)} ago" if letter.sent_at else "?"),
            text(letter.received),
            text(letter.id, "dim"),
        ]
        for letter in wanted
    ]
    screen.table(columns, rows)
    if asked:
        left = len(wanted) - len(back)
        screen.say(f"{len(back)} sent back, {left} left. minitickets executions shows them run.")
        return
    screen.say(
        f"Why: SQS keeps no reason. The log of the pipe {pipe} has it: "
        f"/aws/vendedlogs/pipes/{pipe}."
    )
    screen.say("Next: ", operator.command("minitickets dead-letters --send-back"))


def _rows(operator: Operator, letters: list[DeadLetter]) -> Iterator[dict[str, object]]:
    for letter in letters:
        seconds = (operator.now() - letter.sent_at).total_seconds() if letter.sent_at else None
        yield {
            "messageId": letter.id,
            "bookingId": letter.booking,
            "sentAt": letter.sent_at,
            "ageSeconds": seconds,
            "receiveCount": letter.received,
        }
