"""One execution with its whole history, read on from where the last reading ended."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from execution_history import Entry, History, billed, entries, read
from execution_status import OPEN
from operations.executions import Described, Executions
from operations.keeping import Kept

_DEFINITIONS = 200
_SMALLEST_PAGE, _LARGEST_PAGE = 100, 1_000


@dataclass(frozen=True)
class View:
    """``events`` are GetExecutionHistory's, the oldest first. Nothing in a View is ever changed.

    ``definition`` is None where AWS withholds it; ``transitions`` is how many AWS bills so far.
    ``new`` is how many events the reading added to the one before it.
    """

    execution: Described
    history: History
    events: list[dict[str, Any]]
    timeline: list[Entry]
    transitions: int
    definition: dict[str, Any] | None
    read_at: datetime
    new: int = 0


class Views:
    """Reads an execution's definition once, and each of its events once."""

    def __init__(self, executions: Executions, now: Callable[[], datetime]) -> None:
        self._executions = executions
        self._now = now
        self._definitions: Kept[str, dict[str, Any]] = Kept(_DEFINITIONS)

    def read(self, arn: str, before: View | None) -> View:
        """``before`` is the view that was read last. Raises what boto3 raises."""
        now = self._now()
        execution = self._executions.describe(arn)
        if before and before.execution.started_at != execution.started_at:
            before = None  # a new local stack may give a name again
        if before and _over(before, execution):
            return replace(before, execution=execution, read_at=now, new=0)
        events = self._events(arn, before)
        if before and len(events) == len(before.events):
            return replace(before, execution=execution, read_at=now, new=0)
        reading = read(events)
        return View(
            execution,
            reading.history,
            events,
            entries(reading),
            billed(reading),
            self._definition(arn),
            now,
            len(events) - (len(before.events) if before else 0),
        )

    def _events(self, arn: str, before: View | None) -> list[dict[str, Any]]:
        """What is known and what is new; all of it anew if that leaves a gap.

        Events are numbered from 1, one by one:
        https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
        """
        if before and before.events:
            known = before.events
            page = min(max(2 * before.new, _SMALLEST_PAGE), _LARGEST_PAGE)
            events = [*known, *self._executions.history_after(arn, known[-1]["id"], page)]
            if events[-1]["id"] == len(events):
                return events
        return list(self._executions.history(arn))

    def _definition(self, arn: str) -> dict[str, Any] | None:
        known = self._definitions.get(arn)
        if known is None:
            known = self._executions.definition(arn)
            if known is not None:
                self._definitions.put(arn, known)
        return known


def _over(before: View, execution: Described) -> bool:
    """Whether the history was read to its end, and nothing began it anew."""
    known = before.execution
    return (
        execution.status not in OPEN
        and before.history.status == execution.status
        and (known.status, known.redrives) == (execution.status, execution.redrives)
    )
