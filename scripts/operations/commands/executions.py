"""``minitickets executions``: what ran, newest first."""

import itertools
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import click

from execution_status import OPEN, UNSUCCESSFUL
from operations.commands.shared import connected, error_option, since_option
from operations.context import Operator
from operations.executions import Described, Executions, Listed
from operations.screen import status, text, when
from operations.target import BOOKINGS, RECONCILIATIONS

_STATUSES = ("SUCCEEDED", *UNSUCCESSFUL, *OPEN)


@click.command(short_help="List executions and the seats that are ready.")
@click.option(
    "--status",
    "statuses",
    type=click.Choice(_STATUSES, case_sensitive=False),
    multiple=True,
    help="Only these (repeatable).",
)
@click.option("--booking", metavar="ID", help="Only this booking's, found by its records.")
@click.option("--every-delivery", is_flag=True, help="With --booking: search all executions.")
@click.option(
    "--machine",
    type=click.Choice((BOOKINGS, RECONCILIATIONS)),
    default=BOOKINGS,
    show_default=True,
    help="Of this state machine.",
)
@error_option()
@since_option("Started since then")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="Rows at most."
)
@connected
def executions(
    operator: Operator,
    statuses: tuple[str, ...],
    booking: str | None,
    every_delivery: bool,
    machine: str,
    errors: tuple[str, ...],
    since: datetime | None,
    limit: int,
) -> int:
    """List executions, newest first, with the seats that are ready.

    A listing of Step Functions holds neither booking nor error, so each row is looked up: --since,
    --status and --limit keep that short.

    \b
    Examples:
      minitickets executions
      minitickets executions --status FAILED --status TIMED_OUT --since 6h
      minitickets executions --error EmailThrottled --limit 200
      minitickets executions --booking bk_123 --every-delivery
      minitickets executions --machine reconcile-tickets
      minitickets executions --profile shop --stage prod --json
    """
    if every_delivery and not booking:
        raise click.UsageError("--every-delivery goes with --booking")
    if booking and machine != BOOKINGS:
        raise click.UsageError(f"--booking goes with --machine {BOOKINGS}")
    found = (
        operator.find.all(booking, thorough=every_delivery)[::-1]
        if booking
        else _described(
            operator.executions if machine == BOOKINGS else operator.reconciliations,
            statuses,
            since,
        )
    )
    wanted = (
        each
        for each in found
        if (not statuses or each.status in statuses)
        and (not errors or each.error in errors)
        and (since is None or each.started_at >= since)
    )
    with operator.screen.busy("reading executions …"):
        rows = [_row(operator, each) for each in itertools.islice(wanted, limit)]
    if operator.screen.as_json:
        operator.screen.json({"executions": rows})
    elif rows:
        _table(operator, rows, limit)
    else:
        operator.screen.say("No execution matches.")
    return 0


def _described(
    of: Executions, statuses: tuple[str, ...], since: datetime | None
) -> Iterator[Described]:
    one = statuses[0] if len(statuses) == 1 else None
    listed: Iterator[Listed] = of.list(one, since)
    for each in listed:
        if not statuses or each.status in statuses:
            yield of.describe(each.arn)


def _row(operator: Operator, execution: Described) -> dict[str, Any]:
    booking = execution.booking
    claim = operator.bookings.claim(booking) if booking else None
    ready = operator.bookings.seats_ready(booking, claim.user_id) if booking and claim else None
    return {
        "startedAt": execution.started_at,
        "stoppedAt": execution.stopped_at,
        "status": execution.status,
        "bookingId": booking,
        "seatsReady": ready,
        "seats": claim.quantity if claim else None,
        "redriveCount": execution.redrives,
        "error": execution.error,
        "name": execution.name,
        "executionArn": execution.arn,
    }


def _table(operator: Operator, rows: list[dict[str, Any]], limit: int) -> None:
    columns = ["started", "status", "booking", "seats ready", "redrives", "error", "execution"]
    cells = [
        [
            text(when(row["startedAt"])),
            status(row["status"]),
            text(row["bookingId"] or "?"),
            text("-" if row["seats"] is None else f"{row['seatsReady']}/{row['seats']}"),
            text(row["redriveCount"] or ""),
            text(row["error"]),
            text(row["name"], "dim"),
        ]
        for row in rows
    ]
    operator.screen.table(columns, cells)
    if len(rows) == limit:
        operator.screen.complain(f"These are the newest {limit}; --limit shows more.")
