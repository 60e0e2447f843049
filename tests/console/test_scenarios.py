"""The catalogue of the Break it page; that it happens as it says is tested on the stack."""

import itertools
from pathlib import Path

import pytest

from asl_walk import tasks
from console.breaking.scenarios import grace_seconds, scenarios
from local_stack.lambda_service import parse_fault
from strict_yaml import load

DEFINITION = load(Path(__file__).parents[2] / "statemachines" / "fulfil_booking.asl.yaml")
TASKS = dict(tasks(DEFINITION))
AT_SCALE_1 = {scenario.key: scenario for scenario in scenarios(1)}


def longest_retries(state, error):
    """The most that the state's retries of this error wait, in seconds, and the last of the waits.

    https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
    """
    retrier = next(r for r in TASKS[state]["Retry"] if error in r["ErrorEquals"])
    longest = retrier.get("MaxDelaySeconds", float("inf"))
    waits = [
        min(longest, retrier["IntervalSeconds"] * retrier["BackoffRate"] ** n)
        for n in range(retrier["MaxAttempts"])
    ]
    return sum(waits), waits[-1]


@pytest.mark.parametrize("seat", [None, 3])
@pytest.mark.parametrize("scenario", scenarios(1), ids=lambda scenario: scenario.key)
def test_each_fault_is_one_that_the_stack_plays(scenario, seat):
    fault = scenario.fault_at(seat)
    if fault is None:
        assert scenario.body
        return
    parsed = parse_fault(fault, TASKS)
    assert parsed.seat == (seat if scenario.takes_seat else None)
    assert str(parsed) == fault


def test_each_knows_its_own_faults_whatever_their_seat():
    catalogue = scenarios(1)
    for one, other in itertools.product(catalogue, catalogue):
        for seat in (None, 3, 12):
            fault = other.fault_at(seat)
            if fault:
                assert one.plays(fault) == (one is other)


def test_a_fault_of_the_command_line_that_is_none_of_these_is_no_scenarios():
    others = ("Written:error:1", "Creating[2]:error:always", "SendEmail:ses-throttle:1")
    assert not [s.key for s in scenarios(1) for fault in others if s.plays(fault)]


def test_the_times_are_those_of_the_definition():
    storage, _ = longest_retries("Written", "States.ALL")
    assert round(storage / 60) == 3
    assert "at most 3 minutes" in AT_SCALE_1["storage-down"].expect
    throttled, last = longest_retries("SendEmail", "EmailThrottled")
    assert (round(throttled / 3600), last / 60) == (2, 5)
    assert "at most 2 hours" in AT_SCALE_1["email-throttled"].expect
    assert "at most 5 minutes" in AT_SCALE_1["email-throttled"].heal
    assert longest_retries("SendEmail", "EmailRejected") == (300, 300)
    assert "grace of 5 minutes" in AT_SCALE_1["email-rejected"].expect


def test_a_time_scale_shortens_what_it_shortens_on_the_stack():
    short = {scenario.key: scenario for scenario in scenarios(0.02)}
    assert "at most 4 s" in short["storage-down"].expect
    assert "at most 2 minutes" in short["email-throttled"].expect
    assert "at most 6 s" in short["email-throttled"].heal
    assert "grace of 10 s" in short["email-rejected"].expect
    assert "for 8 s" in short["hanging-step"].expect


@pytest.mark.parametrize(
    ("scale", "seconds"), [(1, 300), (0.5, 150), (0.02, 10), (0.00001, 10), (10, 3000)]
)
def test_the_grace_is_scaled_and_never_below_10_seconds(scale, seconds):
    assert grace_seconds(scale) == seconds


@pytest.mark.parametrize("scale", [0.00001, 0.001, 0.02, 1, 7, 1000])
def test_every_text_is_there_at_every_scale_that_the_stack_takes(scale):
    for scenario in scenarios(scale):
        for text in (scenario.title, scenario.expect, scenario.look_at, scenario.heal):
            assert text
            assert " 0 " not in text.replace("of 0 seats", "")
