"""One pass over a history's events, for everything that is told from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from execution_history.events import Event
from execution_history.model import History
from execution_history.places import Places
from execution_history.reader import Reader


@dataclass(frozen=True)
class Reading:
    """``events`` are the oldest first; ``places`` tells where each of them belongs."""

    history: History
    events: list[Event]
    places: Places


def read(events: Iterable[Mapping[str, Any]]) -> Reading:
    """Read a history, complete or not, oldest event first or last."""
    reader = Reader()
    ordered = sorted(map(Event.read, events), key=lambda event: event.id)
    for event in ordered:
        reader.read(event)
    return Reading(reader.history, ordered, reader.places)


def read_history(events: Iterable[Mapping[str, Any]]) -> History:
    """Read a history, complete or not, oldest event first or last."""
    return read(events).history
