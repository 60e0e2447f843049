"""``minitickets reconcile``: look for what is broken, and mend it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import click

from execution_history import explain
from execution_status import OPEN
from minitickets.clock import iso
from minitickets.domain.reconcile_plan import make_plan
from minitickets.errors import InvalidOptions
from operations.advice import advise
from operations.commands.shared import connected
from operations.context import Operator
from operations.executions import Described
from operations.reconciliation_report import report_of, write_reconciliation
from operations.reconciling import Place, follow, is_left, start
from operations.screen import status, text
from operations.stopping import INTERRUPTED, Interrupt

_DATE = click.DateTime(["%Y-%m-%d"])


@click.command(short_help="Find tickets that stay creating and images that are gone; mend them.")
@click.option(
    "--from", "first", type=_DATE, metavar="DATE", help="First date.  [default: yesterday]"
)
@click.option("--to", "last", type=_DATE, metavar="DATE", help="Last date, instead of --horizon.")
@click.option(
    "--horizon", type=click.IntRange(0, 999), metavar="DAYS", help="Days after the first."
)
@click.option(
    "--allow-missing",
    type=click.IntRange(0, 100),
    metavar="PERCENT",
    help="Draw anew up to so many percent of a date's images.  [default: the stage's, 10]",
)
@click.option(
    "--repairs", type=click.IntRange(0, 500), metavar="N", help="So many at most.  [default: 500]"
)
@click.option("--dry-run", is_flag=True, help="Only look: repair nothing, write nothing.")
@click.option("--wait/--no-wait", default=True, help="Follow it to its end.  [default: wait]")
@connected
def reconcile(
    operator: Operator,
    first: datetime | None,
    last: datetime | None,
    horizon: int | None,
    allow_missing: int | None,
    repairs: int | None,
    dry_run: bool,
    wait: bool,
) -> int:
    """Start a reconciliation, as the schedule does once a day on AWS, and tell what it found.

    It looks at the tickets of each event date. Those that have been creating for more than 15
    minutes, and those that are ready without an image, are drawn and marked again: the same key,
    the same token. A date of which more than one image, and more than 10 % of them, are missing is
    left alone: that is an outage or a wrong bucket. Ctrl-C stops the following only.

    Exit code 1 when it failed, or something was left.

    \b
    Examples:
      minitickets reconcile --dry-run
      minitickets reconcile --from 2026-12-24 --to 2026-12-31
      minitickets reconcile --from 2026-12-24 --to 2026-12-24 --allow-missing 100
    """
    if last and horizon is not None:
        raise click.UsageError("--to and --horizon exclude each other")
    options = {
        "from": first and f"{first:%Y-%m-%d}",
        "to": last and f"{last:%Y-%m-%d}",
        "horizonDays": horizon,
        "allowMissing": allow_missing,
        "mostRepairs": repairs,
        "dryRun": dry_run or None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    _refuse_what_cannot_be_meant(given, operator.now())
    arn = start(operator.reconciliations, given)
    operator.screen.say("Started ", arn)
    if not wait:
        return _go_on_later(operator, operator.reconciliations.describe(arn))
    with Interrupt() as stop, _telling(operator) as tell:
        pause = 0.5 if operator.target.endpoint else 2
        ended = follow(operator.reconciliations, arn, stop, pause, tell)
    if ended.status in OPEN:
        _go_on_later(operator, ended)
        return INTERRUPTED
    return _tell_the_end(operator, ended)


def _refuse_what_cannot_be_meant(options: dict[str, Any], now: datetime) -> None:
    """As the execution's first step would, before there is one.

    Where nothing is said the stage's own settings hold, which are sound: any others do here.
    """
    try:
        make_plan(options, iso(now), horizon_days=0, allow_missing=0)
    except InvalidOptions as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def _telling(operator: Operator) -> Iterator[Callable[[Place], None]]:
    """On a terminal, a line that says how far it is."""
    err = operator.screen.err
    if not err.is_terminal:
        yield lambda _: None
        return
    with err.status(text("checking …")) as line:
        yield lambda place: line.update(
            text(
                f"checking {place.date or 'done'}: {place.checked} checked, {place.found} found, "
                f"{place.repaired} repaired"
            )
        )


def _go_on_later(operator: Operator, execution: Described) -> int:
    if operator.screen.as_json:
        operator.screen.json(_json(execution, None))
    operator.screen.say(
        "It runs on. Next: ", operator.command(f"minitickets show {execution.name}")
    )
    return 0


def _tell_the_end(operator: Operator, ended: Described) -> int:
    report = report_of(ended)
    if operator.screen.as_json:
        operator.screen.json(_json(ended, report))
    if report is None:
        _tell_failure(operator, ended)
        return 1
    write_reconciliation(operator.screen, report)
    return 1 if is_left(report) else 0


def _tell_failure(operator: Operator, ended: Described) -> None:
    advice = advise(ended, None, operator.now(), ended.name)
    say = operator.screen.say
    say(status(ended.status), f" {ended.error or ''}: {explain(ended.error, ended.cause).message}")
    say("A redrive can help: " if advice.redrive else "A redrive cannot help: ", advice.why, ".")
    if advice.next:
        say("Next: ", operator.command(advice.next))


def _json(execution: Described, report: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "executionArn": execution.arn,
        "status": execution.status,
        "error": execution.error,
        "cause": explain(execution.error, execution.cause).message if execution.cause else None,
        "report": report,
    }
