"""The seats: a row for each, its steps with time and attempts, why one failed, its ticket."""

from collections.abc import Callable
from typing import Any

from nicegui import ui

from console.execution.focus import Focus, key
from console.marks import IDLE, of_state
from console.parts import Words, heading
from console.privacy import masked
from console.tables import Cell, LiveTable, Row, cell, marked
from console.words import clock, many
from execution_history import Matrix, StateRun, Status, explain, steps
from execution_history import Row as Iteration

_SKIPPED = "made ready by an earlier run"


class Seats:
    """A table for each Map of the execution; each of ours has one, with the seats."""

    def __init__(self, focus: Focus, image: Callable[[Iteration], str | None]) -> None:
        """``image`` gives the path of a seat's ticket, None of one that is no ticket's."""
        self._focus = focus
        self._image = image
        self._box = ui.element("div").classes("stack")
        self._tables: dict[str, tuple[Words, LiveTable]] = {}
        with self._box:
            self._none = ui.label("No seat has begun.").classes("empty")
            self._unfinished = ui.switch("Only what is not ready").props("dense")
            self._unfinished.on_value_change(focus.changed)

    def show(self, matrices: list[Matrix], definition: dict[str, Any] | None) -> None:
        self._none.set_visibility(not matrices)
        for matrix in matrices:
            columns = (definition and steps(definition, matrix.name)) or matrix.columns
            title, table = self._table(matrix, columns)
            title.set_text(f"{matrix.name}: {matrix.succeeded} of {len(matrix.rows)} done")
            rows = [row for row in matrix.rows if self._is_wanted(row)]
            table.show([self._row(row, columns) for row in rows])

    def _table(self, matrix: Matrix, columns: list[str]) -> tuple[Words, LiveTable]:
        name = f"{key(matrix.path)} {matrix.name} {columns}"
        if name not in self._tables:
            heads = [("seat", "Seat"), *((c, c) for c in columns), ("ticket", "Ticket")]
            with self._box:
                title = heading("", 2)
                table = LiveTable(
                    heads, empty="Every seat is ready.", tall=True, on_pick=self._focus.pick_seat
                )
            self._tables[name] = title, table
        return self._tables[name]

    def _is_wanted(self, row: Iteration) -> bool:
        return not self._unfinished.value or not row.done

    def _row(self, row: Iteration, columns: list[str]) -> Row:
        cells = {name: _step(row, name) for name in columns}
        seat = cell(row.label)
        if row.status:
            label = f"{row.label}: show only this one"
            picked = row.path == self._focus.seat
            seat = cell(row.label, pick=key(row.path), picked=picked, label=label)
        picture = self._image(row) if row.done else None
        ticket = cell("", image=picture, label=f"Ticket of {row.label}")
        return {"id": row.index, "seat": seat, **cells, "ticket": ticket}


def _step(row: Iteration, name: str) -> Cell:
    run = row.cells.get(name)
    if run is None:
        return cell("skipped", note=_SKIPPED) if row.done else marked(IDLE)
    mark = of_state(run.status)
    if run.status is Status.SUCCEEDED:
        mark = mark._replace(word=clock(run.ended_at))
    return marked(mark, _note(run))


def _note(run: StateRun) -> str | None:
    tries = many(run.tries, "attempt") if run.tries > 1 else ""
    latest = next((a for a in reversed(run.attempts) if a.failed), None)
    if run.status is Status.SUCCEEDED or latest is None:
        return tries or None
    error, why = run.error or latest.error, explain(latest.error, latest.cause).message
    return masked(" ".join(filter(None, [f"{error}: {why}", f"({tries})" if tries else ""])))
