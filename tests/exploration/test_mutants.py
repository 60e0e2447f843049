"""The explorer finds a fault where one is planted, and says which guarantee it breaks."""

from dataclasses import replace

import pytest

from exploration import mutants
from exploration.conftest import broken_by
from exploration.explore import read, replay, text
from exploration.moves import Rules
from exploration.oracle import Violation
from exploration.scenarios import DELETION, EMAIL, SEAT
from exploration.system import System

pytestmark = pytest.mark.slow

MUTANTS = {
    "mark before write": (mutants.mark_before_write, SEAT, "G2"),
    "reservation put without condition": (mutants.reservation_without_condition, SEAT, "G1"),
    "token made at write": (mutants.token_made_at_write, SEAT, "G1"),
    "record before send": (mutants.record_before_send, EMAIL, "G5"),
    "no lease": (mutants.no_lease, EMAIL, "G6"),
    "update without exists": (mutants.update_without_exists, DELETION, "G2"),
    "image put without condition": (mutants.image_put_without_condition, DELETION, "G2"),
    "lease of the execution, not the run": (mutants.lease_of_the_execution, EMAIL, "G6"),
    "token in the log": (mutants.token_in_the_log, SEAT, "G9"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_planted_fault_is_found(explored, mutant):
    plant, scenario, guarantee = MUTANTS[mutant]
    scenario = replace(scenario, budget=1)
    seen = explored(scenario, plant)
    assert seen.found, "nothing was found"
    assert seen.found.guarantee == guarantee, broken_by(seen)
    if mutant in ("record before send", "token in the log"):
        return  # judged where a schedule ends
    system = System(plant)
    with system.switched_on(), pytest.raises(Violation, match=guarantee):
        list(replay(Rules(scenario, system), read(text(seen.found.schedule))))
