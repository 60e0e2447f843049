"""Executions followed live by many pages at once: AWS is asked only for what is new."""

import itertools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from operations.context import Operator
from operations.executions import Described, Listed
from operations.keeping import Shared
from operations.rows import Row, Rows
from operations.views import View, Views

__all__ = ["Follower", "Row", "View"]

T = TypeVar("T")

_HISTORIES = 20
_LISTS = 20
_AT_ONCE = 8  # boto3 keeps ten connections


class Follower:
    """What many pages read of one stage. Safe from many threads.

    ``fresh_for``: how many seconds a reading is answered from memory; 1 on the local stack and 3 on
    AWS unless it is given. ``clock`` counts seconds. Every method raises what boto3 raises.
    """

    def __init__(
        self,
        operator: Operator,
        fresh_for: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if fresh_for is None:
            fresh_for = 1.0 if operator.target.endpoint else 3.0
        self._operator = operator
        self._views = Views(operator.executions, operator.now)
        self._rows = Rows(operator.executions, operator.bookings, operator.now)
        self._viewed: Shared[str, View] = Shared(_HISTORIES, fresh_for, clock)
        self._listed: Shared[tuple[int, str | None], list[Row]] = Shared(_LISTS, fresh_for, clock)
        self._reconciliations: Shared[int, list[Described]] = Shared(_LISTS, fresh_for, clock)
        self._of_bookings: Shared[str, list[Row]] = Shared(_LISTS, fresh_for, clock)

    def view(self, arn: str) -> View:
        """The execution with its history, definition and all that is told from them."""
        return self._viewed.get(arn, lambda before: self._views.read(arn, before))

    def rows(self, limit: int = 50, status: str | None = None) -> list[Row]:
        """The newest executions, the newest first. ``status`` is AWS's word."""
        listing = self._operator.executions.list
        return self._listed.get(
            (limit, status), lambda _: self._look_up(itertools.islice(listing(status), limit))
        )

    def reconciliations(self, limit: int = 50) -> list[Described]:
        """The newest runs of the other machine, the newest first."""
        listing = self._operator.reconciliations.list
        return self._reconciliations.get(
            limit, lambda _: self._each(self._rows.describe, itertools.islice(listing(), limit))
        )

    def rows_of(self, booking: str) -> list[Row]:
        """The executions of that booking, ARN or name, the newest first. Raises NotFound."""
        return self._of_bookings.get(booking, lambda _: self._find(booking))

    def _find(self, asked: str) -> list[Row]:
        # The finder searches a local stack by describing everything; here most of it is known.
        if self._operator.target.endpoint:
            rows = self._look_up(self._operator.executions.list())
            found = [row for row in rows if asked in (row.booking, row.name, row.arn)]
            if found:
                return found
        return self._look_up(self._operator.find.all(asked)[::-1])

    def _look_up(self, listed: Iterable[Listed]) -> list[Row]:
        return self._each(self._rows.of, listed)

    def _each(self, look_up: Callable[[Listed], T], listed: Iterable[Listed]) -> list[T]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(look_up, listed))
