"""Two seats, or a seat and the email, of one booking: what becomes of one if the other fails."""

import pytest

from exploration.conftest import broken_by
from exploration.scenarios import SEAT_AND_EMAIL, SIBLINGS, TWO_AND_TWO
from exploration.world import FAILED

pytestmark = pytest.mark.slow


def test_a_seat_that_fails_for_good_stops_no_other(explored):
    seen = explored(SIBLINGS)
    assert broken_by(seen) == ""
    assert seen.schedules > 3 * 10**7
    assert len(failures(seen)) > 50


def test_an_email_that_is_refused_for_good_stops_no_seat(explored):
    seen = explored(SEAT_AND_EMAIL)
    assert broken_by(seen) == ""
    assert seen.schedules > 3_500
    for world in failures(seen):
        assert [t["status"] for t in world.store.tickets.values()] == ["ready"]


def test_two_seats_of_two_deliveries_are_made_once_each_in_every_order(explored):
    seen = explored(TWO_AND_TWO)
    assert broken_by(seen) == ""
    assert seen.schedules > 5 * 10**9
    assert len(seen.moments) > 26_000


def failures(seen):
    """The moments at which an execution has failed."""
    found = [w for w in seen.moments if any(d.status == FAILED for d in w.deliveries)]
    assert found
    return found
