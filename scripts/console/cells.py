"""What every list of executions tells in the same way: the status, the start and the duration."""

from datetime import datetime

from console.marks import of_execution
from console.privacy import masked
from console.tables import Cell, cell, marked
from console.words import clock, moment, span
from execution_status import OPEN
from operations.executions import Listed
from operations.following import Row


def status(word: str, error: str | None, why: str | None) -> Cell:
    """``word`` is AWS's; below it stands what went wrong."""
    return marked(of_execution(word), masked(": ".join(filter(None, (error, why)))) or None)


def started(execution: Row | Listed, now: datetime) -> Cell:
    at = execution.started_at
    today = at.date() == now.date()
    words = clock(at) if today else moment(at).removesuffix(" UTC")
    return cell(words, title=at.isoformat())


def duration(execution: Row | Listed, now: datetime) -> Cell:
    end = now if execution.status in OPEN else execution.stopped_at
    return cell(span(end - execution.started_at) if end else "–")
