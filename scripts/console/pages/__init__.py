"""The pages: a module for each, whose ``register`` tells NiceGUI its path."""

from console import images
from console.context import Console
from console.pages import (
    book,
    break_it,
    execution,
    executions,
    missing,
    my_tickets,
    reconciliations,
)


def register(console: Console) -> None:
    """Register every page. Once in a process: NiceGUI's pages belong to the process."""
    executions.register(console)
    execution.register(console)
    images.register(console)
    missing.register(console)
    book.register(console)
    my_tickets.register(console)
    reconciliations.register(console)
    break_it.register(console)
