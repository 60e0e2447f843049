"""``/break-it``: the local stack's faults as switches, and the way back."""

from collections.abc import Callable

from nicegui import run, ui

from console.booking.sending import send
from console.breaking.faults import ActiveFault, FaultSwitches, Switches, SwitchesError
from console.breaking.scenario_card import ScenarioCard
from console.breaking.scenarios import Scenario, scenarios
from console.context import Console
from console.frame import live, opened
from console.links import page_of
from console.parts import button, heading, style
from execution_history import NEVER_MENDED
from operations.failures import KNOWN, sentence
from operations.following import Row

_ON_AWS = "Faults are played on the local stack only: start one with scripts/run."
_FAILED_AT_MOST = 50


def register(console: Console) -> None:
    @ui.page("/break-it")
    async def page() -> None:
        async with opened(console, "/break-it", "Break it"):
            style()
            heading("Break it")
            if console.switches is None:
                ui.label(_ON_AWS)
            else:
                _Board(console, console.switches)


class _Board:
    """The switches of one open page."""

    def __init__(self, console: Console, switches: FaultSwitches) -> None:
        self._console = console
        self._switches = switches
        self._cards: list[ScenarioCard] = []
        self._catalogue: tuple[Scenario, ...] = ()
        self._in_force: tuple[ActiveFault, ...] | None = None
        self._healed = False
        self._failed: list[Row] | None = None
        ui.label("Switch a fault on, send a booking, and see what the workflow makes of it.")
        with ui.element("div").classes("ways"):
            ui.link("Send a booking", "/book")
            ui.link("See the executions", "/")
        with ui.element("p").classes("notice").props('role="alert"') as self._notice:
            self._complaint = ui.label()
        self._notice.set_visibility(False)
        with ui.element("section").classes("panel").props('aria-label="In force now"'):
            heading("In force now", 2)
            self._list = ui.element("ul")
            button("Heal everything", main=True).on_click(self._heal)
            self._after = ui.element("div").props('role="status"')
        heading("What to break", 2)
        self._grid = ui.element("div").classes("cards")
        live(console, self._read, self._show)

    def _read(self) -> tuple[Switches, list[Row]]:
        failed = self._console.follower.rows(_FAILED_AT_MOST, "FAILED") if self._healed else []
        return self._switches.read(), [row for row in failed if row.error not in NEVER_MENDED]

    def _show(self, found: tuple[Switches, list[Row]]) -> None:
        switches, failed = found
        self._show_switches(switches)
        if self._healed and failed != self._failed:
            self._failed = failed
            self._after.clear()
            with self._after:
                _say_what_failed(failed)

    def _show_switches(self, switches: Switches) -> None:
        catalogue = scenarios(switches.time_scale)
        if catalogue != self._catalogue:
            self._catalogue = catalogue
            self._grid.clear()
            with self._grid:
                self._cards = [ScenarioCard(each, self._turn, self._send) for each in catalogue]
        for card in self._cards:
            card.show(switches.active)
        if switches.active != self._in_force:
            self._in_force = switches.active
            self._list.clear()
            with self._list:
                _list_faults(switches.active)

    async def _turn(self, scenario: Scenario, on: bool, seat: float | None) -> None:
        """On for that seat, or off for whatever seat it is on."""
        if on:
            fault = scenario.fault_at(seat) or ""
            await self._change(lambda: self._switches.add(fault))
        else:
            await self._change(lambda: self._remove(scenario))

    def _remove(self, scenario: Scenario) -> Switches:
        for each in self._switches.active():
            if each.booking is None and scenario.plays(each.fault):
                self._switches.remove(each.fault)
        return self._switches.read()

    async def _heal(self) -> None:
        self._healed, self._failed = True, None
        await self._change(self._switches.lift)

    async def _change(self, change: Callable[[], Switches]) -> None:
        try:
            switches = await run.io_bound(change)
        except SwitchesError as error:
            self._complaint.set_text(str(error))
            self._notice.set_visibility(True)
            return
        self._notice.set_visibility(False)
        if switches is not None:  # None while the console itself is stopping
            self._show_switches(switches)

    async def _send(self, body: str) -> str:
        try:
            outcomes = await run.io_bound(send, self._console.operator, body, 1)
        except KNOWN as error:
            return sentence(error, self._console.where, self._console.endpoint)
        return outcomes[0].words if outcomes else ""  # none while the console itself is stopping


def _list_faults(active: tuple[ActiveFault, ...]) -> None:
    if not active:
        with ui.element("li"):
            ui.label("Nothing: every step works.")
    for each in active:
        with ui.element("li"):
            whom = f"booking {each.booking} only" if each.booking else "any booking"
            ui.label(f"✗ {each.fault}, {whom}").classes("failed")


def _say_what_failed(failed: list[Row]) -> None:
    if not failed:
        ui.label("All faults are lifted, and no execution is left that a redrive could mend.")
        return
    ui.label("All faults are lifted. Now redrive what failed:")
    with ui.element("ul"):
        for row in failed:
            with ui.element("li"):
                ui.link(row.booking or row.name, page_of(row))
                ui.label(row.error or "").classes("failed")
