"""``/reconciliations``: the runs of the other machine, newest first, and what each found."""

from datetime import datetime
from typing import Any

from nicegui import ui

from console.cells import duration, started, status
from console.context import Console
from console.frame import frame, live
from console.links import page_of
from console.parts import Words, button, heading, style
from console.tables import LiveTable, Row, cell
from console.words import many
from operations.executions import Described
from operations.reconciliation_report import report_of
from operations.rows import why

_PATH = "/reconciliations"
_MORE = 50
_FIGURES = [
    ("checked", "Checked"),
    ("repaired", "Repaired"),
    ("failed", "Not repaired"),
    ("left", "Left"),
]
_COLUMNS = [
    ("run", "Run"),
    ("status", "Status"),
    ("dates", "Dates"),
    *_FIGURES,
    ("started", "Started (UTC)"),
    ("duration", "Duration"),
    ("redrives", "Redrives"),
]


def register(console: Console) -> None:
    @ui.page(_PATH)
    def page() -> None:
        with frame(console, _PATH, "Reconciliations"):
            style()
            heading("Reconciliations")
            _Listing(console)


class _Listing:
    """The table of one open page, as long as that page wants it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._limit = _MORE
        self._count = ui.label("Reading …").classes("count")
        self._table = LiveTable(_COLUMNS, empty="").classes("executions")
        with ui.element("p").classes("empty") as self._none:
            ui.label("No reconciliation has run yet. On AWS one starts each day; or start one:")
            Words("code", console.operator.command("minitickets reconcile"))
        self._more = button("Show more").classes("more").on_click(self._show_more)
        for part in (self._table, self._none, self._more):
            part.set_visibility(False)
        live(console, self._read, self._show)

    def _show_more(self) -> None:
        self._limit += _MORE

    def _read(self) -> list[Described]:
        """One more than is shown tells that there are more."""
        return self._console.follower.reconciliations(self._limit + 1)

    def _show(self, runs: list[Described]) -> None:
        now, shown = self._console.operator.now(), runs[: self._limit]
        self._table.show([_cells(run, now) for run in shown])
        left = len(runs) > len(shown)
        newest = f"The newest {len(shown)} reconciliations"
        self._count.set_text(newest if left else many(len(shown), "reconciliation"))
        self._table.set_visibility(bool(shown))
        self._none.set_visibility(not shown)
        self._more.set_visibility(left)


def _cells(run: Described, now: datetime) -> Row:
    report = report_of(run)
    return {
        "id": run.arn,
        "run": cell(run.name, href=page_of(run)),
        "status": status(run.status, run.error, why(run)),
        "dates": _dates(report),
        **{name: cell(report[name] if report else "–") for name, _ in _FIGURES},
        "started": started(run, now),
        "duration": duration(run, now),
        "redrives": cell(run.redrives or "–"),
    }


def _dates(report: dict[str, Any] | None) -> dict[str, Any]:
    """Only a run that succeeded tells which they were."""
    if report is None:
        return cell("–")
    return cell(
        f"{report['from']} to {report['to']}", note="a dry run" if report["dryRun"] else None
    )
