"""What an operator needs of a message or of an execution's input, however broken it is."""

import json
import re

from well_formed import well_formed

_ID = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def is_id(text: str) -> bool:
    """Whether a booking can have that id. What cannot could be an escape code, or no text."""
    return bool(_ID.fullmatch(text))


def booking_of(input_: str) -> str | None:
    """The booking in an execution's input."""
    body = body_of(input_)
    return None if body is None else booking_in(body)


def body_of(input_: str) -> str | None:
    """The message in an execution's input: the pipe's array of one SQS record."""
    return _of_record(input_, "body")


def message_of(input_: str) -> str | None:
    """SQS's id of that message."""
    return _of_record(input_, "messageId")


def _of_record(input_: str, field: str) -> str | None:
    try:
        found = json.loads(input_)[0][field]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return well_formed(found) if isinstance(found, str) else None


def booking_in(body: str) -> str | None:
    """The booking that a message's body names."""
    try:
        found = json.loads(body)["bookingId"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return well_formed(found) if isinstance(found, str) else None
