"""The workers of one function: reused while warm, started on demand up to a limit."""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING

from local_stack.lambda_service.function import LambdaServiceClosedError
from local_stack.lambda_service.worker import State, Worker

if TYPE_CHECKING:
    from collections.abc import Callable

_STARTS_AT_ONCE = max(2, os.cpu_count() or 1)
"""More starts than processors at a time only slow each other down, and a warm worker may well be
free before they are done."""


class WorkerFailedError(Exception):
    """The worker that was started for this caller ended before it took an event."""

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self.worker = worker


class WorkerPool:
    """Callers wait in order of arrival; whichever worker is free first takes the first of them."""

    def __init__(
        self, new_worker: Callable[[Callable[[Worker, State], None]], Worker], limit: int
    ) -> None:
        self._new_worker = new_worker
        self._limit = limit
        self._states: dict[Worker, State] = {}
        self._idle: list[Worker] = []
        self._waiting: deque[Future[Worker]] = deque()
        self._closed = False
        self._lock = threading.Lock()

    def acquire(self) -> Worker:
        """An idle worker, now the caller's alone until it has answered an event or is released.

        Raises WorkerFailedError, LambdaServiceClosedError.
        """
        with self._lock:
            if self._closed:
                raise LambdaServiceClosedError
            if self._idle:
                worker = self._idle.pop()
                self._states[worker] = State.BUSY
                return worker
            place: Future[Worker] = Future()
            self._waiting.append(place)
            starting = self._missing()
        _start(starting)
        return place.result()

    def release(self, worker: Worker) -> None:
        """Give back a worker that was acquired and not used."""
        self._changed(worker, State.IDLE)

    def workers(self) -> list[Worker]:
        """Those whose process has not ended, whatever they do, the oldest first."""
        with self._lock:
            return list(self._states)

    def close(self) -> list[Worker]:
        """Kill all workers; they are returned, for the caller to wait for their end."""
        with self._lock:
            self._closed = True
            workers = list(self._states)
            waiting = list(self._waiting)
            self._waiting.clear()
        for place in waiting:
            place.set_exception(LambdaServiceClosedError())
        for worker in workers:
            worker.kill()
        return workers

    def _changed(self, worker: Worker, state: State) -> None:
        with self._lock:
            before = self._states.get(worker)
            if before is None:
                return
            self._states[worker] = state
            taker = failed = None
            if state is State.IDLE:
                taker = self._assign(worker)
            elif state is State.ENDED:
                failed = self._remove(worker, before)
            starting = self._missing()
        if taker is not None:
            taker.set_result(worker)
        if failed is not None:
            failed.set_exception(WorkerFailedError(worker))
        _start(starting)

    def _assign(self, worker: Worker) -> Future[Worker] | None:
        """The caller who has waited longest for it, if any."""
        if not self._waiting:
            self._idle.append(worker)
            return None
        self._states[worker] = State.BUSY
        return self._waiting.popleft()

    def _remove(self, worker: Worker, before: State) -> Future[Worker] | None:
        """The caller whose call fails with the worker, if it never worked."""
        del self._states[worker]
        if worker in self._idle:
            self._idle.remove(worker)
        if before is State.STARTING and self._waiting:
            return self._waiting.popleft()
        return None

    def _missing(self) -> list[Worker]:
        """New workers for the callers whom no starting or answering worker will serve."""
        states = list(self._states.values())
        starting = states.count(State.STARTING)
        count = min(
            len(self._waiting) - starting - states.count(State.ANSWERED),
            self._limit - len(states),
            _STARTS_AT_ONCE - starting,
        )
        workers = [self._new_worker(self._changed) for _ in range(0 if self._closed else count)]
        self._states.update(dict.fromkeys(workers, State.STARTING))
        return workers


def _start(workers: list[Worker]) -> None:
    for worker in workers:
        worker.start()
