"""Runs an exploration."""

from collections.abc import Callable

import pytest

from exploration.ends import at_end
from exploration.explore import Exploration, explore, text
from exploration.moves import Rules
from exploration.summary import EXPLORED, row
from exploration.system import System
from exploration.world import Scenario

Plant = Callable[[System], None]


@pytest.fixture
def explored(record_property: Callable[[str, object], None]) -> Callable[..., Exploration]:
    """Explores a scenario, maybe with a fault planted, and notes what was done."""

    def run(scenario: Scenario, plant: Plant = lambda _: None) -> Exploration:
        system = System(plant)
        with system.switched_on():
            seen = explore(Rules(scenario, system), at_end)
        if seen.found is None:
            assert system.leaks == []
            counts = (seen.schedules, len(seen.moments), system.runs, system.aws.asked)
            record_property(EXPLORED, row(scenario.name, *counts))
        return seen

    return run


def broken_by(seen: Exploration) -> str:
    """The shortest schedule that breaks a guarantee, to be replayed; empty if none does."""
    return f"{seen.found.words}\n{text(seen.found.schedule)}" if seen.found else ""
