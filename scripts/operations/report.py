"""One execution on the screen: its head, the seats against their states, the blame, the advice."""

from dataclasses import dataclass, field
from typing import Any

from rich.text import Text

from execution_history import (
    History,
    Matrix,
    Path,
    Row,
    StateRun,
    Status,
    explain,
    labels,
    matrices,
    unreached,
)
from operations.advice import Advice
from operations.executions import Described
from operations.reconciliation_report import report_of, write_reconciliation
from operations.screen import Screen, status, text, when

_MARKS = {
    Status.SUCCEEDED: ("done", "green"),
    Status.CAUGHT: ("caught", "yellow"),
    Status.FAILED: ("FAILED", "bold red"),
    Status.ABORTED: ("stopped", "yellow"),
    Status.RUNNING: ("running", "cyan"),
    Status.PENDING: ("to redrive", "cyan"),
}
_ENDS = {
    "FAILED": "Failed, and the history names no state:",
    "TIMED_OUT": "Timed out: it took longer than the state machine's TimeoutSeconds.",
    "ABORTED": "Stopped from outside.",
}
_FEW = 12  # rows; of a larger Map only those that are not done are shown


@dataclass(frozen=True)
class Report:
    """What ``show`` knows; of a history in a file, only the first two."""

    history: History
    definition: dict[str, Any] | None = None
    execution: Described | None = None
    others: list[Described] = field(default_factory=list)
    advice: Advice | None = None
    next: str | None = None
    link: str | None = None

    @property
    def matrices(self) -> list[Matrix]:
        return matrices(self.history, self.definition)

    @property
    def unreached(self) -> list[str]:
        return unreached(self.history, self.definition) if self.definition else []


def write_report(screen: Screen, report: Report) -> None:
    if screen.as_json:
        screen.json(to_json(report))
        return
    _head(screen, report)
    _outside_maps(screen, report.history)
    for matrix in report.matrices:
        _matrix(screen, matrix)
    _failures(screen, report)
    if report.unreached:
        screen.say("Never reached: ", ", ".join(report.unreached))
    _advice(screen, report)


def to_json(report: Report) -> dict[str, Any]:
    """The one object of ``show --json``; what a file cannot tell is null."""
    execution, advice = report.execution, report.advice
    return {
        "executionArn": execution.arn if execution else None,
        "bookingId": execution.booking if execution else None,
        **report.history.to_json(),
        "maps": [_matrix_json(matrix) for matrix in report.matrices],
        "neverReached": report.unreached if report.definition else None,
        "otherExecutions": [other.arn for other in report.others],
        "redrive": {"canHelp": advice.redrive, "why": advice.why} if advice else None,
        "next": report.next,
        "console": report.link,
    }


def _head(screen: Screen, report: Report) -> None:
    history, execution = report.history, report.execution
    if execution:
        if not execution.is_reconciliation:
            screen.say("booking   ", execution.booking or "?")
        screen.say("execution ", execution.arn)
    ended = f" to {when(history.stopped_at)}" if history.stopped_at else ""
    redriven = f", redriven {_times(history.redrives)}" if history.redrives else ""
    screen.say(
        "status    ", status(history.status), f"  {when(history.started_at)}{ended}{redriven}"
    )
    if report.link:
        screen.say("console   ", report.link)
    for other in report.others:
        screen.say("also      ", status(other.status), f"  {other.name}")
    screen.say("")


def _outside_maps(screen: Screen, history: History) -> None:
    runs = [run for run in history.current if not any(isinstance(s.key, int) for s in run.path)]
    rows = [[text(run.name), _cell(run), text(run.error or "")] for run in runs]
    screen.table(["state", "", ""], rows)
    screen.say("")


def _matrix(screen: Screen, matrix: Matrix) -> None:
    rows = matrix.rows
    if len(rows) > _FEW:
        rows = [row for row in rows if not row.done]
    screen.say(matrix.name, f": {matrix.succeeded} of {len(matrix.rows)} done")
    if rows:
        screen.table(["", *matrix.columns], [_row(matrix, row) for row in rows])
    screen.say("")


def _row(matrix: Matrix, row: Row) -> list[Text]:
    return [text(row.label), *(_cell(row.cells.get(name)) for name in matrix.columns)]


def _cell(run: StateRun | None) -> Text:
    if run is None:
        return text("-", "dim")
    word, style = _MARKS[run.status]
    tries = f" ({run.tries} tries)" if run.tries > 1 else ""
    return text(word + tries, style)


def _failures(screen: Screen, report: Report) -> None:
    history = report.history
    rows = labels(report.matrices)
    for title, runs in (("Failed", history.failures), ("Caught", history.caught)):
        for run in runs:
            _failure(screen, f"{title}: {run.name}{_where(run, rows)}", run)
    if not history.failures and history.status in _ENDS:
        cause = explain(history.error, history.cause).message if history.cause else ""
        screen.say(_ENDS[history.status], " ", history.error or "", " ", cause)


def _failure(screen: Screen, head: str, run: StateRun) -> None:
    cause = explain(run.error, run.cause)
    tries = f" after {run.tries} attempts" if run.tries > 1 else ""
    screen.say(head, tries, ": ", run.error or "no error is named")
    screen.say("  ", cause.message)
    for name, value in (("at ", cause.where), ("request ", cause.request_id)):
        if value:
            screen.say("  ", name, value, style="dim")


def _where(run: StateRun, rows: dict[Path, str]) -> str:
    """`` of seat 2``, from the innermost iteration outwards; nothing outside every Map."""
    depths = range(len(run.path), 0, -1)
    labels = [rows[run.path[:depth]] for depth in depths if run.path[:depth] in rows]
    return "".join(f" of {label}" for label in labels)


def _advice(screen: Screen, report: Report) -> None:
    execution = report.execution
    told = report_of(execution) if execution and execution.is_reconciliation else None
    if told:
        write_reconciliation(screen, told)
    elif report.history.status == "SUCCEEDED":
        screen.say("Nothing is left to do: it succeeded.")
    elif report.advice:
        can = "A redrive can help: " if report.advice.redrive else "A redrive cannot help: "
        screen.say(can, report.advice.why, ".")
    if report.next:
        screen.say("Next: ", report.next)


def _matrix_json(matrix: Matrix) -> dict[str, Any]:
    return {
        "state": matrix.name,
        "iterations": [
            {
                "index": row.index,
                "bookingId": row.booking,
                "seatNumber": row.seat,
                "status": row.status.value if row.status else None,
                "states": {name: run.status.value for name, run in row.cells.items()},
            }
            for row in matrix.rows
        ],
    }


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
