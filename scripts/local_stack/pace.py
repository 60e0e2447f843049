"""When to write again what keeps changing, and grows."""

import threading
import time
from collections.abc import Callable

REST = 2  # seconds from a change to its writing; others join it meanwhile
SHARE = 10  # of the time, the writing takes at most one part in so many


class Pace:
    """Changes may be noted from any thread; the rest belongs to the one that writes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Event()
        self._rested = clock()
        self._due: float | None = None

    def note_change(self) -> None:
        self._changed.set()

    def is_due(self) -> bool:
        """Whether to write now. To be asked often."""
        now = self._clock()
        if self._changed.is_set() and self._due is None:
            self._due = max(now + REST, self._rested)
        return self._due is not None and now >= self._due

    def write(self, write: Callable[[], None]) -> None:
        """Write now, due or not. A change in the midst of it is written the next time."""
        began = self._clock()
        self._changed.clear()
        self._due = None
        write()
        ended = self._clock()
        self._rested = ended + (SHARE - 1) * (ended - began)
