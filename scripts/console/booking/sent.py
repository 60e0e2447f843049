"""What was sent from an open page, and the executions that it started."""

from collections.abc import Collection
from dataclasses import dataclass, field

from nicegui import ui

from console.booking.sending import Outcome
from console.context import Console
from console.filters import Filters
from console.frame import live
from console.links import page_of
from console.marks import chip, of_execution
from console.parts import heading
from console.words import clock, many
from local_stack.messages import booking_in
from operations.following import Row

_FOLLOWED = 10  # the newest sendings; the executions page has the others


@dataclass
class _Followed:
    """A sending whose executions are awaited; ``known`` are the booking's earlier ones."""

    booking: str
    messages: int
    known: Collection[str]
    place: ui.element
    shown: list[tuple[str, str]] | None = field(default=None, init=False)

    def show(self, rows: list[Row]) -> None:
        started = [row for row in rows if row.arn not in self.known]
        now = [(row.arn, row.status) for row in started]
        if now == self.shown:
            return
        self.shown = now
        self.place.clear()
        with self.place:
            for row in started:
                _line(row)
            missing = self.messages - len(started)
            if missing > 0:
                ui.label(f"Waiting for {many(missing, 'execution')} of it …").classes("count")


class SentList:
    """Newest first."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._followed: list[_Followed] = []
        self._none = ui.label("Nothing yet.").classes("count")
        self._place = ui.element("div").classes("sent").props('role="log" aria-label="Sent"')
        live(console, self._read, self._show)

    def failed(self, reason: str) -> None:
        with self._entry():
            ui.label(f"Not sent: {reason}").classes("failed")

    def add(self, body: str, outcomes: list[Outcome], known: Collection[str]) -> None:
        """``known`` are the executions that the body's booking had before."""
        booking = booking_in(body)
        messages = sum(outcome.message is not None for outcome in outcomes)
        with self._entry():
            at = clock(self._console.operator.now())
            heading(f"{booking or 'A body that names no booking'}, at {at} UTC", 3)
            for outcome in outcomes:
                ui.label(outcome.words).classes("count" if outcome.message else "failed")
            if messages and booking:
                self._follow(_Followed(booking, messages, known, ui.element("div")))
                ui.link("All executions of this booking", Filters(booking=booking).url)
            elif messages:
                ui.link("Its execution is among the newest ones", "/")

    def _entry(self) -> ui.element:
        self._none.set_visibility(False)
        with self._place:
            entry = ui.element("article")
        entry.move(target_index=0)
        return entry

    def _follow(self, followed: _Followed) -> None:
        followed.show([])
        self._followed = [followed, *self._followed][:_FOLLOWED]

    def _read(self) -> dict[str, list[Row]]:
        of = self._console.executions_of
        return {each.booking: of(each.booking) for each in self._followed}

    def _show(self, found: dict[str, list[Row]]) -> None:
        for each in self._followed:
            if each.booking in found:
                each.show(found[each.booking])


def _line(row: Row) -> None:
    with ui.element("p").classes("line"):
        chip(of_execution(row.status))
        ui.link(f"Execution {row.name}", page_of(row))
        if row.error:
            ui.label(row.error).classes("failed")
