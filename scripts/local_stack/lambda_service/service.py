"""The Lambda service: takes invocations of many functions from many threads."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Self

from local_stack.lambda_service.fault_plan import FaultPlan
from local_stack.lambda_service.faults import FaultKind, Subject
from local_stack.lambda_service.function import (
    MAX_REQUEST_BYTES,
    FunctionNotFoundError,
    FunctionSpec,
    Invocation,
    LambdaServiceClosedError,
    RequestTooLargeError,
    TooManyRequests,
    failed,
    timed_out,
)
from local_stack.lambda_service.function_log import FunctionLog
from local_stack.lambda_service.pool import WorkerFailedError, WorkerPool
from local_stack.lambda_service.runtime_api import RuntimeApi
from local_stack.lambda_service.worker import State, Worker

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

Observer = Callable[[str, bytes], None]

_CLOSE_SECONDS = 10


class LambdaService:
    """Runs the functions of `specs`; their output is appended to `log_dir/<function>.log`.

    `states` maps a function to the state that calls it, and `subject_of` tells from a payload what
    the call is about: both for the faults. `may_log` says of each line whether the function's role
    may write it. `force_own_loop` uses our own runtime loop also where AWS's client is installed.
    """

    def __init__(
        self,
        specs: Iterable[FunctionSpec],
        *,
        log_dir: Path,
        workers_per_function: int,
        faults: FaultPlan | None = None,
        states: Mapping[str, str] | None = None,
        subject_of: Callable[[bytes], Subject] = lambda _: Subject(),
        may_log: Callable[[FunctionSpec], bool] = lambda _: True,
        force_own_loop: bool = False,
    ) -> None:
        if workers_per_function < 1:
            raise ValueError(
                f"workers_per_function is {workers_per_function}: at least 1 is needed"
            )
        self._specs = {spec.name: spec for spec in specs}
        self._faults = faults or FaultPlan()
        self._function_states = dict(states or {})
        self._subject_of = subject_of
        self._observers: list[Observer] = []
        self._counts: Counter[str] = Counter()
        self._counts_lock = threading.Lock()
        self._closing = threading.Event()
        log_dir.mkdir(parents=True, exist_ok=True)
        self._logs = {
            name: FunctionLog(log_dir / f"{name}.log", partial(may_log, spec))
            for name, spec in self._specs.items()
        }
        self._api = RuntimeApi()
        self._pools = {
            name: WorkerPool(
                partial(self._new_worker, spec, force_own_loop=force_own_loop),
                workers_per_function,
            )
            for name, spec in self._specs.items()
        }

    def invoke(self, name: str, payload: bytes) -> Invocation:
        """Invoke a function and wait for it, as `RequestResponse` does.

        The function's timeout runs from when a worker takes the event. Raises
        FunctionNotFoundError, TooManyRequests, RequestTooLargeError, LambdaServiceClosedError.
        """
        spec = self._specs.get(name)
        if spec is None:
            raise FunctionNotFoundError(name)
        if len(payload) > MAX_REQUEST_BYTES:
            raise RequestTooLargeError(
                f"Request must be smaller than {MAX_REQUEST_BYTES} bytes for the "
                "InvokeFunction operation"
            )
        if self._closing.is_set():
            raise LambdaServiceClosedError
        fault = self._take_fault(name, payload)
        if fault is FaultKind.THROTTLE:
            raise TooManyRequests("Rate Exceeded.")
        self._record(name, payload)
        if fault is FaultKind.ERROR:
            return failed("InjectedError", f"{name} fails on request, before its work")
        request_id = str(uuid.uuid4())
        try:
            worker = self._pools[name].acquire()
        except WorkerFailedError as failure:
            return failure.worker.init_failure(request_id)
        if fault is FaultKind.HANG:
            return self._hang(worker, spec, request_id)
        answer = worker.run(request_id, payload, crash_after=fault is FaultKind.CRASH)
        if fault is FaultKind.LOST_REPLY:
            return failed("InjectedError", f"the reply of {name} is lost on request")
        return answer

    def prewarm(self, names: Collection[str] | None = None) -> None:
        """Have one warm worker of each function, or of those; a failure is left to the first
        invocation."""
        pools = [pool for name, pool in self._pools.items() if names is None or name in names]
        if pools:
            with ThreadPoolExecutor(len(pools)) as executor:
                list(executor.map(_warm, pools))

    def on_invoke(self, observer: Observer) -> None:
        """Call `observer(function, payload)` before each invocation, in the invoking thread.

        A refused call (TooManyRequests) is no invocation; one that fails by a fault is.
        """
        self._observers.append(observer)

    def counts(self) -> dict[str, int]:
        """How often each function has been invoked."""
        with self._counts_lock:
            return dict(self._counts)

    def kill_worker(self, name: str, which: int) -> bool:
        """Kill a worker of the function, as a machine's end would: in the midst of a call, between
        two, or as it starts. ``which`` counts round those there are; False if there is none."""
        workers = self._pools[name].workers()
        if workers:
            workers[which % len(workers)].kill()
        return bool(workers)

    def close(self) -> None:
        """End every worker. A running invocation fails, a waiting one raises."""
        self._closing.set()
        workers = [worker for pool in self._pools.values() for worker in pool.close()]
        give_up = time.monotonic() + _CLOSE_SECONDS
        for worker in workers:
            worker.wait_ended(max(0.0, give_up - time.monotonic()))
        self._api.close()
        for log in self._logs.values():
            log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _new_worker(
        self,
        spec: FunctionSpec,
        on_change: Callable[[Worker, State], None],
        *,
        force_own_loop: bool,
    ) -> Worker:
        log = self._logs[spec.name]
        return Worker(spec, self._api, log, on_change, force_own_loop=force_own_loop)

    def _take_fault(self, name: str, payload: bytes) -> FaultKind | None:
        state = self._function_states.get(name)
        return None if state is None else self._faults.take(state, self._subject_of(payload))

    def _record(self, name: str, payload: bytes) -> None:
        with self._counts_lock:
            self._counts[name] += 1
        for observer in self._observers:
            observer(name, payload)

    def _hang(self, worker: Worker, spec: FunctionSpec, request_id: str) -> Invocation:
        self._closing.wait(spec.timeout_seconds)
        worker.kill()
        return timed_out(request_id, spec.timeout_seconds)


def _warm(pool: WorkerPool) -> None:
    with suppress(WorkerFailedError):
        pool.release(pool.acquire())
