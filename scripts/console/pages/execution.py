"""``/execution/<name>``, and ``/reconciliation/<name>`` of the other machine.

One execution, as a graph, by its seats and by its events.
"""

from typing import NamedTuple

from botocore.exceptions import ClientError
from nicegui import ui

from console import images
from console.context import Console
from console.execution.actions import Actions
from console.execution.data import Data
from console.execution.events import Events
from console.execution.focus import Focus
from console.execution.graph import Graph
from console.execution.head import Head
from console.execution.seats import Seats
from console.execution.state import StatePanel
from console.frame import live, opened
from console.links import PLACES
from console.parts import button, heading, style
from execution_history import Row as Iteration
from execution_history import matrices
from operations.executions import Described
from operations.finding import NotFound, is_missing
from operations.following import Row, View

_STYLE = '<link rel="stylesheet" href="/static/execution.css">'
_PARTS = ("Seats", "State", "Events", "Data")


class Seen(NamedTuple):
    """What one reading gave. ``others`` are the same booking's other executions."""

    view: View
    others: list[Row]


def register(console: Console) -> None:
    for machine, place in PLACES.items():
        _register(console, machine, place)


def _register(console: Console, machine: str, place: str) -> None:
    @ui.page(f"/{place}/{{name}}")
    async def page(name: str) -> None:
        async with opened(console, f"/{place}/{name}", place.capitalize()):
            style()
            ui.add_head_html(_STYLE)
            ExecutionPage(console, console.operator.target.execution_arn(name, machine))


class ExecutionPage:
    def __init__(self, console: Console, arn: str) -> None:
        self._console = console
        self._arn = arn
        self._seen: Seen | None = None
        self._focus = Focus(self._refocus)
        self._title = heading("Reading …")
        with ui.element("div") as self._body:
            self._build()
        self._reading = live(console, self._read, self._show)

    def _build(self) -> None:
        self._head = Head(self._console.operator)
        self._actions = Actions(self._console)
        with ui.element("div").classes("halves"):
            with ui.element("section").props('aria-label="Graph"').classes("graph"):
                self._graph = Graph(self._pick_state)
            with ui.element("section").props('aria-label="Details"').classes("details") as part:
                self._all = button("").on_click(self._show_all).classes("only")
                self._all.set_visibility(False)
                self._tabs()
            self._details = part

    def _tabs(self) -> None:
        with ui.tabs().props("no-caps align=left").classes("tabs") as self._bar:
            for name in _PARTS:
                ui.tab(name)
        with ui.tab_panels(self._bar, value="Seats", animated=False).props("keep-alive"):
            seats, state, events, data = (_panel(name) for name in _PARTS)
        with seats:
            self._seats = Seats(self._focus, self._image)
        with state:
            self._state = StatePanel(self._focus)
        with events:
            self._events = Events(self._focus, self._pick_state)
        with data:
            self._data = Data()

    def _read(self) -> Seen | NotFound:
        try:
            view = self._console.follower.view(self._arn)
        except ClientError as error:
            if is_missing(error):
                return NotFound(f"There is no execution {self._arn} any more, or never was.")
            raise
        return Seen(view, self._others(view.execution.booking))

    def _others(self, booking: str | None) -> list[Row]:
        try:
            found = self._console.executions_of(booking) if booking else []
        except ClientError:  # it takes the tables, which not everybody may read
            return []
        return [other for other in found if other.arn != self._arn]

    def _show(self, seen: Seen | NotFound) -> None:
        if isinstance(seen, NotFound):
            self._say_missing(str(seen))
            return
        before, self._seen = self._seen, seen
        if before and _is_same(before.view, seen.view) and before.others == seen.others:
            self._head.show(seen.view, seen.others)  # whose clock goes on
        else:
            self._draw(seen)

    def _say_missing(self, reason: str) -> None:
        self._reading.deactivate()
        self._title.set_text("No such execution")
        self._body.clear()
        with self._body:
            ui.label(reason).props('role="status"')
            ui.link("Show all executions", "/")

    def _draw(self, seen: Seen) -> None:
        view = seen.view
        history, found = view.history, matrices(view.history, view.definition)
        self._focus.know(found)
        self._title.set_text(_title(view.execution))
        self._head.show(view, seen.others)
        self._actions.show(view)
        self._graph.show(history, view.definition, self._focus)
        self._seats.show(found, view.definition)
        self._state.show(history, found, view.definition)
        self._events.show(view.timeline, found)
        self._data.show(view)

    def _pick_state(self, name: str) -> None:
        self._focus.pick_state(name)
        if self._focus.state:
            self._bar.set_value("State")
            self._details.run_method("scrollIntoView", {"block": "nearest"})

    def _refocus(self) -> None:
        if self._seen is None:
            return
        self._all.set_text(f"Only {self._focus.words}: show all")
        self._all.set_visibility(bool(self._focus.words))
        self._draw(self._seen)

    def _show_all(self) -> None:
        self._focus.state = self._focus.seat = None
        self._refocus()

    def _image(self, row: Iteration) -> str | None:
        """A reconciliation's seats are of many bookings, a booking's own of one."""
        own = self._seen.view.execution.booking if self._seen else None
        booking = row.booking or own
        return images.path_of(booking, row.seat) if booking and row.seat is not None else None


def _title(execution: Described) -> str:
    if execution.is_reconciliation:
        return "Reconciliation"
    return execution.booking or "A message without a readable booking"


def _panel(name: str) -> ui.tab_panel:
    return ui.tab_panel(name).props(f'aria-label="{name}"')


def _is_same(before: View, now: View) -> bool:
    return before.history is now.history and before.execution == now.execution
