"""What happened in an execution, read from its event history alone: no AWS call, no clock.

``read_history(events)`` turns GetExecutionHistory's events into a :class:`History`.
"""

from execution_history.causes import NEVER_MENDED, Cause, explain
from execution_history.matrix import Matrix, Row, matrices, unreached
from execution_history.model import Attempt, History, Path, StateRun, Status, Step
from execution_history.reader import read_history

__all__ = [
    "NEVER_MENDED",
    "Attempt",
    "Cause",
    "History",
    "Matrix",
    "Path",
    "Row",
    "StateRun",
    "Status",
    "Step",
    "explain",
    "matrices",
    "read_history",
    "unreached",
]
