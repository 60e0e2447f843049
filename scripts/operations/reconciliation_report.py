"""What a reconciliation found and mended, in words."""

import json
from collections.abc import Iterator
from typing import Any

from operations.executions import Described
from operations.screen import Screen

_FOUND = (
    ("stale", "creating for more than 15 minutes"),
    ("missing", "ready without an image"),
    ("repaired", "repaired"),
    ("failed", "could not be repaired"),
    ("left", "left to the next run"),
    ("young", "creating for less than 15 minutes, left alone"),
    ("unreadable", "records that are no ticket's, left alone"),
    ("datesLeft", "dates not reached"),
)


def report_of(execution: Described) -> dict[str, Any] | None:
    """What the execution's last state told; None unless it succeeded."""
    found = json.loads(execution.output) if execution.output else None
    return found if isinstance(found, dict) else None


def lines(report: dict[str, Any]) -> Iterator[str]:
    """What it looked at, then each figure that is not 0, then each seat that it could not mend."""
    tried = ", as a dry run" if report["dryRun"] else ""
    yield (
        f"{report['checked']} tickets checked on {report['dates']} dates from {report['from']} to "
        f"{report['to']}{tried}."
    )
    for name, words in _FOUND:
        if report[name]:
            yield f"{report[name]:>8} {words}"
    for failure in report["failures"]:
        yield f"  {failure['bookingId']} seat {failure['seatNumber']}: {failure['failed']}"
    if not any(report[name] for name, _ in _FOUND):
        yield "Nothing is broken."


def write_reconciliation(screen: Screen, report: dict[str, Any]) -> None:
    for line in lines(report):
        screen.say(line)
