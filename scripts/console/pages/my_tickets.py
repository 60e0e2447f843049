"""``/my-tickets``: what a holder sees, live."""

from itertools import islice
from urllib.parse import urlencode

from nicegui import ui

from console.context import Console
from console.frame import frame, live
from console.images import path_of
from console.marks import Mark
from console.parts import button, heading, style
from console.tables import LiveTable, Row, cell, marked
from console.words import many
from minitickets.domain.local_time import local_start
from operations.holders import HeldBooking, Holders, ready

_PATH = "/my-tickets"
_MARKS = {
    "ready": Mark("succeeded", "✓", "ready"),
    "creating": Mark("running", "●", "creating"),
}
_BOOKINGS = [
    ("booking", "Booking"),
    ("event", "Event"),
    ("starts", "Starts"),
    ("ready", "Tickets ready"),
    ("status", "Status"),
]
_TICKETS = [("seat", "Seat"), ("status", "Status"), ("ticket", "Ticket")]
Found = tuple[list[HeldBooking], bool]


def register(console: Console) -> None:
    @ui.page(_PATH)
    def page(user: str = "") -> None:
        with frame(console, _PATH, "My tickets"):
            style()
            heading("My tickets")
            _show_field(user.strip())
            if user.strip():
                _Holder(console, user.strip())
            else:
                ui.label("Give a user id to see what that customer sees.").classes("empty")


def _show_field(user: str) -> None:
    with ui.element("div").classes("filters finder").props('role="search"'):
        field = ui.input("User id", value=user).props("outlined dense maxlength=200")

        def find() -> None:
            ui.navigate.to(f"{_PATH}?{urlencode({'user': (field.value or '').strip()})}")

        field.on("keydown.enter", find)
        button("Show").on_click(find)


class _Holder:
    """The bookings of one user, and the tickets of the one that is picked, at first the first."""

    def __init__(self, console: Console, user: str) -> None:
        self._holders = Holders(console.operator.target)
        self._user = user
        self._pages = 1
        self._picked = ""
        self._found: Found = [], False
        self._count = ui.label("Reading …").classes("count")
        self._bookings = LiveTable(_BOOKINGS, empty="", on_pick=self._pick)
        self._more = button("Show more").classes("more").on_click(self._show_more)
        self._title = heading("", 2)
        self._tickets = LiveTable(_TICKETS, empty="", tall=True).classes("holder")
        for part in (self._bookings, self._more, self._title, self._tickets):
            part.set_visibility(False)
        live(console, self._read, self._show)

    def _pick(self, booking: str) -> None:
        self._picked = booking
        self._show(self._found)

    def _show_more(self) -> None:
        self._pages += 1

    def _read(self) -> Found:
        """The holder's first pages, and whether there are more: a page is a thousand tickets."""
        pages = list(islice(self._holders.pages(self._user), self._pages))
        return [held for page in pages for held in page.bookings], pages[-1].has_more

    def _show(self, found: Found) -> None:
        self._found = found
        bookings, more = found
        first = f"The first {many(len(bookings), 'booking')}"
        nobody = f"{self._user} has no tickets."
        count = first if more else many(len(bookings), "booking") if bookings else nobody
        self._count.set_text(count)
        picked = next((b for b in bookings if b["bookingId"] == self._picked), None)
        chosen = picked or (bookings[0] if bookings else None)
        self._bookings.show(
            [_booking(at, held, held is chosen) for at, held in enumerate(bookings)]
        )
        if chosen:
            self._title.set_text(f"Tickets of {chosen['bookingId']}")
            self._tickets.show([_ticket(chosen, ticket) for ticket in chosen["tickets"]])
        self._more.set_visibility(more)
        for part in (self._bookings, self._title, self._tickets):
            part.set_visibility(bool(bookings))


def _booking(at: int, held: HeldBooking, picked: bool) -> Row:
    name, starts = held["bookingId"], local_start(held["startsAt"], held["timeZone"])
    label = f"{name}: show its tickets"
    return {
        "id": at,
        "booking": cell(name, pick=name, picked=picked, label=label),
        "event": cell(held["eventName"], note=held["venue"]),
        "starts": cell(starts.date_text, note=starts.time_text),
        "ready": cell(f"{ready(held)}/{held['quantity']}"),
        "status": marked(_MARKS[held["status"]]),
    }


def _ticket(held: HeldBooking, ticket: dict[str, str | int]) -> Row:
    """The picture comes by the console's own path: a holder's link leads out of this page."""
    seat = int(ticket["seatNumber"])
    picture = cell("")
    if "imageUrl" in ticket:
        label = f"Ticket of seat {seat}"
        picture = cell("", image=path_of(str(held["bookingId"]), seat), label=label)
    return {
        "id": seat,
        "seat": cell(f"seat {seat}"),
        "status": marked(_MARKS[str(ticket["status"])]),
        "ticket": picture,
    }
