"""``/``: the executions, newest first."""

from datetime import datetime

from nicegui import ui

from console.cells import duration, started, status
from console.context import Console
from console.filters import Filters, show_filters
from console.frame import live, opened
from console.links import page_of
from console.parts import Words, button, heading, style
from console.tables import LiveTable, cell
from console.tables import Row as TableRow
from console.words import many
from operations.following import Row

_MORE = 50
_COLUMNS = [
    ("booking", "Booking"),
    ("status", "Status"),
    ("seats", "Seats ready"),
    ("email", "Email"),
    ("started", "Started (UTC)"),
    ("duration", "Duration"),
    ("redrives", "Redrives"),
]


def register(console: Console) -> None:
    @ui.page("/")
    async def page(status: str = "", booking: str = "") -> None:
        async with opened(console, "/", "Executions"):
            style()
            heading("Executions")
            filters = Filters.read(status, booking)
            show_filters(filters)
            _Listing(console, filters)


class _Listing:
    """The table of one open page, as long as that page wants it."""

    def __init__(self, console: Console, filters: Filters) -> None:
        self._console = console
        self._filters = filters
        self._limit = _MORE
        self._count = ui.label("Reading …").classes("count")
        self._table = LiveTable(_COLUMNS, empty="").classes("executions")
        with ui.element("p").classes("empty") as self._none:
            _say_none(console, filters)
        self._more = button("Show more").classes("more").on_click(self._show_more)
        for part in (self._table, self._none, self._more):
            part.set_visibility(False)
        live(console, self._read, self._show)

    def _show_more(self) -> None:
        self._limit += _MORE

    def _read(self) -> list[Row]:
        """One more than is shown tells that there are more."""
        status, booking, limit = self._filters.status, self._filters.booking, self._limit + 1
        if not booking:
            return self._console.follower.rows(limit, status or None)
        found = self._console.executions_of(booking)
        return [row for row in found if status in ("", row.status)][:limit]

    def _show(self, rows: list[Row]) -> None:
        now, shown = self._console.operator.now(), rows[: self._limit]
        self._table.show([_cells(row, now) for row in shown])
        left = len(rows) > len(shown)
        newest = f"The newest {len(shown)} executions" if left else many(len(shown), "execution")
        self._count.set_text(newest if shown else "")
        self._table.set_visibility(bool(shown))
        self._none.set_visibility(not shown)
        self._more.set_visibility(left)


def _cells(row: Row, now: datetime) -> TableRow:
    seats = "–" if row.seats is None else f"{row.seats_ready or 0}/{row.seats}"
    return {
        "id": row.arn,
        "booking": cell(row.booking or "no booking id", href=page_of(row)),
        "status": status(row.status, row.error, row.why),
        "seats": cell(seats),
        "email": cell(row.email or "–"),
        "started": started(row, now),
        "duration": duration(row, now),
        "redrives": cell(row.redrives or "–"),
    }


def _say_none(console: Console, filters: Filters) -> None:
    if filters.any:
        ui.label(f"No execution {filters}.")
        ui.link("Show all executions", "/")
        return
    ui.label("No booking has been sent yet. Send one on the page")
    ui.link("Book", "/book")
    ui.label("or from a terminal, one JSON body per line:")
    Words("code", _book_command(console))


def _book_command(console: Console) -> str:
    if console.endpoint:
        return f"scripts/book --endpoint {console.endpoint} FILE"
    return console.operator.command("minitickets book FILE")
