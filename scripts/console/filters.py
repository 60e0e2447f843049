"""What the list of executions is narrowed to; it lives in the page's address, and nowhere else."""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from nicegui import ui

from console.marks import of_execution
from console.parts import button
from execution_status import OPEN, UNSUCCESSFUL

STATUSES = ("RUNNING", "SUCCEEDED", *UNSUCCESSFUL, *OPEN[1:])


@dataclass(frozen=True)
class Filters:
    """Empty means any."""

    status: str = ""
    booking: str = ""

    @classmethod
    def read(cls, status: str, booking: str) -> "Filters":
        """From an address that anyone may have typed."""
        return cls(status if status in STATUSES else "", booking.strip())

    @property
    def any(self) -> bool:
        return bool(self.status or self.booking)

    @property
    def url(self) -> str:
        given = {"status": self.status, "booking": self.booking}
        query = urlencode({name: value for name, value in given.items() if value})
        return f"/?{query}" if query else "/"

    def __str__(self) -> str:
        """What matches, in words: ``of booking bk_1 is FAILED``."""
        booking = f"of booking {self.booking}" if self.booking else ""
        status = f"is {self.status}" if self.status else "is here"
        return f"{booking} {status}".strip()


def show_filters(filters: Filters) -> None:
    """A way for each status, and a field for the booking."""
    with ui.element("div").classes("filters"):
        with ui.element("nav").classes("statuses").props('aria-label="Status"'):
            for status in ("", *STATUSES):
                mark = of_execution(status)
                words = f"{mark.sign} {mark.word}" if status else "All"
                link = ui.link(words, replace(filters, status=status).url)
                if status == filters.status:
                    link.props('aria-current="true"')
        with ui.element("div").classes("finder").props('role="search"'):
            field = ui.input("Whole booking id", value=filters.booking)
            field.props("outlined dense maxlength=200")

            def find() -> None:
                ui.navigate.to(Filters(filters.status, (field.value or "").strip()).url)

            field.on("keydown.enter", find)
            button("Find").on_click(find)
            if filters.any:
                ui.link("Clear the filter", Filters().url)
