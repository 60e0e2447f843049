"""What became of each redrive: a table and a line of counts, or one JSON object."""

from typing import Any

from rich.text import Text

from operations.redriving import Redrive
from operations.screen import Screen, status, text


def write_redrives(screen: Screen, chosen: list[Redrive], *, dry_run: bool = False) -> None:
    if screen.as_json:
        screen.json(_json(chosen, dry_run))
        return
    if not chosen:
        screen.say("No failed execution matches.")
        return
    screen.table(
        ["booking", "was", "error", "is" if not dry_run else "", "execution"],
        [_cells(redrive, dry_run) for redrive in chosen],
    )
    counts = _counts(chosen)
    if dry_run:
        screen.say(f"{counts['selected']} would be redriven, {counts['leftOut']} left out.")
    else:
        screen.say(
            f"{counts['redriven']} redriven: {counts['succeeded']} succeeded, "
            f"{counts['failed']} failed again, {counts['open']} still running. "
            f"{counts['leftOut']} left out, {counts['notRedriven']} not redriven."
        )


def _cells(redrive: Redrive, dry_run: bool) -> list[Text]:
    execution = redrive.execution
    if redrive.left_out:
        outcome = text(f"left out: {redrive.note}", "yellow")
    elif dry_run:
        outcome = text("would be redriven")
    else:
        outcome = status(redrive.status) if redrive.redriven else text("")
        if redrive.note:
            outcome.append_text(text(f" {redrive.note}"))
    return [
        text(execution.booking or "?"),
        status(execution.status),
        text(execution.error),
        outcome,
        text(execution.name, "dim"),
    ]


def _counts(chosen: list[Redrive]) -> dict[str, int]:
    redriven = [redrive for redrive in chosen if redrive.redriven]
    running = sum(redrive.status == "RUNNING" for redrive in redriven)
    succeeded = sum(redrive.succeeded for redrive in redriven)
    selected = [redrive for redrive in chosen if not redrive.left_out]
    return {
        "selected": len(selected),
        "leftOut": len(chosen) - len(selected),
        "redriven": len(redriven),
        "succeeded": succeeded,
        "failed": len(redriven) - running - succeeded,
        "open": running,
        "notRedriven": len(selected) - len(redriven),
    }


def _json(chosen: list[Redrive], dry_run: bool) -> dict[str, Any]:
    rows = [
        {
            "executionArn": redrive.execution.arn,
            "bookingId": redrive.execution.booking,
            "was": redrive.execution.status,
            "error": redrive.execution.error,
            "status": redrive.status,
            "redriven": redrive.redriven,
            "leftOut": redrive.left_out,
            "note": redrive.note,
        }
        for redrive in chosen
    ]
    return {"dryRun": dry_run, **_counts(chosen), "executions": rows}
