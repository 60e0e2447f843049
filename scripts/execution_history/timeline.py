"""A history's events in order, each with the state that it belongs to and what it says."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from execution_history.causes import explain, shortened
from execution_history.events import Event
from execution_history.model import Path, StateRun, Status
from execution_history.places import Place, Scope
from execution_history.reader import SCHEDULED
from execution_history.reading import Reading, read

_MOST = 160
_OUTCOMES = {
    "Failed": "failed",
    "TimedOut": "timed out",
    "Aborted": "was stopped",
    "Succeeded": "succeeded",
    "Started": "started",
}


@dataclass(frozen=True)
class Entry:
    """One event. ``state`` is None where it belongs to no state, as the execution's end does.

    ``path`` is the iteration or branch that it is in, and of an iteration's own events that
    iteration. ``words`` name the state, and never hold its data.
    """

    id: int
    at: datetime | None
    type: str
    state: str | None
    path: Path
    words: str


def timeline(events: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """Every event, the oldest first."""
    return entries(read(events))


def entries(reading: Reading) -> list[Entry]:
    """``timeline`` of a history that is read already."""
    teller = _Teller()
    return [teller.entry(event, reading.places.of(event)) for event in reading.events]


class _Teller:
    """Counts the attempts while it goes through the events."""

    def __init__(self) -> None:
        self._attempts: Counter[StateRun] = Counter()

    def entry(self, event: Event, place: Place) -> Entry:
        if event.type.startswith("Execution"):
            words = self._execution(event)
            return Entry(event.id, event.at, event.type, None, (), words)
        run = place if isinstance(place, StateRun) else place.around
        state = run.name if run else None
        words = (
            self._in_scope(event, place) if isinstance(place, Scope) else self._visit(event, place)
        )
        return Entry(event.id, event.at, event.type, state, place.path, words)

    def _execution(self, event: Event) -> str:
        if event.type == "ExecutionRedriven":
            self._attempts.clear()  # each redrive starts the count afresh
            return f"redrive {event.details.get('redriveCount', '')}".rstrip()
        return _outcome("the execution", event) or _in_words(event)

    def _in_scope(self, event: Event, scope: Scope) -> str:
        if event.type.startswith("MapIteration") and scope.path:
            step = scope.path[-1]
            return _outcome(f"iteration {step.key} of {step.state}", event) or _in_words(event)
        if event.type.endswith("StateAborted") and scope.around:
            return f"a state in {scope.around.name} was stopped"
        return _in_words(event)

    def _visit(self, event: Event, run: StateRun) -> str:
        if event.type.endswith("StateEntered"):
            return f"entered {run.name}"
        if event.type.endswith("StateExited"):
            caught = ", whose failure was caught" if run.status is Status.CAUGHT else ""
            return f"left {run.name}{caught}"
        if event.type in SCHEDULED:
            self._attempts[run] += 1
            return self._attempt(run)
        if event.type.startswith(("MapState", "ParallelState")):
            return _container(event, run)
        if event.type.endswith("StateAborted"):
            return f"{run.name} was stopped"
        return _outcome(self._attempt(run), event) or f"{_in_words(event)} in {run.name}"

    def _attempt(self, run: StateRun) -> str:
        count = self._attempts[run]
        return f"attempt {count} of {run.name}" if count else run.name


def _container(event: Event, run: StateRun) -> str:
    length = event.details.get("length")
    if isinstance(length, int):
        return f"{run.name} started {length} {'iteration' if length == 1 else 'iterations'}"
    return _outcome(run.name, event) or f"{_in_words(event)} in {run.name}"


def _outcome(subject: str, event: Event) -> str | None:
    """What became of the subject, by the end of the event's type; None if that does not tell."""
    outcome = next((words for end, words in _OUTCOMES.items() if event.type.endswith(end)), None)
    return f"{subject} {outcome}{_why(event)}" if outcome else None


def _why(event: Event) -> str:
    error, cause = event.text("error"), event.text("cause")
    if error is None and cause is None:
        return ""
    return f": {error or 'no error is named'}: {shortened(explain(error, cause).message, _MOST)}"


def _in_words(event: Event) -> str:
    """An event's type as words: ``LambdaFunctionStarted`` is "lambda function started"."""
    return " ".join(re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", event.type)).lower()
