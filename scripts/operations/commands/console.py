"""``minitickets console``: the page that shows executions."""

import click

from local_stack.aws import CONSOLE_PORT
from operations.commands.shared import connected
from operations.context import Operator


@click.command(short_help="Show executions on a page in the browser, and redrive them there.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=CONSOLE_PORT,
    show_default=True,
    help="Where to listen on 127.0.0.1; a free port when it is taken.",
)
@click.option("--lifeline", is_flag=True, hidden=True, help="End when stdin ends.")
@connected
def console(operator: Operator, port: int, lifeline: bool) -> int:
    """Serve a page on this machine that shows executions as a graph, seat by seat.

    scripts/run serves it by itself. Start it by hand to look at AWS.

    \b
    Examples:
      minitickets console --profile shop --stage prod
      minitickets console --endpoint http://127.0.0.1:4510
    """
    # Imported late: no other command should wait for the web framework.
    from console.context import Console
    from console.server import serve

    serve(Console.of(operator), port, click.echo, lifeline=lifeline)
    return 0
