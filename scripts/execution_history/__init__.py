"""What happened in an execution, read from its event history alone: no AWS call, no clock.

``read_history(events)`` turns GetExecutionHistory's events into a :class:`History`; ``timeline``
tells of each event, and ``transitions`` counts what AWS bills. Who wants all three reads the events
once, by ``read``, and asks ``entries`` and ``billed`` of that :class:`Reading`.
"""

from execution_history.bill import FREE_A_MONTH, billed, cost, transitions
from execution_history.causes import NEVER_MENDED, Cause, explain, shortened
from execution_history.matrix import Matrix, Row, labels, matrices, place, steps, unreached
from execution_history.model import Attempt, History, Path, StateRun, Status, Step
from execution_history.reading import Reading, read, read_history
from execution_history.tally import Tally, tallies
from execution_history.timeline import Entry, entries, timeline

__all__ = [
    "FREE_A_MONTH",
    "NEVER_MENDED",
    "Attempt",
    "Cause",
    "Entry",
    "History",
    "Matrix",
    "Path",
    "Reading",
    "Row",
    "StateRun",
    "Status",
    "Step",
    "Tally",
    "billed",
    "cost",
    "entries",
    "explain",
    "labels",
    "matrices",
    "place",
    "read",
    "read_history",
    "shortened",
    "steps",
    "tallies",
    "timeline",
    "transitions",
    "unreached",
]
