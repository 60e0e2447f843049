"""``scripts/minitickets``: the commands under one name, and how each of them ends."""

import sys
from collections.abc import Callable, Sequence

import click

from operations.commands.book import book
from operations.commands.console import console
from operations.commands.dead_letters import dead_letters
from operations.commands.executions import executions
from operations.commands.my_tickets import my_tickets
from operations.commands.reconcile import reconcile
from operations.commands.redrive import redrive
from operations.commands.rerun import rerun
from operations.commands.show import show
from operations.context import Operator, Options, connect
from operations.stopping import INTERRUPTED


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    no_args_is_help=True,
)
def minitickets() -> None:
    """See what became of bookings, why one failed, and bring it home.

    Every command works on the local stack of scripts/run, or with --profile or --region on AWS.

    \b
    A booking failed. What now?
      minitickets executions --status FAILED       which ones
      minitickets show bk_123                      what failed, and whether a redrive can help
      minitickets redrive bk_123                   go on where it stopped
    \b
    A night of failures, after the cause is mended:
      minitickets redrive --since 12h --dry-run    what would be redriven
      minitickets redrive --since 12h              redrive it, and wait for the ends
    \b
    Exit codes: 0 all well; 1 something failed or was left; 2 bad usage; 3 the command could not do
    its work, such as for want of a permission; 130 interrupted.
    """


for command in (
    executions, show, redrive, rerun, reconcile, book, my_tickets, dead_letters, console,
):  # fmt: skip
    minitickets.add_command(command)


def main(
    arguments: Sequence[str] | None = None,
    connect: Callable[[Options], Operator] = connect,
) -> int:
    """Run one command; return its exit code."""
    try:
        code = minitickets.main(
            list(arguments) if arguments is not None else None,
            prog_name="minitickets",
            standalone_mode=False,
            obj=connect,
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stdout = None
        return 0
    return int(code or 0)
