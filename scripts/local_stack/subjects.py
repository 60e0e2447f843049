"""Which booking and seat a step's payload, or an execution's input, is about."""

import json
from typing import Any

from local_stack.lambda_service import Subject
from local_stack.messages import booking_in, is_id


def subject_of(payload: bytes) -> Subject:
    """Read a step's payload; for AcceptBooking's, look into the message."""
    event = json.loads(payload)
    if not isinstance(event, dict):
        return Subject()
    booking = event.get("bookingId") or event.get("booking", {}).get("bookingId")
    return Subject(booking or booking_of(event.get("records")), event.get("seatNumber"))


def booking_of(records: Any) -> str | None:
    """The booking that the pipe's records name; None where the message is too broken to say."""
    try:
        body = records[0]["body"]
    except (LookupError, TypeError):
        return None
    found = booking_in(body) if isinstance(body, str) else None
    return found if found and is_id(found) else None
