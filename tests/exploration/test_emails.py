"""The email of two deliveries: every order of their calls, two faults at any of them."""

import pytest

from exploration.conftest import broken_by
from exploration.scenarios import EMAIL, LONG_WAITS

pytestmark = pytest.mark.slow


def test_an_email_is_sent_once_and_once_more_at_most_per_event_of_g5(explored):
    seen = explored(EMAIL)
    assert broken_by(seen) == ""
    assert seen.schedules > 5 * 10**7
    assert len(seen.moments) > 70_000


def test_neither_a_worker_that_stands_still_nor_30_days_lose_or_double_an_email(explored):
    seen = explored(LONG_WAITS)
    assert broken_by(seen) == ""
    assert seen.schedules > 35_000
