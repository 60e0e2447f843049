"""What was read before, for many threads that ask for it again and again."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """At most ``most`` values: the one that was asked for longest ago makes room."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._put(key, value)

    def get_or_put(self, key: K, make: Callable[[], V]) -> V:
        """``make`` is called under the lock, so it must be quick."""
        with self._lock:
            if key not in self._values:
                self._put(key, make())
            self._values.move_to_end(key)
            return self._values[key]

    def _put(self, key: K, value: V) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)


@dataclass
class _Read(Generic[V]):
    """The last value of one key, and the outcome of the last try to read it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    value: V | None = None
    outcome: Future[V] | None = None
    stale_at: float = 0.0


class Shared(Generic[K, V]):
    """One read at a time for each key; who asks meanwhile, or soon after, gets its outcome.

    ``fresh_for`` and ``clock`` are in seconds. An error is an outcome too: a stack that is down is
    not asked by each thread in turn.
    """

    def __init__(self, most: int, fresh_for: float, clock: Callable[[], float]) -> None:
        self._reads: Kept[K, _Read[V]] = Kept(most)
        self._fresh_for = fresh_for
        self._clock = clock

    def get(self, key: K, read: Callable[[V | None], V]) -> V:
        """``read`` is given the last value, if there is one, to go on from."""
        last: _Read[V] = self._reads.get_or_put(key, _Read)
        with last.lock:
            if last.outcome is None or self._clock() >= last.stale_at:
                last.outcome = _outcome(read, last.value)
                last.stale_at = self._clock() + self._fresh_for
                if last.outcome.exception() is None:
                    last.value = last.outcome.result()
            outcome = last.outcome
        return outcome.result()


def _outcome(read: Callable[[V | None], V], value: V | None) -> Future[V]:
    outcome: Future[V] = Future()
    try:
        outcome.set_result(read(value))
    except Exception as error:  # noqa: BLE001 - raised again for everyone who asked
        outcome.set_exception(error)
    return outcome
