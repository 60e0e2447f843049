"""AcceptBooking of two deliveries: every order of its calls, two faults at any of them."""

import json

import pytest

from exploration.conftest import broken_by
from exploration.scenarios import ACCEPT, OTHER_MESSAGES
from exploration.world import REFUSED, SUCCEEDED


def ends(seen):
    return [world for world, moment in seen.moments.items() if not seen.leads_to[moment]]


def test_two_deliveries_of_one_message_are_accepted_as_one_booking(explored):
    seen = explored(ACCEPT)
    assert broken_by(seen) == ""
    assert seen.schedules > 3_500


@pytest.mark.parametrize("other", ["corrected email", "other names"])
def test_a_later_message_goes_on_with_the_facts_of_the_first_and_its_own_address(explored, other):
    seen = explored(OTHER_MESSAGES[other])
    assert broken_by(seen) == ""
    assert seen.schedules > 7_000
    names = set()
    for world in ends(seen):
        (claim,) = world.store.jobs.values()
        outputs = [json.loads(delivery.branches[0].data) for delivery in world.deliveries]
        for output, message in zip(outputs, OTHER_MESSAGES[other].messages, strict=True):
            assert output["booking"]["eventName"] == claim["eventName"]
            assert output["booking"]["venue"] == claim.get("venue")
            assert output["email"] == message["email"]
        names.add(claim["eventName"])
    assert len(names) == (2 if other == "other names" else 1)


def test_of_two_bookings_with_one_id_the_first_is_accepted_and_the_other_refused(explored):
    seen = explored(OTHER_MESSAGES["conflict"])
    assert broken_by(seen) == ""
    assert seen.schedules > 13_000
    ended = {tuple(delivery.status for delivery in world.deliveries) for world in ends(seen)}
    assert ended == {(SUCCEEDED, REFUSED), (REFUSED, SUCCEEDED)}
