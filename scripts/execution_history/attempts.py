"""The tries of one visit. AWS counts them nowhere: each is a Scheduled event and what ends it."""

from execution_history.events import Event
from execution_history.model import Attempt, History, StateRun


def begin(history: History, run: StateRun, event: Event) -> None:
    run.attempts.append(Attempt(history.redrives, event.at))


def fail(history: History, run: StateRun, event: Event) -> None:
    """End the open attempt. There is none when the Task could not even be scheduled."""
    if not run.attempts or run.attempts[-1].succeeded or run.attempts[-1].failed:
        run.attempts.append(Attempt(history.redrives))
    attempt = run.attempts[-1]
    attempt.error, attempt.cause = event.text("error") or event.type, event.text("cause")
    attempt.ended_at = event.at


def succeed(run: StateRun, event: Event) -> None:
    if run.attempts:
        run.attempts[-1].ended_at, run.attempts[-1].succeeded = event.at, True


def fail_container(history: History, run: StateRun, event: Event) -> None:
    """End a Map's or a Parallel's start with the error of the state that failed in it."""
    if run.attempts:
        inner = next((leaf for leaf in history.failures if run.holds(leaf.path)), run)
        attempt = run.attempts[-1]
        attempt.error = event.text("error") or inner.error
        attempt.cause = event.text("cause") or inner.cause
        attempt.ended_at = event.at


def started_before(history: History, run: StateRun) -> bool:
    """Whether this Map or Parallel had a start since the last redrive: a Retry starts it now."""
    return bool(run.attempts) and run.attempts[-1].redrive == history.redrives
