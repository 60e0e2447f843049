"""No two seats of any two bookings ever share a key, an image or a token."""

import base64
import json
import re
from unittest import mock

from hypothesis import strategies as st

from properties.for_all import for_all
from properties.messages import GALA, ids
from properties.steps import Outcome, fulfil, step

# "a" has a seat "a-00001", which is a booking's id too, whose seats are "a-00001-00001" …
ENDS = ("", "-", "_", "-0", "-1", "0", "00001", "-00001", "-00500", "-000010", "-00001-00001")
seats = st.sampled_from([1, 10, 100, 500]) | st.integers(1, 500)
Seat = tuple[str, int]


@st.composite
def two_seats(draw: st.DrawFn) -> tuple[Seat, Seat]:
    """Two different seats, of bookings whose ids are the same, look alike, or neither."""
    root = draw(st.sampled_from(["a", "0", "a-00001"]) | ids.map(lambda text: text[:40]))
    alike = st.lists(st.sampled_from(ENDS), max_size=2).map(lambda ends: root + "".join(ends))
    first = draw(alike), draw(seats)
    second = draw(alike | ids), draw(seats)
    return (first, second) if first != second else (first, (first[0], first[1] % 500 + 1))


def booked(seat: Seat, event_id: str) -> Outcome:
    return fulfil(json.dumps(GALA | {"bookingId": seat[0], "eventId": event_id}), seat[1])


@for_all(two_seats(), ids, ids, quick=80, deep=300)
def test_two_seats_share_no_ticket_id_no_image_no_gate_key_and_no_payload(
    two: tuple[Seat, Seat], event_id: str, other_event_id: str
) -> None:
    one, other = booked(two[0], event_id), booked(two[1], other_event_id)
    for name in ("ticketId", "imageKey", "eventDateKey", "token"):
        assert one.record[name] != other.record[name]
    assert one.image_key != other.image_key
    assert one.face.qr_payload != other.face.qr_payload
    # Nor does one booking ever meet the claim, the lease or the email of another.
    shared = set(one.job_keys) & set(other.job_keys)
    assert shared == (set(one.job_keys) if two[0][0] == two[1][0] else set())
    assert len(set(one.job_keys)) == 2  # the email's lease and its record are one


@for_all(ids, seats, ids, quick=60, deep=300)
def test_booking_and_seat_can_be_read_back_from_every_key(
    booking_id: str, seat: int, event_id: str
) -> None:
    """So what is derived from two seats differs, whichever two they are."""
    outcome = booked((booking_id, seat), event_id)
    event, ticket_id = outcome.record["eventDateKey"].split("#")
    assert (event, ticket_id) == (event_id, outcome.record["ticketId"])
    whose, which = re.fullmatch(r"(.+)-([0-9]{5})", ticket_id).groups()
    assert (whose, int(which)) == (booking_id, seat)
    assert outcome.record["imageKey"].split("/") == ["tickets", booking_id, f"{ticket_id}.png"]
    assert outcome.face.qr_payload.split(".") == ["MT1", ticket_id, outcome.record["token"]]
    claim, lease, done = outcome.job_keys
    assert claim.split(":") == ["booking.accepted", booking_id]
    assert lease.split(":") == done.split(":") == ["booking.confirmed", booking_id]


@for_all(st.binary(min_size=16, max_size=16), quick=100, deep=600)
def test_a_token_is_26_characters_that_hold_all_of_128_random_bits(bits: bytes) -> None:
    module = step("reserve_ticket")
    with mock.patch.object(module.secrets, "token_bytes", {16: bits}.__getitem__):
        token = module.new_token()
    assert re.fullmatch("[A-Z2-7]{26}", token)
    assert base64.b32decode(token + "======") == bits
