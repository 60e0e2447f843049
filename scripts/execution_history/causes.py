"""A failure's cause in words. Lambda's is JSON in a string; others are plain text."""

import json
from dataclasses import dataclass

from well_formed import well_formed

# Errors of the message itself: a redrive has the same input, so it cannot help them.
NEVER_MENDED = ("InvalidBooking", "BookingConflict")

_MOST = 400


@dataclass(frozen=True)
class Cause:
    """``message`` is one line; ``where`` is the last line of the function's stack, if any."""

    message: str
    request_id: str | None = None
    where: str | None = None


def explain(error: str | None, cause: str | None) -> Cause:
    """Unpack Lambda's ``{"errorMessage", "errorType", "requestId", "stackTrace"}``.

    https://docs.aws.amazon.com/lambda/latest/dg/python-exceptions.html
    """
    unpacked = _lambda_error(cause)
    if unpacked is None:
        return Cause(shortened(cause) or _known(error))
    stack = unpacked.get("stackTrace")
    frames = [frame for frame in stack if isinstance(frame, str)] if isinstance(stack, list) else []
    request = unpacked.get("requestId")
    return Cause(
        message=shortened(str(unpacked.get("errorMessage") or "")) or _known(error),
        request_id=str(request) if request else None,
        where=shortened(frames[-1]) if frames else None,
    )


def _lambda_error(cause: str | None) -> dict[str, object] | None:
    try:
        unpacked = json.loads(cause or "")
    except (ValueError, RecursionError):
        return None
    return unpacked if isinstance(unpacked, dict) and "errorMessage" in unpacked else None


def shortened(text: str | None, most: int = _MOST) -> str:
    """The text as one line of ``most`` characters at the most."""
    line = well_formed(" ".join((text or "").split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def _known(error: str | None) -> str:
    """AWS gives no cause with these: say what the name means."""
    if error in {"States.Timeout", "Sandbox.Timedout"}:
        return "it took longer than its timeout allows"
    return "no cause is given"
