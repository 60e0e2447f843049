"""How people write a moment in the past."""

import re
from datetime import datetime, timedelta

_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
HOW = "such as 90m, 6h, 3d, 2026-11-30 or 2026-11-30T18:00Z"


def read_since(text: str, now: datetime) -> datetime:
    """``6h`` ago, or a date or time; one without an offset is this machine's local time.

    Raises ValueError with a sentence.
    """
    span = re.fullmatch(r"(\d{1,5})\s*([smhdw])", text.strip())
    try:
        if span:
            return now - timedelta(**{_UNITS[span[2]]: int(span[1])})
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text!r} is no time; write it {HOW}") from None
