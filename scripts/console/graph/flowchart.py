"""A workflow's definition as a flowchart: the text that Mermaid draws, and the state of each node.

A Map or Parallel is a frame. Its first node, the header, is the state itself and leads to where
each branch starts; the ends inside lead to a join, which leads on to the container's Next. Every
edge goes from node to node, never to a frame, because Mermaid's layout fails on edges to frames.
Start, finish and joins are small marks and no states.
"""

from dataclasses import dataclass, field
from typing import Any

from asl_walk import State
from console.graph import mermaid_text as mermaid
from console.graph.machine import CannotDraw, quoted, read

__all__ = ["CannotDraw", "Flowchart", "Node", "flowchart"]

MOST_STATES = 300
MOST_EDGES = 1000
DEEPEST = 10
_PARALLEL = "Parallel: all branches at once"
_MAP = "Map: once for each item"
_DISTRIBUTED = "Distributed Map: an execution of its own for each item"


@dataclass(frozen=True)
class Node:
    """A state: its name, which is unique in a definition, and its Type."""

    name: str
    type: str


@dataclass(frozen=True)
class Flowchart:
    """Mermaid's text, and the state of each node id in it, in the order of the drawing."""

    text: str
    nodes: dict[str, Node]


def flowchart(definition: dict[str, Any]) -> Flowchart:
    """Draw a definition in Amazon States Language. The order of its JSON keys does not matter.

    Raises CannotDraw, and nothing else whatever the definition holds.
    https://states-language.net/
    """
    drawing = _Drawing()
    drawing.lines.append(mermaid.mark("start", "sm-circ"))
    if drawing.scope(definition, "The definition", _Place("start", "finish", 0)):
        drawing.lines.append(mermaid.mark("finish", "fr-circ"))
    return Flowchart("\n".join(["flowchart TD", *drawing.lines, *drawing.edges]), drawing.nodes)


@dataclass(frozen=True)
class _Place:
    """Where a scope stands: the node that leads to its start, the node that its ends lead to."""

    entry: str
    exit: str
    depth: int


@dataclass
class _Drawing:
    lines: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    nodes: dict[str, Node] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def scope(self, body: object, what: str, place: _Place) -> bool:
        """Draw states and the edges between them; tell whether one of them leads to the exit."""
        if place.depth > DEEPEST:
            raise CannotDraw(f"The states are nested more than {DEEPEST} deep.")
        machine = read(body, what)
        if len(self.names) + len(machine.order) > MOST_STATES:
            raise CannotDraw(f"The definition has more than {MOST_STATES} states.")
        heads = {name: self._name(name, machine.states[name]) for name in machine.order}
        tails = {
            name: self._state(heads[name], name, machine.states[name], place.depth)
            for name in machine.order
        }
        self._edge(mermaid.arrow(place.entry, heads[machine.start]))
        ways = [(name, way) for name in machine.order for way in machine.ways[name]]
        for name, way in ways:
            source = heads[name] if way.caught else tails[name]
            target = place.exit if way.to is None else heads[way.to]
            self._edge(mermaid.arrow(source, target, way.label, dotted=way.caught))
        return any(way.to is None for _, way in ways)

    def _name(self, name: str, state: State) -> str:
        if name in self.names:
            raise CannotDraw(f"Two states are named {quoted(name)}.")
        self.names.add(name)
        node = f"s{len(self.nodes)}"
        self.nodes[node] = Node(name, state["Type"])
        return node

    def _state(self, node: str, name: str, state: State, depth: int) -> str:
        """Draw a state, a container with all that is in it; give the node that leads on."""
        drawn = mermaid.state(node, name, state["Type"])
        if state["Type"] not in ("Map", "Parallel"):
            self.lines.append(drawn)
            return node
        join = f"join_{node}"
        self.lines += [mermaid.frame(f"frame_{node}", _title(state)), drawn]
        inside = [
            self.scope(body, what, _Place(node, join, depth + 1))
            for body, what in _bodies(name, state)
        ]
        self.lines += [mermaid.mark(join, "sm-circ"), "end"]
        if not any(inside):
            self._edge(mermaid.below(node, join))
        return join

    def _edge(self, edge: str) -> None:
        if len(self.edges) == MOST_EDGES:
            raise CannotDraw(f"The definition has more than {MOST_EDGES} ways between its states.")
        self.edges.append(edge)


def _bodies(name: str, state: State) -> list[tuple[object, str]]:
    """Each scope inside a container, and what to call it in a sentence."""
    if state["Type"] == "Map":
        body = state.get("ItemProcessor", state.get("Iterator"))
        return [(body, f"The item processor of {quoted(name)}")]
    branches = state.get("Branches")
    if not isinstance(branches, list) or not branches:
        raise CannotDraw(f"The Parallel {quoted(name)} has no branches.")
    return [
        (branch, f"Branch {number} of {quoted(name)}") for number, branch in enumerate(branches, 1)
    ]


def _title(state: State) -> str:
    if state["Type"] == "Parallel":
        return _PARALLEL
    processor = state.get("ItemProcessor")
    config = processor.get("ProcessorConfig") if isinstance(processor, dict) else None
    mode = config.get("Mode") if isinstance(config, dict) else None
    return _DISTRIBUTED if mode == "DISTRIBUTED" else _MAP
