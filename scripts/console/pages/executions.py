"""``/``: the executions, newest first."""

from nicegui import ui

from console.context import Console
from console.frame import frame, live


def register(console: Console) -> None:
    @ui.page("/")
    def page() -> None:
        with frame(console, "/", "Executions"):
            ui.label("Executions").props("role=heading aria-level=1").classes("title")
            box = ui.column()

            def show(rows: list[str]) -> None:
                box.clear()
                with box:
                    for row in rows:
                        ui.label(row)

            live(console, lambda: [e.name for e in console.operator.executions.list()], show)
