"""Redrive and Run again: each to be pressed only when it can help, else with the reason why not."""

from collections.abc import Awaitable, Callable

from nicegui import run, ui

from console.context import Console
from console.links import path_of
from console.parts import button, focus
from console.words import many, moment
from execution_status import OPEN
from operations.advice import advise
from operations.executions import Described
from operations.failures import KNOWN, sentence
from operations.following import View
from operations.rerunning import hindrance, start_again, warnings


class Actions:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._view: View | None = None
        self._asked_at_redrives = -1
        self._starting = False
        with ui.element("section").classes("actions").props('aria-label="Actions"'):
            self._redrive, self._why_redrive = self._action("Redrive", self._do_redrive)
            self._rerun, self._why_rerun = self._action("Run again", self._do_rerun)
            self._outcome = ui.label().props('role="status" tabindex="-1"').classes("outcome")

    def show(self, view: View) -> None:
        self._view = view
        execution = view.execution
        operator = self._console.operator
        advice = advise(execution, view.history.events, operator.now(), execution.name)
        asked = self._asked_at_redrives == execution.redrives
        self._redrive.set_enabled(advice.redrive and not asked)
        self._why_redrive.set_text(_sentence(advice.redrive, advice.why))
        why_not = hindrance(execution)
        self._rerun.set_enabled(why_not is None)
        anew = "a new execution with the same input; what is ready stays as it is"
        self._why_rerun.set_text(_sentence(why_not is None, why_not or anew))
        self._outcome.set_text(_outcome(execution))

    def _action(self, label: str, do: Callable[[], Awaitable[None]]) -> tuple[ui.button, ui.label]:
        with ui.element("div").classes("action"):
            choice = button(label, main=True).on_click(do)
            reason = ui.label().classes("dim")
        choice.set_enabled(False)
        return choice, reason

    async def _do_redrive(self) -> None:
        if self._view is None:
            return
        execution = self._view.execution
        self._asked_at_redrives = execution.redrives
        self._redrive.set_enabled(False)
        focus(self._outcome)
        try:
            await run.io_bound(self._console.operator.executions.redrive, execution)
        except KNOWN as error:
            self._asked_at_redrives = -1
            self._complain(error)

    async def _do_rerun(self) -> None:
        if self._view is None or self._starting:  # pressed twice
            return
        operator, execution = self._console.operator, self._view.execution
        self._starting = True
        try:
            notes = await run.io_bound(warnings, operator.bookings, execution, operator.now())
            if notes and not await self._confirmed(notes):
                return
            arn = await run.io_bound(start_again, operator.executions, execution)
        except KNOWN as error:
            self._complain(error)
            return
        finally:
            self._starting = False
        if arn is not None:  # None while the console itself is stopping
            ui.navigate.to(path_of(arn))

    async def _confirmed(self, notes: list[str]) -> bool:
        with ui.dialog() as dialog, ui.card().classes("dialog"):
            ui.label("Start a new execution with the same input?").classes("strong")
            for note in notes:
                ui.label(f"Note: {note}.")
            with ui.row():
                ui.button("Run again", on_click=lambda: dialog.submit(True)).props("no-caps")
                ui.button("Cancel", on_click=dialog.close).props("no-caps outline")
        return bool(await dialog)

    def _complain(self, error: Exception) -> None:
        words = sentence(error, self._console.where, self._console.endpoint)
        ui.notify(words, type="negative", close_button="Close", timeout=0, multi_line=True)


def _sentence(can: bool, why: str) -> str:
    return f"{'It can help' if can else 'It cannot help'}: {why}."


def _outcome(execution: Described) -> str:
    if not execution.redrives:
        return ""
    redriven = f"Redriven {many(execution.redrives, 'time')}"
    if execution.status in OPEN:
        return f"{redriven}, and running again …"
    return f"{redriven}; ended {execution.status} at {moment(execution.stopped_at)}."
