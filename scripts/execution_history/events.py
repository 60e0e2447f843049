"""One event of GetExecutionHistory, whether boto3 gave it or the AWS CLI wrote it to a file.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_HistoryEvent.html
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

from well_formed import well_formed


@dataclass(frozen=True)
class Event:
    """``before`` is the id of the event that led to it, 0 for none. ``details`` may be empty."""

    id: int
    before: int
    type: str
    at: datetime | None
    details: Mapping[str, Any]

    @classmethod
    def read(cls, event: Mapping[str, Any]) -> Self:
        """Every field but ``id`` and ``type`` is optional."""
        details = (value for name, value in event.items() if name.endswith("EventDetails"))
        return cls(
            id=int(event["id"]),
            before=int(event.get("previousEventId") or 0),
            type=str(event["type"]),
            at=_instant(event.get("timestamp")),
            details=next((value for value in details if isinstance(value, Mapping)), {}),
        )

    def text(self, name: str) -> str | None:
        """A detail as text; JSON that a file holds unpacked is packed again."""
        value = self.details.get(name)
        if isinstance(value, str):
            return well_formed(value)
        if value is None:
            return None
        return json.dumps(value, ensure_ascii=False)


def _instant(value: object) -> datetime | None:
    """Read boto3's datetime, the AWS CLI's ISO 8601 (version 2) or epoch seconds (version 1)."""
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float):
            value = datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)
