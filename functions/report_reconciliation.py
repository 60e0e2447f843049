"""Report: what a reconciliation found and mended, as metrics and as the execution's output."""

from typing import Any

from minitickets.domain.reconcile_plan import Plan
from minitickets.domain.reconcile_progress import Progress
from minitickets.domain.reconciliation import count_outcomes, report
from minitickets.observability import count, logger, step


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """``{"state", "execution"}``, with the state that Check gave last → the report."""
    state = event["state"]
    progress = count_outcomes(Progress.from_json(state["progress"]), state.get("outcomes", []))
    told = report(progress, Plan.from_json(state["plan"]))
    if not told["dryRun"]:
        count("TicketsChecked", told["checked"])
        count("TicketsRepaired", told["repaired"])
        count("TicketsUnrepaired", told["failed"])
        count("TicketsLeft", told["left"])
    logger.info("reconciled", report=told)
    return told
