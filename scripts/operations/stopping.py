"""Ctrl-C, or another wish to stop, while something is half done: finish the call, then stop."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

INTERRUPTED = 130  # the exit code
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """In its ``with`` block the first Ctrl-C asks to stop, and the second one ends the command."""

    def __init__(self) -> None:
        self._wanted = threading.Event()
        self._before: dict[int, Any] = {}

    def requested(self) -> bool:
        return self._wanted.is_set()

    def wait(self, seconds: float) -> None:
        self._wanted.wait(seconds)

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, _: int, __: FrameType | None) -> None:
        if self._wanted.is_set():
            raise KeyboardInterrupt
        self._wanted.set()
