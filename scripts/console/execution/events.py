"""The events in their order: all of them, a page at a time, with what is looked for."""

from collections.abc import Callable, Sequence

from nicegui import ui

from console.execution.focus import Focus
from console.privacy import masked
from console.tables import LiveTable, Row, cell
from console.words import clock
from execution_history import Entry, Matrix, Path, labels, place

_PAGE = 100
_COLUMNS = [
    ("id", "#"), ("at", "Time (UTC)"), ("type", "Event"), ("state", "State"), ("seat", "Seat"),
    ("words", "What happened"),
]  # fmt: skip


class Events:
    def __init__(self, focus: Focus, on_pick: Callable[[str], None]) -> None:
        """``on_pick`` gets the name of the state that was picked."""
        self._focus = focus
        self._page = 0
        self._entries: Sequence[Entry] = ()
        self._labels: dict[Path, str] = {}
        with ui.element("p").classes("facts"):
            self._asked = ui.input("Find in the events", on_change=self._restart)
            self._asked.props("dense outlined clearable debounce=200 maxlength=200")
            self._count = ui.label().props('role="status"')
            self._back = ui.button("Earlier", on_click=lambda: self._turn(-1))
            self._on = ui.button("Later", on_click=lambda: self._turn(1))
            for button in (self._back, self._on):
                button.props("no-caps outline dense")
        self._table = LiveTable(_COLUMNS, empty="No event matches.", on_pick=on_pick)
        self._table.classes("stacked")

    def show(self, entries: Sequence[Entry], matrices: list[Matrix]) -> None:
        self._entries = entries
        self._labels = labels(matrices)
        self._draw()

    def _draw(self) -> None:
        found = [entry for entry in self._entries if self._wanted(entry)]
        pages = max(1, -(-len(found) // _PAGE))
        self._page = min(self._page, pages - 1)
        shown = found[self._page * _PAGE : (self._page + 1) * _PAGE]
        of_all = "" if len(found) == len(self._entries) else f" of {len(self._entries):,}"
        only = f" of {self._focus.words}" if self._focus.words else ""
        at = f", page {self._page + 1} of {pages}" if pages > 1 else ""
        self._count.set_text(f"{len(found):,}{of_all} events{only}{at}")
        self._back.set_visibility(pages > 1)
        self._on.set_visibility(pages > 1)
        self._back.set_enabled(self._page > 0)
        self._on.set_enabled(self._page < pages - 1)
        self._table.show([self._row(entry) for entry in shown])

    def _wanted(self, entry: Entry) -> bool:
        focus = self._focus
        if focus.state is not None and entry.state != focus.state:
            return False
        if focus.seat is not None and entry.path[: len(focus.seat)] != focus.seat:
            return False
        asked = (self._asked.value or "").strip().casefold()
        text = f"{entry.id} {entry.type} {entry.state} {self._seat(entry)} {entry.words}"
        return asked in text.casefold()

    def _seat(self, entry: Entry) -> str:
        return place(entry.path, self._labels)

    def _row(self, entry: Entry) -> Row:
        return {
            "id": cell(entry.id),
            "at": cell(clock(entry.at)),
            "type": cell(entry.type),
            "state": cell(entry.state, pick=entry.state) if entry.state else cell(""),
            "seat": cell(self._seat(entry)),
            "words": cell(masked(entry.words)),
        }

    def _turn(self, pages: int) -> None:
        self._page += pages
        self._draw()

    def _restart(self) -> None:
        self._page = 0
        self._draw()
