"""The execution graph on a page: drawn once, then each state shows what happened to it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from nicegui import ui
from nicegui.elements import mermaid
from nicegui.events import GenericEventArguments

from console.graph.flowchart import Flowchart

_HERE = Path(__file__).parent
_MERMAID = Path(mermaid.__file__).parent / "dist"


@dataclass(frozen=True)
class NodeState:
    """What to show at a state.

    `status`: running, succeeded, caught, failed, aborted, pending, skipped or idle (neither was
    reached). `words`: few enough for the node's last line; the component puts the status's sign
    before words that lack it. `tooltip`: the same in a sentence, also for a screen reader.
    """

    status: str
    words: str
    tooltip: str


class ExecutionGraph(
    ui.element, component="execution_graph.js", esm={"nicegui-mermaid": str(_MERMAID)}
):
    """A flowchart whose states can be picked by click, Enter or Space.

    Its parent should scroll sideways: it is as wide as it needs to be. If the browser fails to draw
    it, a sentence stands in its place.
    """

    def __init__(self, flowchart: Flowchart, on_pick: Callable[[str], None]) -> None:
        """`on_pick` gets the name of the state that was picked."""
        super().__init__()
        ui.add_css(_HERE / "execution_graph.css")
        nodes = self._nodes = flowchart.nodes
        self._props["text"] = flowchart.text
        self._props["nodes"] = {node: asdict(state) for node, state in nodes.items()}
        self._shown: tuple[dict[str, NodeState], str | None] = ({}, None)

        def pick(event: GenericEventArguments) -> None:
            if isinstance(event.args, str) and event.args in nodes:
                on_pick(nodes[event.args].name)

        self.on("pick", pick)

    def show(self, states: dict[str, NodeState], picked: str | None) -> None:
        """Show what happened to each state, by name; one that is not there is idle."""
        if (states, picked) == self._shown:
            return
        self._shown = (dict(states), picked)
        with self._props.suspend_updates():
            # By node id: a name such as __proto__ is no safe key in the browser.
            self._props["states"] = {
                node: asdict(states[state.name])
                for node, state in self._nodes.items()
                if state.name in states
            }
            self._props["picked"] = picked
        self.update()
