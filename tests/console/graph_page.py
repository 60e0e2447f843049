"""A page with a graph and nothing else, for test_graph_drawn.py: `python graph_page.py PORT`."""

import itertools
import sys
from pathlib import Path

from nicegui import ui

from console.graph.execution_graph import ExecutionGraph, NodeState
from console.graph.flowchart import Flowchart, flowchart
from strict_yaml import load

ROOT = Path(__file__).parents[2]
STATUSES = ("succeeded", "failed", "running", "caught", "aborted", "pending")


@ui.page("/")
def page(path: str) -> None:
    drawing = flowchart(load(ROOT / path))
    picked = ui.label().classes("picked")
    with ui.element("div").classes("scroll").style("overflow-x: auto; max-width: 100%"):
        graph = ExecutionGraph(drawing, picked.set_text)
    names = [node.name for node in drawing.nodes.values()]

    def show(shift: int) -> None:
        statuses = itertools.islice(itertools.cycle(STATUSES), shift, None)
        states = {
            name: NodeState(status, f"{number} so", f"told {number}")
            for number, (name, status) in enumerate(zip(names, statuses, strict=False), 1)
        }
        graph.show(states, names[0])

    ui.button("Show", on_click=lambda: show(0))
    ui.button("Change", on_click=lambda: show(1))


@ui.page("/broken")
def broken() -> None:
    ExecutionGraph(Flowchart("flowchart TD\n<img src=x onerror=alert(1)>[[", {}), print)


if __name__ == "__main__":
    ui.run(host="127.0.0.1", port=int(sys.argv[1]), reload=False, show=False)
