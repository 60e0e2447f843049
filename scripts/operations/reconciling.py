"""A reconciliation as its operator follows it: start it, hear how far it is, read its report."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from execution_status import OPEN
from operations.executions import Described, Executions
from operations.redriving import Stop

_NEWEST = 20  # events: among them is the answer of the last page or the one before


@dataclass(frozen=True)
class Place:
    """How far a run has come: the date it reads next, and what was checked and found so far."""

    date: str | None
    checked: int
    found: int
    repaired: int


def start(reconciliations: Executions, options: Mapping[str, Any]) -> str:
    """Start one with those options of make_plan; return its ARN."""
    return reconciliations.start(f"asked-{uuid.uuid4()}", json.dumps(dict(options)))


def follow(
    reconciliations: Executions, arn: str, stop: Stop, pause: float, tell: Callable[[Place], None]
) -> Described:
    """Wait for its end, or until a stop is requested; give what it is then."""
    while True:
        now = reconciliations.describe(arn)
        if now.status not in OPEN or stop.requested():
            return now
        place = _place(reconciliations, arn)
        if place:
            tell(place)
        stop.wait(pause)


def is_left(report: Mapping[str, Any]) -> bool:
    """Whether something is found and not mended, or was not looked at."""
    return bool(report["left"] or report["failed"] or report["unreadable"] or report["datesLeft"])


def _place(reconciliations: Executions, arn: str) -> Place | None:
    newest = reconciliations.newest(arn, _NEWEST)
    outputs = (event.get("stateExitedEventDetails", {}).get("output") for event in newest)
    for output in outputs:
        told = json.loads(output).get("progress") if output else None
        if told:
            totals, day = told["totals"], told["day"]
            found = sum(counts[name] for counts in (totals, day) for name in ("stale", "missing"))
            checked = totals["checked"] + day["checked"]
            return Place(told["date"], checked, found, told["repaired"])
    return None
