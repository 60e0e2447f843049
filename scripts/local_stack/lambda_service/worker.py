"""One worker: a process that runs one function, one event at a time."""

from __future__ import annotations

import threading
from enum import Enum, auto
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, cast

from local_stack.lambda_service.event import Event, new_event
from local_stack.lambda_service.function import FunctionSpec, Invocation, exited, failed, timed_out
from local_stack.lambda_service.launch import kill_group, launch

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from local_stack.lambda_service.function_log import FunctionLog
    from local_stack.lambda_service.runtime_api import RuntimeApi

INIT_SECONDS = 10
"""AWS gives the initialisation 10 s, and if that fails once more the function's timeout
(https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html). Here it is one
attempt with the sum of both."""

_LOG_DRAIN_SECONDS = 2


class State(Enum):
    """STARTING → IDLE → BUSY → ANSWERED (about to ask for the next event) → IDLE …, then ENDED."""

    STARTING = auto()
    IDLE = auto()
    BUSY = auto()
    ANSWERED = auto()
    ENDED = auto()


class Worker:
    """The service's end of a worker; `on_change` hears of IDLE, ANSWERED and ENDED."""

    def __init__(
        self,
        spec: FunctionSpec,
        api: RuntimeApi,
        log: FunctionLog,
        on_change: Callable[[Worker, State], None],
        *,
        force_own_loop: bool,
    ) -> None:
        self._spec = spec
        self._api = api
        self._log = log
        self._on_change = on_change
        self._force_own_loop = force_own_loop
        self._address = api.register(self)
        self._events: SimpleQueue[Event | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._current: Event | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = False
        self._init_failure: Invocation | None = None
        self._init_expired = False
        self._returncode = 0
        self._ended = threading.Event()
        self._init_timer = threading.Timer(INIT_SECONDS + spec.timeout_seconds, self._expire_init)
        self._init_timer.daemon = True

    def start(self) -> None:
        """Start the process; also a failure to do so is told by `on_change`."""
        try:
            with self._lock:
                if not self._killed:
                    self._process = launch(
                        self._spec, self._address, force_own_loop=self._force_own_loop
                    )
        except OSError as error:
            self._init_failure = failed("Runtime.InvalidEntrypoint", str(error))
        if self._process is None:
            self._end()
            return
        self._init_timer.start()
        threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()

    def run(self, request_id: str, payload: bytes, *, crash_after: bool = False) -> Invocation:
        """Have the idle worker do one event; past the function's timeout it is killed."""
        event = new_event(self._spec, request_id, payload, crash_after=crash_after)
        with self._lock:
            self._current = event
        self._events.put(event)
        if self._ended.is_set():
            self._answer_exit()
        try:
            return event.answer.result(self._spec.timeout_seconds)
        except TimeoutError:
            if self._claim(request_id) is None:
                return event.answer.result()
        self.kill()
        return timed_out(request_id, self._spec.timeout_seconds)

    def kill(self) -> None:
        with self._lock:
            self._killed = True
            if self._process is not None and not self._ended.is_set():
                kill_group(self._process)

    def wait_ended(self, seconds: float) -> bool:
        return self._ended.wait(seconds)

    def init_failure(self, request_id: str) -> Invocation:
        """Why the worker ended before it took an event."""
        if self._init_expired:
            return timed_out(request_id, self._spec.timeout_seconds)
        return self._init_failure or exited(request_id, self._returncode)

    # What the Runtime API calls (RuntimeEnd).

    def next_event(self) -> Event | None:
        self._init_timer.cancel()
        self._on_change(self, State.IDLE)
        return self._events.get()

    def answer(self, request_id: str, invocation: Invocation) -> bool:
        current = self._current
        if current is not None and current.request_id == request_id and current.crash_after:
            self.kill()
            return True
        event = self._claim(request_id)
        if event is None:
            return False
        # In this order: a caller's next call must find the worker about to be free.
        self._on_change(self, State.ANSWERED)
        event.answer.set_result(invocation)
        return True

    def init_failed(self, failure: Invocation) -> None:
        self._init_failure = failure

    def _claim(self, request_id: str) -> Event | None:
        """The current event, for the one who will answer it; None if somebody else has it."""
        with self._lock:
            event = self._current
            if event is None or event.request_id != request_id:
                return None
            self._current = None
            return event

    def _expire_init(self) -> None:
        self._init_expired = True
        self.kill()

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        log_copy = self._log.follow(cast("IO[bytes]", process.stdout))
        self._returncode = process.wait()
        kill_group(process)
        cast("IO[bytes]", process.stdin).close()
        log_copy.join(_LOG_DRAIN_SECONDS)
        self._end()

    def _end(self) -> None:
        self._init_timer.cancel()
        self._api.unregister(self._address)
        self._ended.set()
        self._events.put(None)
        self._on_change(self, State.ENDED)
        self._answer_exit()

    def _answer_exit(self) -> None:
        with self._lock:
            event, self._current = self._current, None
        if event is not None:
            event.answer.set_result(exited(event.request_id, self._returncode))
