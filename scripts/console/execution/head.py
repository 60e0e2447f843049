"""The head: which booking, how it stands, why it failed, and which others there are."""

from nicegui import ui

from console.links import page_of
from console.marks import chip, of_execution
from console.privacy import masked
from console.words import many, moment, span
from execution_history import History, explain, labels, matrices
from execution_status import OPEN
from operations.context import Operator
from operations.executions import Described
from operations.following import Row, View
from operations.reconciliation_report import lines, report_of


class Head:
    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._box = ui.element("section").classes("head").props('aria-label="Summary"')
        self._shown: object = None

    def show(self, view: View, others: list[Row]) -> None:
        execution = view.execution
        now = self._operator.now() if execution.status in OPEN else None
        shown = (execution, view.history.events, [(o.arn, o.status) for o in others], now)
        if shown == self._shown:
            return
        self._shown = shown
        self._box.clear()
        with self._box:
            self._facts(view)
            for sentence in blame(view.history):
                ui.label(sentence).classes("blame")
            for line in _report(execution):
                ui.label(line)
            self._ways(execution, others)

    def _facts(self, view: View) -> None:
        execution = view.execution
        with ui.element("p").classes("facts"):
            chip(of_execution(execution.status))
            ui.label(f"started {moment(execution.started_at)}")
            ended = execution.stopped_at or self._operator.now()
            length = span(ended - execution.started_at)
            if execution.stopped_at is None:
                ui.label(f"running for {length}")
            elif execution.redrives:  # most of it went by before the redrive
                ui.label(f"ended {length} later, redriven {many(execution.redrives, 'time')}")
            else:
                ui.label(f"ran {length}")

    def _ways(self, execution: Described, others: list[Row]) -> None:
        link = self._operator.target.console_link(execution.arn)
        with ui.element("p").classes("facts"):
            ui.label(execution.name).classes("mono")
            if link:
                ui.link("Open in the AWS console", link, new_tab=True)
            for other in others:
                ui.link(
                    f"Also of this booking: {other.status} {other.name[:8]}",
                    page_of(other),
                )


def _report(execution: Described) -> list[str]:
    """What a reconciliation that succeeded found and mended."""
    told = report_of(execution) if execution.is_reconciliation else None
    return list(lines(told)) if told else []


def blame(history: History) -> list[str]:
    """What failed and why, a sentence for each state to blame; at most three."""
    seats = labels(matrices(history))
    sentences = []
    for run in history.failures[:3]:
        depths = range(len(run.path), 0, -1)
        seat = next((seats[run.path[:d]] for d in depths if run.path[:d] in seats), None)
        of = f" of {seat}" if seat else ""
        after = f" after {many(run.tries, 'attempt')}" if run.tries > 1 else ""
        why = explain(run.error, run.cause).message
        sentences.append(f"{run.name}{of} failed{after}: {run.error or 'no error is named'}: {why}")
    more = len(history.failures) - len(sentences)
    if more > 0:
        sentences.append(f"… and {many(more, 'more failure')}: see the seats.")
    if not sentences and history.status in ("FAILED", "TIMED_OUT", "ABORTED"):
        why = explain(history.error, history.cause).message
        sentences.append(f"{history.status}: {history.error or 'no error is named'}: {why}")
    return [masked(sentence) for sentence in sentences]
