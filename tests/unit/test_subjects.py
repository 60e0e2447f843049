"""Which booking a message is about, told to people and files: never more than an id."""

import json

import pytest

from local_stack.lambda_service import Subject
from local_stack.subjects import booking_of, subject_of


def records(body: str) -> list[dict[str, str]]:
    return [{"messageId": "m", "body": body}]


def test_a_message_is_about_the_booking_that_it_names():
    assert booking_of(records('{"bookingId": "bk_1"}')) == "bk_1"


@pytest.mark.parametrize(
    "booking_id",
    ["bk\ud800x", "bk\u001b[2J", "bk\n1", "", "../b", "b" * 65, None, 7, ["bk_1"]],
)
def test_what_is_no_id_is_never_shown_as_one(booking_id):
    assert booking_of(records(json.dumps({"bookingId": booking_id}))) is None


@pytest.mark.parametrize("body", ["", "hello", "[]", "[" * 50_000, "7"])
def test_a_broken_message_is_about_no_booking(body):
    assert booking_of(records(body)) is None


@pytest.mark.parametrize("payload", [b"[]", b"7", b"null"])
def test_a_payload_that_is_no_object_is_about_nothing(payload):
    assert subject_of(payload) == Subject()


def test_a_steps_payload_names_its_booking_and_seat():
    event = {"booking": {"bookingId": "bk_1"}, "seatNumber": 2}
    assert subject_of(json.dumps(event).encode()) == Subject("bk_1", 2)
