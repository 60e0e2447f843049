"""What an operator needs of a message or of an execution's input, however broken it is."""

import json


def booking_of(input_: str) -> str | None:
    """The booking in an execution's input: the pipe's array of one SQS record."""
    try:
        body = json.loads(input_)[0]["body"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return booking_in(body) if isinstance(body, str) else None


def booking_in(body: str) -> str | None:
    """The booking that a message's body names."""
    try:
        found = json.loads(body)["bookingId"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return found if isinstance(found, str) else None
