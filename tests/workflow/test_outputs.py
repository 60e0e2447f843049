"""What the containers of the real definition hand on, over functions that answer as the steps do.

Looked at in the history, so that it does not matter by which fields the definition does it.
"""

import json

import pytest

from infrastructure.test_definition import FUNCTIONS, MACHINE

BOOKING = {"bookingId": "bk_out", "userId": "usr_out", "eventName": "Held Back"}


def definition():
    """The template's machine, whose Tasks call a function of their own name."""
    text = json.dumps(MACHINE).replace("${Partition}", "aws")
    for state, function in FUNCTIONS.items():
        text = text.replace(f"${{{function}Arn}}", state)
    return json.loads(text)


@pytest.fixture
def fulfilled(engine):
    """Run a booking of ``seats``, of which those in ``found`` were ready before."""

    def run(seats, found=(), email="sent"):
        engine.functions = {
            "AcceptBooking": lambda _: {
                "booking": BOOKING | {"quantity": seats},
                "email": "kim@example.org",
            },
            "Creating": lambda event: {
                "seatNumber": event["seatNumber"],
                "status": "ready" if event["seatNumber"] in found else "creating",
            },
            "Written": lambda _: {"createdAt": "2026-11-30T12:00:00Z"},
            "Ready": lambda event: {"seatNumber": event["seatNumber"], "status": "ready"},
            "SendEmail": lambda _: {"email": email, "messageId": "ses-1"},
            "RecordEmailJob": lambda event: {
                "bookingId": event["bookingId"],
                "email": event["email"],
            },
        }
        arn = engine.run(definition(), [{"messageId": "m-1", "body": "{}"}])
        assert engine.describe(arn)["status"] == "SUCCEEDED", engine.describe(arn)
        return arn

    return run


def outputs(engine, arn, state):
    """What each visit of the state handed on."""
    left = [event.get("stateExitedEventDetails", {}) for event in engine.history(arn)]
    return [json.loads(detail["output"]) for detail in left if detail.get("name") == state]


@pytest.mark.parametrize("email", ["sent", "already-sent"])
@pytest.mark.parametrize("seats", [1, 3])
def test_the_parallel_hands_on_the_booking_its_ready_tickets_and_its_email(
    engine, fulfilled, seats, email
):
    arn = fulfilled(seats, email=email)
    (after,) = outputs(engine, arn, "FulfilBooking")
    assert after == {"bookingId": "bk_out", "tickets": {"ready": seats}, "email": email}


def test_that_is_what_the_execution_says_at_its_end(engine, fulfilled):
    (after,) = outputs(engine, arn := fulfilled(2), "FulfilBooking")
    assert json.loads(engine.describe(arn)["output"]) == after


@pytest.mark.parametrize(("seats", "found"), [(1, ()), (3, (2,)), (3, (1, 2, 3)), (50, ())])
def test_the_map_hands_on_how_many_seats_are_ready_whoever_made_them(
    engine, fulfilled, seats, found
):
    arn = fulfilled(seats, found)
    assert outputs(engine, arn, "IssueTickets") == [{"tickets": {"ready": seats}}]


def test_a_seat_that_was_found_ready_hands_on_what_one_that_was_made_does(engine, fulfilled):
    arn = fulfilled(3, found=(2,))
    assert outputs(engine, arn, "AlreadyReady") == [{"seatNumber": 2, "status": "ready"}]
    made = sorted(outputs(engine, arn, "Ready"), key=lambda seat: seat["seatNumber"])
    assert made == [{"seatNumber": seat, "status": "ready"} for seat in (1, 3)]
