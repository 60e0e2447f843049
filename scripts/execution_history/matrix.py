"""A Map's iterations against its states, and what a definition holds that was never reached."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from asl_walk import State, objects, scopes, targets, tasks
from execution_history.model import History, Path, StateRun, Status, Step


@dataclass(frozen=True)
class Row:
    """One iteration. ``seat`` and ``booking`` are the seatNumber and the bookingId that its input
    names, None where there is none: where all seats are of one booking, an iteration names none.

    ``status`` is None for an iteration that never began; its seat is told by the others' numbering,
    unless they are of bookings of their own.
    """

    path: Path
    index: int
    seat: int | None
    status: Status | None
    cells: dict[str, StateRun]
    booking: str | None = None

    @property
    def label(self) -> str:
        seat = f"seat {self.seat}" if self.seat is not None else f"#{self.index}"
        return f"{self.booking} {seat}" if self.booking else seat

    @property
    def done(self) -> bool:
        """Whether it succeeded by its own steps, and not because a Catch let it go."""
        caught = any(run.status is Status.CAUGHT for run in self.cells.values())
        return self.status is Status.SUCCEEDED and not caught


@dataclass(frozen=True)
class Matrix:
    """One Map: ``columns`` are state names in the order of the work."""

    name: str
    path: Path
    columns: list[str]
    rows: list[Row]

    @property
    def succeeded(self) -> int:
        return sum(row.done for row in self.rows)


def matrices(history: History, definition: dict[str, Any] | None = None) -> list[Matrix]:
    """One for each visit of a Map that counts, in the order in which they began."""
    inside: dict[Path, dict[str, StateRun]] = {}
    for run in history.current:
        if run.path and isinstance(run.path[-1].key, int):
            inside.setdefault(run.path, {})[run.name] = run
    order = _order(definition) if definition else []
    return [_matrix(run, history, inside, order) for run in history.current if run.type == "Map"]


def labels(matrices: Iterable[Matrix]) -> dict[Path, str]:
    """What each iteration is called."""
    return {row.path: row.label for matrix in matrices for row in matrix.rows}


def place(path: Path, labels: dict[Path, str]) -> str:
    """The iterations around a path, from the outermost inwards: ``seat 3``; nothing outside."""
    depths = range(1, len(path) + 1)
    return ", ".join(labels[path[:depth]] for depth in depths if path[:depth] in labels)


def unreached(history: History, definition: dict[str, Any]) -> list[str]:
    """The definition's states that no visit entered, in the order of the file."""
    reached = {run.name for run in history.runs}
    return [name for name in _order(definition) if name not in reached]


def steps(definition: dict[str, Any], map_name: str) -> list[str]:
    """The Tasks inside a Map, in the order of the work."""
    for scope in scopes(definition):
        for name, state in scope.states.items():
            if name == map_name:
                inside = {task for body in _bodies(state) for task, _ in tasks(body)}
                return [each for each in _inside(state) if each in inside]
    return []


def _matrix(
    run: StateRun, history: History, inside: dict[Path, dict[str, StateRun]], order: list[str]
) -> Matrix:
    begun = {
        path: status
        for path, status in history.iterations.items()
        if len(path) == len(run.path) + 1 and run.holds(path)
    }
    rows = {int(p[-1].key): _row(p, status, inside.get(p, {})) for p, status in begun.items()}
    first = {row.seat - index for index, row in rows.items() if row.seat is not None}
    in_order = len(first) == 1 and not any(row.booking for row in rows.values())
    seat_of_index_0 = first.pop() if in_order else None
    for index in range(run.length or 0):
        seat = None if seat_of_index_0 is None else seat_of_index_0 + index
        rows.setdefault(index, Row((*run.path, Step(run.name, index)), index, seat, None, {}))
    names = dict.fromkeys(name for row in rows.values() for name in row.cells)
    known = [name for name in order if name in names]
    columns = known + [name for name in names if name not in known]
    return Matrix(run.name, run.path, columns, [rows[index] for index in sorted(rows)])


def _row(path: Path, status: Status, cells: dict[str, StateRun]) -> Row:
    given = _input(next(iter(cells.values()), None))
    number, booking = given.get("seatNumber"), given.get("bookingId")
    return Row(
        path,
        int(path[-1].key),
        number if isinstance(number, int) else None,
        status,
        cells,
        booking if isinstance(booking, str) else None,
    )


def _input(run: StateRun | None) -> dict[str, Any]:
    """Empty where it is no object, or the history leaves it out."""
    try:
        given = json.loads(run.input or "") if run else None
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _order(body: dict[str, Any]) -> list[str]:
    """A scope's states in the order of the work, each followed by the states inside it."""
    scope = next(scopes(body))
    names: dict[str, None] = {}
    ahead = [body.get("StartAt")]
    while ahead:
        name = ahead.pop(0)
        if isinstance(name, str) and name in scope.states and name not in names:
            names[name] = None
            ahead += [target for _, target in targets(scope.states[name])]
    names |= dict.fromkeys(scope.states)  # and what nothing leads to
    return [each for name in names for each in (name, *_inside(scope.states[name]))]


def _inside(state: State) -> list[str]:
    return [name for body in _bodies(state) for name in _order(body)]


def _bodies(state: State) -> list[dict[str, Any]]:
    processor = state.get("ItemProcessor") or state.get("Iterator")
    return objects(state.get("Branches")) + objects([processor])
