"""Times, spans and counts as people read them."""

from datetime import UTC, datetime, timedelta


def clock(instant: datetime | None) -> str:
    """``19:30:05``, UTC."""
    return instant.astimezone(UTC).strftime("%H:%M:%S") if instant else ""


def moment(instant: datetime | None) -> str:
    """``2026-11-30 19:30:05 UTC``."""
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if instant else ""


def span(length: timedelta) -> str:
    """``0.4 s``, ``12 s``, ``3 min 5 s``, ``2 h 10 min``, ``3 d 4 h``."""
    seconds = max(0.0, length.total_seconds())
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    if hours == 0:
        return f"{minutes} min {rest} s"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes} min"


def many(count: int, one: str, more: str | None = None) -> str:
    """``1 attempt``, ``2 attempts``; ``more`` is a plural that takes more than an s."""
    return f"{count} {one}" if count == 1 else f"{count} {more or one + 's'}"
