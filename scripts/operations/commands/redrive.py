"""``minitickets redrive``: go on where failed executions stopped."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from operations.commands.shared import connected, error_option, since_option
from operations.context import Operator
from operations.executions import Described
from operations.redrive_report import write_redrives
from operations.redriving import Redrive, consider, failed, redrive_all
from operations.stopping import INTERRUPTED, Interrupt


@click.command(short_help="Go on where failed executions stopped.")
@click.argument("names", nargs=-1, metavar="[BOOKING|NAME|ARN]...")
@click.option(
    "--booking", "bookings", multiple=True, metavar="ID", help="Like BOOKING (repeatable)."
)
@click.option("--every-delivery", is_flag=True, help="Search all executions of the bookings.")
@error_option()
@since_option("Failed ones that started since then")
@click.option("--all", "everything", is_flag=True, help="All failed executions.")
@click.option("--dry-run", is_flag=True, help="Say what would be redriven, and redrive nothing.")
@click.option(
    "--at-once",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="So many of them run at one time.",
)
@click.option("--wait/--no-wait", default=True, help="Follow them to their ends.  [default: wait]")
@connected
def redrive(
    operator: Operator,
    names: tuple[str, ...],
    bookings: tuple[str, ...],
    every_delivery: bool,
    errors: tuple[str, ...],
    since: datetime | None,
    everything: bool,
    dry_run: bool,
    at_once: int,
    wait: bool,
) -> int:
    """Redrive one execution, or all failed ones that match.

    A redriven execution goes on at the states that failed or were stopped, with the same input and
    the same definition; what had finished is not run again. InvalidBooking and BookingConflict are
    left out unless named, since a redrive cannot mend a message.

    Ctrl-C stops cleanly, and the same command started again does the rest: what was redriven is no
    longer among the failed ones. Nothing is lost either way.

    \b
    Examples:
      minitickets redrive bk_123
      minitickets redrive --error EmailThrottled --since 1d --dry-run
      minitickets redrive --since 2026-11-30T18:00Z --at-once 20
      minitickets redrive --all --no-wait --json
    """
    asked = (*names, *bookings)
    if not asked and not (errors or since or everything):
        raise click.UsageError(
            "say what to redrive: a BOOKING, NAME or ARN, --error, --since, --all"
        )
    with operator.screen.busy("reading the failed executions …"):
        chosen = _choose(operator, asked, every_delivery, errors, since)
    if dry_run:
        write_redrives(operator.screen, chosen, dry_run=True)
        return 0
    with Interrupt() as stop:
        try:
            with _bar(operator, chosen) as done:
                redrive_all(
                    operator.executions, chosen, stop, at_once=at_once, follow=wait,
                    pause=0.2 if operator.target.endpoint else 2, done=done,
                )  # fmt: skip
        finally:
            write_redrives(operator.screen, chosen)
    if stop.requested():
        operator.screen.complain("Interrupted. The same command does the rest.")
        return INTERRUPTED
    return _code(chosen, wait, bool(asked))


def _choose(
    operator: Operator,
    asked: tuple[str, ...],
    every_delivery: bool,
    errors: tuple[str, ...],
    since: datetime | None,
) -> list[Redrive]:
    now, chosen = operator.now(), {}
    for execution in _candidates(operator, asked, every_delivery, since):
        redrive = consider(
            execution, errors, now, by_name=execution.name in asked or execution.arn in asked
        )
        if redrive:
            chosen[execution.arn] = redrive
    return list(chosen.values())


def _candidates(
    operator: Operator, asked: tuple[str, ...], every_delivery: bool, since: datetime | None
) -> Iterator[Described]:
    if not asked:
        for listed in failed(operator.executions, since):
            yield operator.executions.describe(listed.arn)
    for name in asked:
        found = operator.find.all(name, thorough=every_delivery)
        yield from (each for each in found if since is None or each.started_at >= since)


@contextmanager
def _bar(operator: Operator, chosen: list[Redrive]) -> Iterator[Callable[[Redrive], None]]:
    """One bar on stderr; without a terminal, none."""
    total = sum(not redrive.left_out for redrive in chosen)
    columns = (TextColumn("redriving"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = operator.screen.err
    shown = console.is_terminal and total > 0
    with Progress(*columns, console=console, disable=not shown) as progress:
        task = progress.add_task("", total=total)
        yield lambda _: progress.advance(task)


def _code(chosen: list[Redrive], wait: bool, named: bool) -> int:
    tried = [redrive for redrive in chosen if not redrive.left_out]
    left_out = named and any(redrive.left_out and not redrive.succeeded for redrive in chosen)
    well = all(r.succeeded if wait else r.status == "RUNNING" for r in tried)
    return 0 if well and not left_out else 1
