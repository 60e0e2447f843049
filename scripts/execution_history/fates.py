"""What an end does to the states around it."""

import json
from collections.abc import Callable

from execution_history.events import Event
from execution_history.model import OPEN, History, Path, StateRun, Status

_UNSUCCESSFUL = (Status.FAILED, Status.ABORTED)


def finish(run: StateRun, status: Status, event: Event) -> None:
    """End a visit. Unless it succeeded, its error is that of its last attempt."""
    run.status, run.ended_at = status, event.at
    if status is Status.SUCCEEDED:
        run.error = run.cause = None
    elif run.attempts and run.attempts[-1].failed:
        give_error(run, run.attempts[-1].error, run.attempts[-1].cause)


def give_error(run: StateRun, error: str | None, cause: str | None) -> None:
    """Name the error of a state whose own events do not, such as Fail or Choice."""
    if run.error is None:
        run.error, run.cause = error, cause


def caught_error(output: str | None) -> tuple[str | None, str | None]:
    """The ``Error`` and ``Cause`` that a Catch hands on, where no ResultPath hides them."""
    try:
        handed = json.loads(output or "")
    except (ValueError, RecursionError):
        return None, None
    if not isinstance(handed, dict):
        return None, None
    error, cause = handed.get("Error"), handed.get("Cause")
    return error if isinstance(error, str) else None, cause if isinstance(cause, str) else None


def abort_within(history: History, container: StateRun, event: Event) -> None:
    """Stop everything that still ran in a Map or Parallel that failed."""
    for run in history.current:
        if run.status in OPEN and container.holds(run.path):
            finish(run, Status.ABORTED, event)
    for path, status in history.iterations.items():
        if status in OPEN and container.holds(path):
            history.iterations[path] = Status.ABORTED


def abort_iteration(history: History, path: Path, event: Event) -> None:
    """Stop what still ran in one iteration."""
    history.iterations[path] = Status.ABORTED
    for run in history.current:
        if run.status in OPEN and run.path[: len(path)] == path:
            finish(run, Status.ABORTED, event)


def abort_all(history: History, event: Event) -> None:
    """Stop what still ran when the execution ended."""
    for run in history.current:
        if run.status in OPEN:
            finish(run, Status.ABORTED, event)
    for path, status in history.iterations.items():
        if status in OPEN:
            history.iterations[path] = Status.ABORTED


def supersede_within(history: History, container: StateRun) -> None:
    """Set aside what a Map or Parallel did before its Retry, or a loop, began it again."""
    for run in history.current:
        if container.holds(run.path):
            run.superseded = True
    for path in [path for path in history.iterations if container.holds(path)]:
        del history.iterations[path]


def await_redrive(history: History) -> list[StateRun]:
    """What a redrive will come back to: all that did not succeed."""
    waiting = [run for run in history.current if run.status in _UNSUCCESSFUL and not _caught(run)]
    for run in waiting:
        run.status, run.ended_at, run.error, run.cause = Status.PENDING, None, None, None
    for path, status in history.iterations.items():
        if status in _UNSUCCESSFUL:
            history.iterations[path] = Status.PENDING
    return waiting


def resume(
    waiting: list[StateRun], path: Path, wanted: Callable[[StateRun], bool]
) -> StateRun | None:
    """The visit that a redrive goes on with, at or below ``path``."""
    for run in waiting:
        if run.status is Status.PENDING and run.path[: len(path)] == path and wanted(run):
            reopen(run)
            return run
    return None


def reopen(run: StateRun | None) -> None:
    """Let a visit run again, and with it the Maps and Parallels that it is in."""
    while run is not None:
        if run.status is Status.PENDING:
            run.status = Status.RUNNING
        run = run.within


def _caught(run: StateRun) -> bool:
    return run.within is not None and (run.within.status is Status.CAUGHT or _caught(run.within))
