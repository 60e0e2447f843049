"""Whether an execution can be redriven, and AWS's words where it cannot.

The words: https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeExecution.html
The limits: https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

EVENT_LIMIT = 24_999
REDRIVABLE_PERIOD = timedelta(days=14)
MAXIMUM_OPEN_TIME = timedelta(days=365)


@dataclass(frozen=True)
class Facts:
    """``status`` and ``type`` as AWS names them; ``events``: the length of the history."""

    status: str
    type: str
    started: datetime
    stopped: datetime | None
    events: int


def refusal(facts: Facts, now: datetime) -> str | None:
    """The reason why the execution is not redrivable now; None if it is."""
    if facts.type == "EXPRESS":
        return "Execution belongs to an EXPRESS state machine and cannot be redriven"
    if facts.status in ("RUNNING", "SUCCEEDED"):
        return f"Execution is {facts.status} and cannot be redriven"
    if facts.events >= EVENT_LIMIT:
        return "Execution history event limit exceeded"
    if now - facts.started > MAXIMUM_OPEN_TIME:
        return "Execution has exceeded the max execution time"
    if facts.stopped is not None and now - facts.stopped > REDRIVABLE_PERIOD:
        return "Execution redrivable period exceeded"
    return None
