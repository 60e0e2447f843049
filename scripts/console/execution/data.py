"""The execution's input and output, the transitions it used, and what they cost."""

from nicegui import ui

from console.execution.state import pretty
from console.privacy import masked
from execution_history import FREE_A_MONTH, cost
from operations.following import View


class Data:
    def __init__(self) -> None:
        self._bill = ui.label()
        self._whole = ui.switch("Show email addresses").props("dense")
        with ui.element("div").classes("stack"):
            self._input = self._part("Input")
            self._output = self._part("Output")
        self._whole.on_value_change(self._draw)
        self._texts: tuple[str, str] = ("", "")

    def show(self, view: View) -> None:
        self._bill.set_text(
            f"{view.transitions:,} state transitions, ${cost(view.transitions):f} at us-east-1's "
            f"price; {FREE_A_MONTH:,} a month are free."
        )
        output = view.history.output or "none yet" if view.execution.status == "RUNNING" else "none"
        self._texts = (view.execution.input, view.history.output or output)
        self._draw()

    def _part(self, title: str) -> ui.label:
        ui.label(title).classes("subtitle").props("role=heading aria-level=2")
        return ui.label().classes("data").props("tabindex=0")

    def _draw(self) -> None:
        for label, text in zip((self._input, self._output), self._texts, strict=True):
            label.set_text(pretty(text if self._whole.value else masked(text)))
