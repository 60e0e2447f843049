"""An execution as its history tells it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """How one visit of a state stands."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    CAUGHT = "caught"  # it failed, and its Catch went on elsewhere
    FAILED = "failed"
    ABORTED = "aborted"  # stopped because something else failed, timed out or was stopped
    PENDING = "pending"  # unsuccessful before a redrive that has not come to it yet


OPEN = (Status.RUNNING, Status.PENDING)


@dataclass(frozen=True)
class Step:
    """One level of nesting: an iteration of a Map by its index, from 0, or a branch of a Parallel.

    A history does not number branches; a branch bears the name of the first state entered in it.
    """

    state: str
    key: int | str

    def __str__(self) -> str:
        return f"{self.state}[{self.key}]"


Path = tuple[Step, ...]


@dataclass
class Attempt:
    """One try of a Task. ``redrive`` counts the redrives before it."""

    redrive: int
    scheduled_at: datetime | None = None
    ended_at: datetime | None = None
    error: str | None = None
    cause: str | None = None
    succeeded: bool = False

    @property
    def failed(self) -> bool:
        return self.error is not None


@dataclass(eq=False)
class StateRun:
    """One visit of one state. A redrive goes on with the same visit; its attempts tell.

    A Map or a Parallel has one attempt per start: more than one when its Retry began it again.
    ``superseded``: a later visit, or a retry of the Map or Parallel around it, took its place.
    ``input`` and ``output`` are the JSON texts, None where the history leaves them out.
    """

    name: str
    type: str
    path: Path = ()
    status: Status = Status.RUNNING
    entered_at: datetime | None = None
    ended_at: datetime | None = None
    input: str | None = None
    output: str | None = None
    error: str | None = None
    cause: str | None = None
    attempts: list[Attempt] = field(default_factory=list)
    superseded: bool = False
    within: "StateRun | None" = None
    length: int | None = None  # of a Map: how many iterations it has

    @property
    def tries(self) -> int:
        """Attempts since the last redrive of this state, which starts the retry count afresh."""
        if not self.attempts:
            return 0
        return sum(a.redrive == self.attempts[-1].redrive for a in self.attempts)

    @property
    def label(self) -> str:
        return "/".join([*map(str, self.path), self.name])

    def holds(self, path: Path) -> bool:
        """Whether something at ``path`` is inside this Map or Parallel."""
        depth = len(self.path)
        inside = len(path) > depth and path[:depth] == self.path
        return inside and path[depth].state == self.name


@dataclass
class History:
    """The whole execution. ``status`` is AWS's word, such as RUNNING or TIMED_OUT."""

    status: str = "RUNNING"
    error: str | None = None
    cause: str | None = None
    input: str | None = None
    output: str | None = None
    started_at: datetime | None = None
    stopped_at: datetime | None = None
    redrives: int = 0
    events: int = 0
    runs: list[StateRun] = field(default_factory=list)
    iterations: dict[Path, Status] = field(default_factory=dict)

    @property
    def current(self) -> list[StateRun]:
        """The visits that count, in the order in which they began."""
        return [run for run in self.runs if not run.superseded]

    @property
    def failures(self) -> list[StateRun]:
        """The states to blame: each innermost one that failed and that nothing caught."""
        return [run for run in self._innermost_failed() if not _is_caught(run)]

    @property
    def caught(self) -> list[StateRun]:
        """The states whose failure a Catch, their own or one around them, took care of."""
        own = [run for run in self.current if run.status is Status.CAUGHT]
        leaves = [run for run in self._innermost_failed() if _is_caught(run)]
        return [run for run in own if not any(run.holds(leaf.path) for leaf in leaves)] + leaves

    @property
    def aborted(self) -> list[StateRun]:
        return [run for run in self.current if run.status is Status.ABORTED]

    @property
    def retried(self) -> list[StateRun]:
        """The states that came to success after failed attempts."""
        return [
            run
            for run in self.current
            if run.status is Status.SUCCEEDED and any(a.failed for a in run.attempts)
        ]

    def _innermost_failed(self) -> Iterator[StateRun]:
        failed = [run for run in self.current if run.status is Status.FAILED]
        outer = {id(around) for run in failed for around in _around(run)}
        return (run for run in failed if id(run) not in outer)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` shows of it: names, times and errors, and no state's data."""
        return {
            "status": self.status,
            "error": self.error,
            "cause": self.cause,
            "redriveCount": self.redrives,
            "events": self.events,
            "failures": [_run_json(run) for run in self.failures],
            "states": [_run_json(run) for run in self.current],
        }


def _around(run: StateRun) -> Iterator[StateRun]:
    while run.within is not None:
        run = run.within
        yield run


def _is_caught(run: StateRun) -> bool:
    return any(around.status is Status.CAUGHT for around in _around(run))


def _run_json(run: StateRun) -> dict[str, Any]:
    return {
        "state": run.name,
        "type": run.type,
        "path": [{"state": step.state, "key": step.key} for step in run.path],
        "status": run.status.value,
        "attempts": len(run.attempts),
        "attemptsSinceRedrive": run.tries,
        "error": run.error,
        "cause": run.cause,
        "enteredAt": run.entered_at.isoformat() if run.entered_at else None,
        "endedAt": run.ended_at.isoformat() if run.ended_at else None,
    }
