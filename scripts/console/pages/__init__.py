"""The pages: a module for each, whose ``register`` tells NiceGUI its path."""

from console.context import Console
from console.pages import executions


def register(console: Console) -> None:
    """Register every page. Once in a process: NiceGUI's pages belong to the process."""
    executions.register(console)
