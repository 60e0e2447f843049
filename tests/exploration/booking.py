"""The messages that the explored deliveries bring."""

import json
from typing import Any

MESSAGE = {
    "type": "booking.confirmed",
    "bookingId": "bk",
    "userId": "usr",
    "eventId": "evt",
    "quantity": 1,
    "email": "kim@example.org",
    "eventName": "Winter Concert",
    "startsAt": "2026-12-24T19:30:00+01:00",
}
OTHER_EMAIL = MESSAGE | {"email": "kim@example.net"}
OTHER_NAME = MESSAGE | {"eventName": "Winter Concert, moved", "venue": "The Barn"}
OTHER_QUANTITY = MESSAGE | {"quantity": 2}
TWO_SEATS = MESSAGE | {"quantity": 2}
TICKET = {"userId": {"S": "usr"}, "ticketId": {"S": "bk-00001"}}
CLAIM_KEY = "booking.accepted:bk"
EMAIL_KEY = "booking.confirmed:bk"


def identity_of(facts: dict[str, Any]) -> tuple[Any, ...]:
    """Of a message, or of a claim: what no later message may change."""
    return tuple(facts[name] for name in ("bookingId", "userId", "eventId", "startsAt", "quantity"))


def delivered(message: dict[str, Any]) -> str:
    """An execution's input, as the pipe hands it over."""
    return json.dumps([{"messageId": "a message", "body": json.dumps(message)}])
