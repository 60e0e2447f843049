"""``minitickets my-tickets``: what a customer sees of their tickets."""

import click
from rich.text import Text

from minitickets.domain.local_time import local_start
from operations.commands.shared import connected
from operations.context import Operator
from operations.holders import HeldBooking, Holders, ready
from operations.screen import text

_MOST_NAMED = 8
_LOOKS = {"ready": "green", "creating": "cyan"}


@click.command("my-tickets", short_help="What a customer sees of their bookings and tickets.")
@click.argument("user")
@connected
def my_tickets(operator: Operator, user: str) -> int:
    """Show USER's bookings as My tickets shows them to that user, by the same code.

    A ticket is shown once its record and image agree; until then its seat is being created. With
    --json each ticket that is ready has its link, which opens it for ten minutes: treat it as the
    ticket itself. On AWS this needs lambda:InvokeFunction on the function my-tickets.

    \b
    Examples:
      minitickets my-tickets usr_123
      minitickets my-tickets usr_123 --json
    """
    screen = operator.screen
    with screen.busy(f"Asking for the tickets of {user} …"):
        bookings = [held for page in Holders(operator.target).pages(user) for held in page.bookings]
    if screen.as_json:
        screen.json({"user": user, "bookings": bookings})
    elif bookings:
        columns = ["booking", "event", "starts", "ready", "status", "being created"]
        screen.table(columns, [_row(held) for held in bookings])
    else:
        screen.say(f"{user} has no tickets in {operator.target.where}.")
    return 0


def _row(held: HeldBooking) -> list[Text]:
    starts = local_start(held["startsAt"], held["timeZone"])
    status = held["status"]
    return [
        text(held["bookingId"]),
        text(", ".join(filter(None, (held["eventName"], held["venue"])))),
        text(f"{starts.date_text}, {starts.time_text}"),
        text(f"{ready(held)} of {held['quantity']}"),
        text(status, _LOOKS[status]),
        text(_seats_being_created(held)),
    ]


def _seats_being_created(held: HeldBooking) -> str:
    seats = [str(t["seatNumber"]) for t in held["tickets"] if t["status"] != "ready"]
    if not seats:
        return ""
    more = f" and {len(seats) - _MOST_NAMED} more" if len(seats) > _MOST_NAMED else ""
    return f"seat{'s' if seats[1:] else ''} {', '.join(seats[:_MOST_NAMED])}{more}"
