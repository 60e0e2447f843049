"""A booking's identity is claimed once and for ever."""

import pytest

from fixtures.tables import new_table
from minitickets.adapters.jobs_table import JobsTable
from minitickets.domain.booking import Booking
from minitickets.domain.claim import accept
from minitickets.errors import BookingConflict

FACTS = {
    "booking_id": "bk_1",
    "user_id": "usr_1",
    "event_id": "evt_1",
    "quantity": 4,
    "event_name": "Gala",
    "venue": "Tempodrom",
    "starts_at": "2026-12-24T19:30:00+01:00",
    "time_zone": "Europe/Berlin",
}
BOOKING = Booking(**FACTS)
NOW = "2026-11-30T10:00:00.000000Z"


@pytest.fixture
def table():
    with new_table("jobKey") as table:
        yield table


@pytest.fixture
def claims(table):
    return JobsTable(table.client, table.name)


def test_the_first_message_is_accepted_as_it_is_and_stored_without_an_expiry(table, claims):
    assert accept(claims, BOOKING, "identity-1", "arn:first", NOW) == BOOKING
    assert table.items() == [
        {
            "jobKey": "booking.accepted:bk_1",
            "identity": "identity-1",
            "executionArn": "arn:first",
            "acceptedAt": NOW,
            "bookingId": "bk_1",
            "userId": "usr_1",
            "eventId": "evt_1",
            "quantity": 4,
            "eventName": "Gala",
            "venue": "Tempodrom",
            "startsAt": "2026-12-24T19:30:00+01:00",
            "timeZone": "Europe/Berlin",
        }
    ]


@pytest.mark.parametrize(("venue", "time_zone"), [("Tempodrom", "Europe/Berlin"), (None, None)])
def test_a_later_message_with_the_same_identity_gets_the_first_facts(
    table, claims, venue, time_zone
):
    first = Booking(**FACTS | {"venue": venue, "time_zone": time_zone})
    accept(claims, first, "identity-1", "arn:first", NOW)
    before = table.items()
    corrected = Booking(
        **FACTS
        | {
            "event_name": "Corrected",
            "venue": "Arena",
            "time_zone": "Asia/Tokyo",
            "starts_at": "2026-12-24T18:30:00Z",
        }
    )
    assert accept(claims, corrected, "identity-1", "arn:second", "2027") == first
    assert table.items() == before


def test_another_identity_is_a_conflict_and_changes_nothing(table, claims):
    accept(claims, BOOKING, "identity-1", "arn:first", NOW)
    before = table.items()
    with pytest.raises(BookingConflict, match="bk_1") as caught:
        accept(claims, Booking(**FACTS | {"user_id": "usr_2"}), "identity-2", "arn:second", NOW)
    assert table.items() == before
    assert "usr_" not in str(caught.value)


def test_another_booking_has_a_claim_of_its_own(table, claims):
    accept(claims, BOOKING, "identity-1", "arn:first", NOW)
    other = Booking(**FACTS | {"booking_id": "bk_2"})
    assert accept(claims, other, "identity-2", "arn:second", NOW) == other
    assert {record["jobKey"] for record in table.items()} == {
        "booking.accepted:bk_1",
        "booking.accepted:bk_2",
    }
