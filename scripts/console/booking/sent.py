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
_SEARCHED = 100  # executions, the newest: it is there that theirs are


@dataclass
class _Followed:
    """A sending whose executions are awaited, known by the ids that SQS gave its messages."""

    messages: Collection[str]
    place: ui.element
    shown: list[tuple[str, str]] | None = field(default=None, init=False)

    def show(self, rows: list[Row]) -> None:
        started = [row for row in rows if row.message in self.messages]
        now = [(row.arn, row.status) for row in started]
        if now == self.shown:
            return
        self.shown = now
        self.place.clear()
        with self.place:
            for row in started:
                _line(row)
            missing = len(self.messages) - len(started)
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

    def add(self, body: str, outcomes: list[Outcome]) -> None:
        booking = booking_in(body)
        messages = [outcome.message for outcome in outcomes if outcome.message]
        with self._entry():
            at = clock(self._console.operator.now())
            heading(f"{booking or 'A body that names no booking'}, at {at} UTC", 3)
            for outcome in outcomes:
                ui.label(outcome.words).classes("count" if outcome.message else "failed")
            if messages:
                self._follow(_Followed(messages, ui.element("div")))
            if messages and booking:
                ui.link("All executions of this booking", Filters(booking=booking).url)

    def _entry(self) -> ui.element:
        self._none.set_visibility(False)
        with self._place:
            entry = ui.element("article")
        entry.move(target_index=0)
        return entry

    def _follow(self, followed: _Followed) -> None:
        followed.show([])
        self._followed = [followed, *self._followed][:_FOLLOWED]

    def _read(self) -> list[Row]:
        return self._console.follower.rows(_SEARCHED) if self._followed else []

    def _show(self, rows: list[Row]) -> None:
        for each in self._followed:
            each.show(rows)


def _line(row: Row) -> None:
    with ui.element("p").classes("line"):
        chip(of_execution(row.status))
        ui.link(f"Execution {row.name}", page_of(row))
        if row.error:
            ui.label(row.error).classes("failed")
