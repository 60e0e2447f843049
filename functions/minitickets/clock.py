"""The one place that reads the time. Domain code is handed an instant or a clock."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)


def iso(instant: datetime) -> str:
    """ISO 8601 in UTC with microseconds, so that text order is time order."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
