"""How the visits of each state stand, counted: what a graph of the states shows."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from execution_history.model import History, Path, StateRun, Status

_WORST_FIRST = (
    Status.FAILED,
    Status.RUNNING,
    Status.PENDING,
    Status.ABORTED,
    Status.CAUGHT,
    Status.SUCCEEDED,
)


@dataclass(frozen=True)
class Tally:
    """The visits of one state, by how they stand.

    ``retries``: attempts that a Retry made. A redrive's first attempt is none.
    """

    running: int = 0
    succeeded: int = 0
    caught: int = 0
    failed: int = 0
    aborted: int = 0
    pending: int = 0
    retries: int = 0

    @property
    def total(self) -> int:
        return sum(self.count(status) for status in Status)

    @property
    def status(self) -> Status:
        """The one by which to colour the state: what most wants to be looked at."""
        return next((s for s in _WORST_FIRST if self.count(s)), Status.SUCCEEDED)

    def count(self, status: Status) -> int:
        counted: int = getattr(self, status.value)
        return counted


def tallies(history: History, seat: Path | None = None) -> dict[str, Tally]:
    """By state name, in the order in which the states were first entered.

    ``seat`` is an iteration's path: only what is in that iteration, or in none of its siblings.
    """
    statuses: dict[str, Counter[str]] = defaultdict(Counter)
    retries: Counter[str] = Counter()
    for run in history.current:
        if seat is None or _concerns(seat, run.path):
            statuses[run.name][run.status.value] += 1
            retries[run.name] += _retries(run)
    return {name: Tally(**counts, retries=retries[name]) for name, counts in statuses.items()}


def _concerns(seat: Path, path: Path) -> bool:
    """Whether ``path`` is in the seat's iteration, or in no iteration but those around it."""
    iterations = [n for n, step in enumerate(path, start=1) if isinstance(step.key, int)]
    return path[: len(seat)] == seat or all(path[:n] == seat[:n] for n in iterations)


def _retries(run: StateRun) -> int:
    return len(run.attempts) - len({attempt.redrive for attempt in run.attempts})
