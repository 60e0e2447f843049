"""Scaled waits still outlast what is not scaled: a function's timeout."""

import copy

import pytest

from local_stack.time_scale import scaled_lease, with_floors

SEND_TIMEOUT = 10


def definition(**retrier):
    return {"States": {"Step": {"Type": "Task", "Retry": [retrier]}}}


def interval(scaled):
    return scaled["States"]["Step"]["Retry"][0]["IntervalSeconds"]


@pytest.mark.parametrize(
    ("scale", "seconds"),
    [(1, 300), (0.5, 150), (0.1, 30), (0.0367, 12), (0.02, 11), (0.0001, 11), (2, 600)],
)
def test_the_lease_is_scaled_up_to_whole_seconds_and_outlasts_a_send(scale, seconds):
    assert scaled_lease(300, scale, SEND_TIMEOUT) == seconds


@pytest.mark.parametrize("error", ["TicketConflict", "TicketMissing", "EmailRejected"])
@pytest.mark.parametrize("scale", [1, 0.5, 0.05, 0.02, 0.001])
def test_the_grace_lasts_as_scaled_and_ten_seconds_at_least(error, scale):
    grace = definition(ErrorEquals=[error], IntervalSeconds=300, MaxAttempts=1)
    waits = interval(with_floors(grace, scale, 11)) * scale
    assert waits == pytest.approx(max(10, 300 * scale), rel=0.01)
    assert waits >= 10


@pytest.mark.parametrize("scale", [1, 0.5, 0.05, 0.02, 0.001])
def test_the_waiting_run_outlasts_the_scaled_lease(scale):
    lease = scaled_lease(300, scale, SEND_TIMEOUT)
    in_progress = definition(ErrorEquals=["EmailInProgress"], IntervalSeconds=15, MaxAttempts=24)
    waits = interval(with_floors(in_progress, scale, lease)) * scale * 24
    assert waits >= 1.19 * lease


def test_what_has_no_floor_is_left_to_the_interpreter():
    for names in (["States.ALL"], ["EmailThrottled"], ["InvalidBooking", "BookingConflict"]):
        plain = definition(ErrorEquals=names, IntervalSeconds=1, MaxAttempts=8)
        assert with_floors(plain, 0.02, 11) == plain


def test_a_retrier_is_found_however_deep_and_the_definition_is_left_as_it_was():
    grace = {"ErrorEquals": ["TicketConflict"], "IntervalSeconds": 300, "MaxAttempts": 1}
    inner = {"States": {"Creating": {"Retry": [grace]}}}
    branch = {"States": {"Seats": {"ItemProcessor": inner}}}
    machine = {"States": {"Both": {"Branches": [branch]}}}
    before = copy.deepcopy(machine)

    scaled = with_floors(machine, 0.01, 11)

    seats = scaled["States"]["Both"]["Branches"][0]["States"]["Seats"]
    creating = seats["ItemProcessor"]["States"]["Creating"]
    assert creating["Retry"][0]["IntervalSeconds"] == 1000
    assert machine == before
