"""What a reconciliation found and mended, in words."""

import json
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


def write_reconciliation(screen: Screen, report: dict[str, Any]) -> None:
    tried = ", as a dry run" if report["dryRun"] else ""
    screen.say(
        f"{report['checked']} tickets checked on {report['dates']} dates from {report['from']} to "
        f"{report['to']}{tried}."
    )
    for name, words in _FOUND:
        if report[name]:
            screen.say(f"{report[name]:>8} {words}")
    for failure in report["failures"]:
        screen.say(f"  {failure['bookingId']} seat {failure['seatNumber']}: {failure['failed']}")
    if not any(report[name] for name, _ in _FOUND):
        screen.say("Nothing is broken.")
