"""One of the things to break: its switch, and what it teaches."""

from collections.abc import Awaitable, Callable

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from console.breaking.faults import ActiveFault
from console.breaking.scenarios import Scenario
from console.filters import Filters
from console.parts import Words, button, heading
from local_stack.messages import booking_in

Turn = Callable[[Scenario, bool, float | None], Awaitable[None]]


class ScenarioCard:
    """``turn`` hears of a click on the switch: the scenario, on or off, and for which seat."""

    def __init__(
        self, scenario: Scenario, turn: Turn, send: Callable[[str], Awaitable[str]]
    ) -> None:
        """``send`` puts a body into the queue, and says in a sentence what came of it."""
        self._scenario = scenario
        self._turn = turn
        self._send = send
        self._in_force = False
        with ui.element("article").classes("card"):
            heading(scenario.title, 3)
            with ui.element("div").classes("actions"):
                if scenario.body is None:
                    self._show_switch()
                else:
                    self._show_send(scenario.body)
            self._show_words()

    def show(self, active: tuple[ActiveFault, ...]) -> None:
        """Follow what is in force: a fault that has struck its last time is off by itself."""
        if self._scenario.fault is None:
            return
        mine = [each.fault for each in active if each.booking is None and self._is_mine(each)]
        self._in_force = bool(mine)
        self._switch.set_value(self._in_force)
        self._state.set_text(f"✗ {', '.join(mine)}" if mine else "– off")
        self._state.classes(replace="chip failed" if mine else "chip idle")
        if self._scenario.takes_seat:
            self._seat.set_enabled(not mine)

    def _is_mine(self, active: ActiveFault) -> bool:
        return self._scenario.plays(active.fault)

    def _show_switch(self) -> None:
        title = self._scenario.title
        self._switch = ui.switch("In force", on_change=self._switched)
        self._switch.props["aria-label"] = f"In force: {title}"
        self._state = ui.label("– off").classes("chip idle")
        if self._scenario.takes_seat:
            # Without min and max, which would turn a mistyped seat into another one without a word.
            self._seat = ui.number("Seat", placeholder="any")
            self._seat.props("outlined dense stack-label").classes("seat")
            self._seat.props["aria-label"] = f"Seat, any when empty: {title}"

    async def _switched(self, event: ValueChangeEventArguments[bool | None]) -> None:
        if event.value == self._in_force:  # it follows what is in force, nobody clicked
            return
        await self._turn(self._scenario, bool(event.value), self._seat_asked())

    def _seat_asked(self) -> float | None:
        """As it was typed: the stack refuses what is no seat, in a sentence."""
        typed = self._seat.value if self._scenario.takes_seat else None
        return int(typed) if typed is not None and typed == int(typed) else typed

    def _show_send(self, body: str) -> None:
        async def send() -> None:
            outcome.set_text(await self._send(body))
            way.set_visibility(True)

        button("Send it", main=True).on_click(send).props["aria-label"] = (
            f"Send it: {self._scenario.title}"
        )
        outcome = ui.label().classes("count").props('role="status"')
        way = ui.link("See its executions", Filters(booking=booking_in(body) or "").url)
        way.set_visibility(False)

    def _show_words(self) -> None:
        scenario = self._scenario
        told = {"Expect": scenario.expect, "Look at": scenario.look_at, "Heal": scenario.heal}
        with ui.element("dl"):
            for term, words in told.items():
                Words("dt", term)
                with ui.element("dd"):
                    ui.label(words)
                    if words is scenario.look_at:
                        ui.link("See the executions", "/")
