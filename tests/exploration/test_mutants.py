"""The explorer finds a fault where one is planted, and says which guarantee it breaks."""

from dataclasses import replace

import pytest

from exploration import mutants, scenarios, workflow
from exploration.conftest import broken_by
from exploration.explore import read, replay, text
from exploration.moves import Rules
from exploration.oracle import Violation
from exploration.scenarios import BOOKING, DELETION, LONG_WAITS, SEAT_AND_EMAIL, SIBLINGS
from exploration.system import System

pytestmark = pytest.mark.slow

# One event is enough to show each of them.
OTHERS = scenarios.OTHER_MESSAGES
SEAT, EMAIL = (replace(scenario, budget=1) for scenario in (scenarios.SEAT, scenarios.EMAIL))

MUTANTS = {
    "mark before write": (mutants.mark_before_write, SEAT, "G2"),
    "reservation put without condition": (mutants.reservation_without_condition, SEAT, "G1"),
    "token made at write": (mutants.token_made_at_write, SEAT, "G1"),
    "record before send": (mutants.record_before_send, EMAIL, "G5"),
    "no lease": (mutants.no_lease, EMAIL, "G6"),
    "update without exists": (mutants.update_without_exists, DELETION, "G2"),
    "image put without condition": (mutants.image_put_without_condition, DELETION, "G2"),
    "lease of the execution, not the run": (mutants.lease_of_the_execution, EMAIL, "G6"),
    "lease taken over what is done": (mutants.lease_over_what_is_done, EMAIL, "G5"),
    "no last look at the clock": (mutants.no_last_look_at_the_clock, LONG_WAITS, "G6"),
    "email not recorded": (mutants.email_not_recorded, EMAIL, "G5"),
    "ready seat called new": (mutants.every_seat_called_new, SEAT, "G3"),
    "claim put without condition": (mutants.claim_without_condition, OTHERS["conflict"], "G4"),
    "later names kept": (mutants.later_names_kept, OTHERS["other names"], "G4"),
    "email to somebody else": (mutants.email_to_somebody_else, EMAIL, "G5"),
    "token in the log": (mutants.token_in_the_log, SEAT, "G9"),
    "token in the email": (mutants.token_in_the_email, BOOKING, "G9"),
}
JUDGED_AT_ITS_END = ("record before send",)
# Where in a state of the definition, what stands there instead, and what that must break.
RETRY = "Retry"
DEFINITIONS = {
    "a seat fails at once": (("Written", RETRY, 0, "IntervalSeconds"), 1, SIBLINGS, "G8"),
    "the email fails at once": (
        ("SendEmail", RETRY, 2, "IntervalSeconds"), 1, SEAT_AND_EMAIL, "G8",
    ),
    "nobody waits for a lease": (("SendEmail", RETRY, 0, "MaxAttempts"), 0, EMAIL, "G7"),
    "the wait ends before the lease": (("SendEmail", RETRY, 0, "MaxAttempts"), 20, EMAIL, "G7"),
    "a ready seat is written": (
        ("ReadyAlready?", "Choices", 0, "StringEquals"), "done", SEAT, "G3",
    ),
    "a redrive passes for the first run": (
        ("SendEmail", "Parameters", "Payload", "redriveCount.$"), "0", EMAIL, "G6",
    ),
    "only the tickets come out": (
        ("FulfilBooking", "ResultSelector", "outcome.$"), "States.ArrayGetItem($, 0)",
        BOOKING, "output",
    ),
    "the seats are not counted": (
        ("IssueTickets", "ResultSelector", "tickets", "ready.$"), "States.ArrayGetItem($, 0)",
        BOOKING, "output",
    ),
}  # fmt: skip
UNKNOWN = {
    "Parallel": ("FulfilBooking", "Catch"),
    "Map": ("IssueTickets", "Retry"),
    "Task": ("Ready", "OutputPath"),
    "Succeed": ("AlreadyReady", "OutputPath"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_planted_fault_is_found(explored, mutant):
    plant, scenario, guarantee = MUTANTS[mutant]
    seen = explored(scenario, plant)
    assert seen.found, "nothing was found"
    assert seen.found.guarantee == guarantee, broken_by(seen)
    if mutant in JUDGED_AT_ITS_END:
        return
    system = System(plant)
    with system.switched_on(), pytest.raises(Violation, match=guarantee):
        list(replay(Rules(scenario, system), read(text(seen.found.schedule))))


@pytest.mark.parametrize("mutant", DEFINITIONS)
def test_a_fault_in_the_definition_is_found(explored, mutant):
    place, value, scenario, guarantee = DEFINITIONS[mutant]
    with workflow.changed(lambda states: put(states, place, value)):
        seen = explored(scenario)
    assert seen.found, "nothing was found"
    assert seen.found.guarantee == guarantee, broken_by(seen)


@pytest.mark.parametrize("kind", UNKNOWN)
def test_what_the_model_would_pass_over_is_an_error_that_names_it(kind):
    state, field = UNKNOWN[kind]
    with (
        pytest.raises(AssertionError, match=f"{state}.*{field}"),
        workflow.changed(lambda states: put(states, (state, field), [])),
    ):
        raise AssertionError("it was passed over")


def test_what_a_task_is_called_with_or_retried_on_is_known_too():
    for place, value in (
        (("SendEmail", "Parameters"), {"FunctionName": "", "Payload": {}, "InvocationType": ""}),
        (("Written", "Retry", 0, "ErrorEquals"), ["States.TaskFailed"]),
    ):
        with (
            pytest.raises(AssertionError, match=place[0]),
            workflow.changed(lambda states, at=place, to=value: put(states, at, to)),
        ):
            raise AssertionError("it was passed over")


def put(states, place, value):
    *way, last = place
    for step in way:
        states = states[step]
    assert last in states or isinstance(value, list)
    states[last] = value
