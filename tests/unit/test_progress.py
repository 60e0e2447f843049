"""What is said of each step as it answers."""

import pytest

from local_stack.lambda_service import Invocation, Subject, TooManyRequests
from local_stack.progress import step_event

SEAT = Subject("bk_1", 2)
BOOKING = Subject("bk_1")


def said(state, subject, payload, error=None):
    return step_event(state, subject, Invocation(payload, error)).sentence()


@pytest.mark.parametrize(
    ("state", "subject", "payload", "sentence"),
    [
        ("Creating", SEAT, b'{"seatNumber": 2, "status": "creating"}', "bk_1  seat 2  creating"),
        ("Creating", SEAT, b'{"seatNumber": 2, "status": "ready"}', "bk_1  seat 2  ready already"),
        ("Written", SEAT, b'{"createdAt": "2026-12-01"}', "bk_1  seat 2  written"),
        ("Ready", SEAT, b'{"seatNumber": 2, "status": "ready"}', "bk_1  seat 2  ready"),
        ("SendEmail", BOOKING, b'{"email": "sent"}', "bk_1  email sent"),
        ("SendEmail", BOOKING, b'{"email": "already-sent"}', "bk_1  email already-sent"),
        ("AcceptBooking", BOOKING, b'{"booking": {}}', None),
        ("RecordEmailJob", BOOKING, b'{"bookingId": "bk_1"}', None),
    ],
)
def test_a_seat_is_followed_to_ready_and_the_email_to_sent(state, subject, payload, sentence):
    assert said(state, subject, payload) == sentence


@pytest.mark.parametrize("state", ["AcceptBooking", "Creating", "Ready", "RecordEmailJob"])
def test_a_failure_is_said_by_its_name_at_every_step_and_without_its_message(state):
    payload = b'{"errorType": "TicketMissing", "errorMessage": "a secret"}'
    assert said(state, SEAT, payload, "Unhandled") == f"bk_1  seat 2  {state} failed: TicketMissing"


def test_a_refused_call_is_said_as_the_workflow_sees_it():
    sentence = step_event("Ready", SEAT, TooManyRequests("Rate Exceeded.")).sentence()
    assert sentence == "bk_1  seat 2  Ready failed: Lambda.TooManyRequestsException"


def test_a_message_that_names_no_booking_is_said_too():
    payload = b'{"errorType": "InvalidBooking", "errorMessage": "body: not JSON"}'
    sentence = said("AcceptBooking", Subject(), payload, "Unhandled")
    assert sentence == "a message  AcceptBooking failed: InvalidBooking"


def test_an_answer_that_is_no_object_is_no_failure_of_the_watcher():
    assert said("Written", SEAT, b"null") == "bk_1  seat 2  written"
