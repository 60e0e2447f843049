"""How far an execution came: for each scope the last state that it left and the one that is open.

A scope is a sequence of states: the execution itself, a branch of a Parallel, an iteration of a
Map. Of a scope that stopped, a redrive needs no more than where it stood, however often it went
round a loop before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

# Pass, Choice, Succeed and Fail have no event of their own for an abort.
_SHOWN_WHEN_ABORTED = {"TaskState", "ParallelState", "MapState", "WaitState"}
_MAP = "MapState"


@dataclass(frozen=True, slots=True)
class Entered:
    """A state that was entered and not left. ``kind`` as in its events: ``TaskState``."""

    name: str
    kind: str
    event_id: int


@dataclass(frozen=True, slots=True)
class Exited:
    """A state that was left: its output as JSON, and what follows it (None at the scope's end)."""

    output: str
    next_state: str | None


@dataclass(frozen=True, slots=True)
class Shown:
    """An event that tells what became of something when it was aborted."""

    type: str
    details: dict[str, Any]
    entered_id: int | None


@dataclass(slots=True)
class Progress:
    """One scope. ``branches``: the scopes inside its open state, by branch or iteration index.

    ``settled``: the history tells how the branch or iteration ended. ``closed``: it is over for
    this run, and what a thread of it still reports is not heard. ``failed_at``: the last event of
    the first branch that failed.
    """

    exited: Exited | None = None
    entered: Entered | None = None
    branches: dict[int, Progress] = field(default_factory=dict)
    settled: bool = False
    closed: bool = False
    fanned_out: bool = False
    failed_at: int | None = None

    @property
    def ended(self) -> bool:
        return self.exited is not None and self.exited.next_state is None

    def branch(self, index: int) -> Progress:
        return self.branches.setdefault(index, Progress(closed=self.closed))

    def begin(self, name: str) -> bool:
        """A state is about to be evaluated; tell whether a redrive resumes in this very state."""
        self.fanned_out = False
        return self.entered is not None and self.entered.name == name

    def fan_out(self) -> None:
        """The open state starts its branches or iterations. When it retries, all of them anew."""
        if self.fanned_out:
            self.branches = {}
        self.fanned_out, self.failed_at = True, None

    def fail_at(self, event_id: int) -> None:
        """One of the branches has failed. What fails after it was aborted by it."""
        self.failed_at = self.failed_at or event_id

    def leave(self, exited: Exited) -> None:
        self.exited = exited
        self.entered = None
        self.branches = {}

    def abort(self) -> Iterator[Shown]:
        """Close the scope; tell what its open state, and all inside that, comes to."""
        self.closed = True
        if self.entered is not None:
            yield from self.abort_branches()
            if self.entered.kind in _SHOWN_WHEN_ABORTED:
                yield Shown(f"{self.entered.kind}Aborted", {}, self.entered.event_id)

    def abort_branches(self) -> Iterator[Shown]:
        """Close all branches or iterations of the open state."""
        for index, branch in sorted(self.branches.items()):
            if not branch.settled and not branch.ended:
                yield from branch.abort()
            if not branch.settled and self.entered is not None and self.entered.kind == _MAP:
                yield _end_of_iteration(self.entered, index, branch.ended)
            branch.close()

    def close(self) -> None:
        self.closed = self.settled = True
        for branch in self.branches.values():
            branch.close()

    def restore(self) -> None:
        """Make it the start of a redrive."""
        self.closed = self.fanned_out = False
        self.settled = self.ended
        for branch in self.branches.values():
            branch.restore()


def _end_of_iteration(entered: Entered, index: int, ended: bool) -> Shown:
    end = "Succeeded" if ended else "Aborted"
    details = {f"mapIteration{end}EventDetails": {"name": entered.name, "index": index}}
    return Shown(f"MapIteration{end}", details, entered.event_id)
