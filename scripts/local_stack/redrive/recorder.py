"""The history of an execution, and its progress: written together, so that they never differ.

The first event that ends the execution ends the history, and the failure of a branch or iteration
ends its siblings'. moto lets what runs beside a failure go on to log; here that is not heard.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from moto.core.utils import iso_8601_datetime_with_milliseconds
from moto.stepfunctions.parser.asl.eval.event.event_manager import EventManager
from moto.stepfunctions.parser.asl.eval.program_state import ProgramEnded, ProgramRunning

from local_stack.redrive.progress import Entered, Exited, Progress, Shown

ENDS = {"ExecutionSucceeded", "ExecutionFailed", "ExecutionAborted", "ExecutionTimedOut"}
_ENDS_FROM_OUTSIDE = {"ExecutionAborted", "ExecutionTimedOut"}
_STARTS = ("StateEntered", "Scheduled", "StateStarted", "IterationStarted")
_ITERATION_ENDS = {"MapIterationSucceeded", "MapIterationFailed", "MapIterationAborted"}


class Abandoned(Exception):
    """Raised in a thread of something that was aborted, before it begins anything else."""


class Recorder(EventManager):
    """Takes the place of moto's event manager. ``events`` and ``root`` may be an earlier run's.

    An event's context names its environment (``context.env``), and that its scope
    (``env.progress``): :mod:`local_stack.redrive.evaluation` sees to both.
    """

    def __init__(self, events: list[dict[str, Any]], root: Progress) -> None:
        super().__init__()
        self.events = events
        self.root = root
        self.lock = threading.RLock()

    @property
    def last_id(self) -> int:
        return len(self.events)

    def add_event(
        self,
        context: Any,
        event_type: Any,
        event_details: Any = None,
        timestamp: Any = None,
        update_source_event_id: bool = True,
    ) -> int:
        kind = str(getattr(event_type, "value", event_type))
        env = context.env
        with self.lock:
            if env.progress.closed or _halted(env, kind):
                if kind.endswith(_STARTS):
                    raise Abandoned(kind)
                return int(context.last_published_event_id)
            if kind in _ENDS_FROM_OUTSIDE:
                self._show(self.root.abort())
            event_id = self._append(kind, context.source_event_id, event_details or {}, timestamp)
            context.last_published_event_id = event_id
            if update_source_event_id:
                context.source_event_id = event_id
            self._note(env, kind, event_id, event_details)
            return event_id

    def abort_branches(self, progress: Progress, cause_id: int) -> None:
        """A branch or an iteration has failed: end the others."""
        with self.lock:
            if not progress.closed:
                self._show(progress.abort_branches(), cause_id)

    def end(self, kind: str, details: dict[str, Any]) -> None:
        """End the execution from outside, unless it has ended."""
        with self.lock:
            if not self.root.closed:
                self._show(self.root.abort())
                # AWS gives the end from outside no previous event.
                self._append(kind, 0, details, None)
                self.root.close()

    def get_event_history(self) -> Any:
        with self.lock:
            return list(self.events)

    def _note(self, env: Any, kind: str, event_id: int, details: Any) -> None:
        progress: Progress = env.progress
        if kind in ENDS:
            self.root.close()
        elif kind in _ITERATION_ENDS:
            progress.settled = True
        elif kind.endswith("StateEntered"):
            name = details["stateEnteredEventDetails"]["name"]
            progress.entered = Entered(name, kind.removesuffix("Entered"), event_id)
        elif kind.endswith("StateExited"):
            output = details["stateExitedEventDetails"]["output"]
            progress.leave(Exited(output, env.next_state_name))

    def _show(self, aborted: Iterable[Shown], cause_id: int | None = None) -> None:
        for shown in aborted:
            previous = cause_id if cause_id is not None else shown.entered_id or 0
            self._append(shown.type, previous, shown.details, None)

    def _append(self, kind: str, previous: int, details: Any, at: datetime | None) -> int:
        event_id = len(self.events) + 1
        when = iso_8601_datetime_with_milliseconds(at or datetime.now(UTC))
        self.events.append(
            {**details, "id": event_id, "previousEventId": previous, "type": kind}
            | {"timestamp": when}
        )
        return event_id


def _halted(env: Any, kind: str) -> bool:
    """A state cannot be left any more once its program was stopped from outside."""
    running: Any = env._program_state  # noqa: SLF001
    return kind.endswith("StateExited") and not isinstance(running, ProgramRunning | ProgramEnded)
