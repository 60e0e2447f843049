"""What a person looks at: a state, a seat, or all of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from execution_history import Matrix, Path, Row


@dataclass
class Focus:
    """``seat`` is an iteration's path. ``changed`` is called after each choice."""

    changed: Callable[[], None]
    state: str | None = None
    seat: Path | None = None
    seat_label: str = ""
    _rows: dict[str, Row] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What was chosen: ``Written of seat 3``; nothing if nothing was."""
        seat = self.seat_label if self.seat is not None else None
        return " of ".join(filter(None, [self.state, seat]))

    def know(self, matrices: list[Matrix]) -> None:
        """Take note of the iterations that can be chosen."""
        self._rows = {key(row.path): row for matrix in matrices for row in matrix.rows}

    def pick_state(self, name: str) -> None:
        """Choose a state; choosing it once more lets it go."""
        self.state = None if name == self.state else name
        self.changed()

    def pick_seat(self, picked: str) -> None:
        """Choose an iteration by its :func:`key`; choosing it once more lets it go."""
        row = self._rows.get(picked)
        same = row is None or row.path == self.seat
        self.seat = None if row is None or same else row.path
        self.seat_label = row.label if row and self.seat else ""
        self.changed()

    def holds(self, path: Path) -> bool:
        """Whether something at ``path`` is to be shown: in the seat, or outside every iteration."""
        if self.seat is None or path[: len(self.seat)] == self.seat:
            return True
        return not any(isinstance(step.key, int) for step in path)


def key(path: Path) -> str:
    return "/".join(map(str, path))
