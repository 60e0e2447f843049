"""One state: what it is for, and each visit's attempts, error, input and output."""

import json
from typing import Any

from nicegui import ui

from asl_walk import scopes
from console.execution.focus import Focus
from console.marks import chip, of_state
from console.parts import heading
from console.privacy import masked
from console.words import clock, many, span
from execution_history import (
    Attempt,
    History,
    Matrix,
    Path,
    StateRun,
    Status,
    explain,
    labels,
    place,
)
from well_formed import well_formed

_AT_ONCE = 10  # visits
_URGENT = (Status.FAILED, Status.RUNNING, Status.PENDING, Status.ABORTED, Status.CAUGHT)


class StatePanel:
    def __init__(self, focus: Focus) -> None:
        self._focus = focus
        self._box = ui.element("div").classes("stack")
        self._shown: object = None
        self._limit = _AT_ONCE

    def show(
        self, history: History, matrices: list[Matrix], definition: dict[str, Any] | None
    ) -> None:
        focus = self._focus
        shown = (focus.state, focus.seat, history.events, history.redrives, self._limit)
        if shown == self._shown:
            return
        self._shown = shown
        self._box.clear()
        with self._box:
            if focus.state is None:
                ui.label("Choose a state in the graph.").classes("empty")
                return
            visits = [r for r in history.current if r.name == focus.state and focus.holds(r.path)]
            visits.sort(key=lambda run: (_urgency(run.status), _iterations(run.path)))
            self._head(focus.state, definition)
            seats = labels(matrices)
            for run in visits[: self._limit]:
                _visit(run, place(run.path, seats))
            self._rest(len(visits))

    def _head(self, name: str, definition: dict[str, Any] | None) -> None:
        heading(name, 2)
        for scope in scopes(definition or {}):
            comment = scope.states.get(name, {}).get("Comment")
            if isinstance(comment, str):
                ui.label(comment).classes("dim")
        if self._focus.seat:
            ui.label(f"Only {self._focus.seat_label}.").classes("dim")

    def _rest(self, count: int) -> None:
        if not count:
            ui.label("Not reached.").classes("empty")
        elif count > self._limit:
            more = f"{count - self._limit} more, the failed ones come first"
            ui.button(f"Show {_AT_ONCE} of {more}", on_click=self._more).props("no-caps outline")

    def _more(self) -> None:
        self._limit += _AT_ONCE
        self._focus.changed()


def _urgency(status: Status) -> int:
    return _URGENT.index(status) if status in _URGENT else len(_URGENT)


def _iterations(path: Path) -> list[int]:
    return [step.key for step in path if isinstance(step.key, int)]


def _visit(run: StateRun, where: str) -> None:
    with ui.element("article").classes("visit"):
        with ui.element("p").classes("facts"):
            if where:
                ui.label(where).classes("strong")
            chip(of_state(run.status))
            if run.entered_at:
                ui.label(f"entered {clock(run.entered_at)}")
            if run.entered_at and run.ended_at:
                ui.label(f"took {span(run.ended_at - run.entered_at)}")
        if run.error:
            cause = explain(run.error, run.cause)
            ui.label(masked(f"{run.error}: {cause.message}")).classes("blame")
            if cause.where:
                ui.label(cause.where).classes("mono dim")
        _attempts(run)
        _data("Input", run.input)
        _data("Output", run.output)


def _attempts(run: StateRun) -> None:
    if run.type != "Task" or not run.attempts:
        return
    with ui.element("details") as details:
        with ui.element("summary"):
            ui.label(many(len(run.attempts), "attempt"))
        if len(run.attempts) > 1:
            details.props("open")
        with ui.element("ol").classes("attempts"):
            for attempt in run.attempts:
                with ui.element("li"):
                    ui.label(masked(_attempt(attempt)))


def _attempt(attempt: Attempt) -> str:
    took = ""
    if attempt.scheduled_at and attempt.ended_at:
        took = f" after {span(attempt.ended_at - attempt.scheduled_at)}"
    redrive = f", redrive {attempt.redrive}" if attempt.redrive else ""
    if attempt.failed:
        why = explain(attempt.error, attempt.cause).message
        ended = f"failed{took}: {attempt.error}: {why}"
    else:
        ended = f"done{took}" if attempt.succeeded else "running"
    return f"{clock(attempt.scheduled_at)}{redrive}  {ended}"


def _data(title: str, text: str | None) -> None:
    if text is None:
        return
    with ui.element("details"):
        with ui.element("summary"):
            ui.label(title)
        ui.label(masked(pretty(text))).classes("data").props("tabindex=0")


def pretty(text: str) -> str:
    """JSON indented; anything else as it stands."""
    try:
        return well_formed(json.dumps(json.loads(text), indent=2, ensure_ascii=False))
    except (ValueError, RecursionError):
        return well_formed(text)
