"""The graph of the definition, with what happened to each state."""

from collections.abc import Callable
from typing import Any

from nicegui import ui

from console.execution.focus import Focus
from console.graph.execution_graph import ExecutionGraph, NodeState
from console.graph.flowchart import CannotDraw, flowchart
from console.marks import of_state
from console.words import many
from execution_history import History, Status, Tally, tallies

_ORDER = (
    Status.SUCCEEDED,
    Status.FAILED,
    Status.RUNNING,
    Status.PENDING,
    Status.ABORTED,
    Status.CAUGHT,
)

_WITHHELD = (
    "You are not permitted to call DescribeStateMachineForExecution, so there is no graph. The "
    "seats and the events need none."
)


class Graph:
    """Drawn once, since a definition does not change while it is executed; then only coloured."""

    def __init__(self, on_pick: Callable[[str], None]) -> None:
        """``on_pick`` gets the name of the state that was picked."""
        self._on_pick = on_pick
        self._box = ui.element("div").classes("scroll")
        self._drawn: ExecutionGraph | None = None
        self._names: list[str] = []
        self._refused = False

    def show(self, history: History, definition: dict[str, Any] | None, focus: Focus) -> None:
        if definition is None:
            self._box.clear()
            with self._box:
                ui.label(_WITHHELD).classes("empty")
        elif self._drawn is None and not self._refused:
            self._box.clear()
            self._draw(definition)
        if self._drawn:
            found = tallies(history, focus.seat)
            self._drawn.show(
                {name: _state(name, found.get(name)) for name in self._names}, focus.state
            )

    def _draw(self, definition: dict[str, Any]) -> None:
        with self._box:
            try:
                drawing = flowchart(definition)
            except CannotDraw as reason:
                self._refused = True
                ui.label(f"The graph cannot be drawn: {reason}").classes("notice")
                return
            self._names = [node.name for node in drawing.nodes.values()]
            self._drawn = ExecutionGraph(drawing, self._on_pick)


def _state(name: str, tally: Tally | None) -> NodeState:
    if tally is None:
        return NodeState("idle", "", f"{name}: not reached")
    counts = [(tally.count(status), of_state(status)) for status in _ORDER]
    words = [f"{count} {mark.sign}" for count, mark in counts if count]
    told = [f"{count} {mark.word}" for count, mark in counts if count]
    if tally.retries:
        words.append(f"{tally.retries} ↻")
        told.append(many(tally.retries, "retry", "retries"))
    return NodeState(tally.status.value, " ".join(words), f"{name}: {', '.join(told)}")
