"""The execution's input and output, the transitions it used, and what they cost."""

from nicegui import ui

from console.execution.state import pretty
from console.parts import heading
from console.privacy import masked
from execution_history import FREE_A_MONTH, cost
from execution_status import OPEN
from local_stack.messages import body_of
from operations.following import View


class Data:
    """The message stands first: in the input it is JSON in a string."""

    def __init__(self) -> None:
        self._bill = ui.label()
        self._whole = ui.switch("Show email addresses").props("dense")
        with ui.element("div").classes("stack"):
            self._parts = [_part(name) for name in ("Message", "Input", "Output")]
        self._whole.on_value_change(self._draw)
        self._texts: list[str] = []

    def show(self, view: View) -> None:
        self._bill.set_text(
            f"{view.transitions:,} state transitions, ${cost(view.transitions):f} at us-east-1's "
            f"price; {FREE_A_MONTH:,} a month are free."
        )
        input_, output = view.execution.input, view.history.output
        none = "none yet" if view.execution.status in OPEN else "none"
        message = "none" if view.execution.is_reconciliation else "none that can be read"
        self._texts = [body_of(input_) or message, input_, output or none]
        self._draw()

    def _draw(self) -> None:
        for label, text in zip(self._parts, self._texts, strict=False):
            shown = pretty(text)
            label.set_text(shown if self._whole.value else masked(shown))


def _part(title: str) -> ui.label:
    heading(title, 2)
    return ui.label().classes("data").props("tabindex=0")
