"""How a status looks: a word and a sign as well as a colour, the same on every page."""

from typing import NamedTuple

from nicegui import ui

from execution_history import Status


class Mark(NamedTuple):
    """``look`` is the class in console.css."""

    look: str
    sign: str
    word: str


IDLE = Mark("idle", "–", "not begun")
_STATES = {
    Status.RUNNING: Mark("running", "●", "running"),
    Status.SUCCEEDED: Mark("succeeded", "✓", "done"),
    Status.CAUGHT: Mark("caught", "↷", "caught"),
    Status.FAILED: Mark("failed", "✗", "failed"),
    Status.ABORTED: Mark("aborted", "■", "stopped"),
    Status.PENDING: Mark("pending", "◌", "to be redriven"),
}
_EXECUTIONS = {
    "RUNNING": Mark("running", "●", "RUNNING"),
    "PENDING_REDRIVE": Mark("pending", "◌", "PENDING_REDRIVE"),
    "SUCCEEDED": Mark("succeeded", "✓", "SUCCEEDED"),
    "FAILED": Mark("failed", "✗", "FAILED"),
    "TIMED_OUT": Mark("failed", "✗", "TIMED_OUT"),
    "ABORTED": Mark("aborted", "■", "ABORTED"),
}


def of_state(status: Status | None) -> Mark:
    """The mark of one visit of a state; None is one that has not begun."""
    return _STATES[status] if status else IDLE


def of_execution(status: str) -> Mark:
    """The mark of an execution, by AWS's word."""
    return _EXECUTIONS.get(status, Mark("idle", "?", status))


def chip(mark: Mark) -> ui.label:
    return ui.label(f"{mark.sign} {mark.word}").classes(f"chip {mark.look}")
