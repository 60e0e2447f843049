"""One seat, two deliveries: every order of their calls, two faults at any of them."""

import pytest

from exploration.conftest import broken_by
from exploration.scenarios import SEAT, SEAT_STOPPED

pytestmark = pytest.mark.slow


@pytest.mark.timeout(300)  # twenty seconds of processor time, where others want it too
def test_a_seat_is_made_once_in_every_order_with_any_two_faults(explored):
    seen = explored(SEAT)
    assert broken_by(seen) == ""
    assert seen.schedules > 2 * 10**8
    assert len(seen.moments) > 18_000


def test_a_seat_is_made_once_though_an_execution_is_stopped_while_its_function_runs_on(explored):
    seen = explored(SEAT_STOPPED)
    assert broken_by(seen) == ""
    assert seen.schedules > 6 * 10**6
    assert len(seen.moments) > 4_000
