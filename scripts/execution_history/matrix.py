"""A Map's iterations against its states, and what a definition holds that was never reached."""

import json
from dataclasses import dataclass
from typing import Any

from asl_walk import State, objects, scopes, targets
from execution_history.model import History, Path, StateRun, Status


@dataclass(frozen=True)
class Row:
    """One iteration. ``seat`` is the seatNumber in its input, None where there is none.

    ``status`` is None for an iteration that never began.
    """

    path: Path
    index: int
    seat: int | None
    status: Status | None
    cells: dict[str, StateRun]

    @property
    def label(self) -> str:
        return f"seat {self.seat}" if self.seat is not None else f"#{self.index}"


@dataclass(frozen=True)
class Matrix:
    """One Map: ``columns`` are state names in the order of the work."""

    name: str
    path: Path
    columns: list[str]
    rows: list[Row]

    @property
    def succeeded(self) -> int:
        return sum(row.status is Status.SUCCEEDED for row in self.rows)


def matrices(history: History, definition: dict[str, Any] | None = None) -> list[Matrix]:
    """One for each visit of a Map that counts, in the order in which they began."""
    inside: dict[Path, dict[str, StateRun]] = {}
    for run in history.current:
        if run.path and isinstance(run.path[-1].key, int):
            inside.setdefault(run.path, {})[run.name] = run
    order = _order(definition) if definition else []
    return [_matrix(run, history, inside, order) for run in history.current if run.type == "Map"]


def unreached(history: History, definition: dict[str, Any]) -> list[str]:
    """The definition's states that no visit entered, in the order of the file."""
    reached = {run.name for run in history.runs}
    return [name for name in _order(definition) if name not in reached]


def _matrix(
    run: StateRun, history: History, inside: dict[Path, dict[str, StateRun]], order: list[str]
) -> Matrix:
    begun = {
        path: status
        for path, status in history.iterations.items()
        if len(path) == len(run.path) + 1 and run.holds(path)
    }
    rows = {int(p[-1].key): _row(p, status, inside.get(p, {})) for p, status in begun.items()}
    for index in range(run.length or 0):
        rows.setdefault(index, Row(run.path, index, None, None, {}))
    names = dict.fromkeys(name for row in rows.values() for name in row.cells)
    known = [name for name in order if name in names]
    columns = known + [name for name in names if name not in known]
    return Matrix(run.name, run.path, columns, [rows[index] for index in sorted(rows)])


def _row(path: Path, status: Status, cells: dict[str, StateRun]) -> Row:
    first = next(iter(cells.values()), None)
    return Row(path, int(path[-1].key), _seat(first), status, cells)


def _seat(run: StateRun | None) -> int | None:
    try:
        given = json.loads(run.input or "") if run else None
    except (ValueError, RecursionError):
        return None
    number = given.get("seatNumber") if isinstance(given, dict) else None
    return number if isinstance(number, int) else None


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
    bodies = objects(state.get("Branches"))
    bodies += objects([state.get("ItemProcessor") or state.get("Iterator")])
    return [name for body in bodies for name in _order(body)]
