"""One log file per function, written line by line for all of its workers."""

from __future__ import annotations

import threading
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class FunctionLog:
    """Appends whole lines; a line is never torn by another worker's.

    A line is dropped while ``may_write()`` says no, as Lambda does it: only ``lost`` counts it.
    """

    def __init__(self, path: Path, may_write: Callable[[], bool] = lambda: True) -> None:
        self._may_write = may_write
        self.lost = 0
        self._file = path.open("ab", buffering=0)
        self._lock = threading.Lock()

    def follow(self, stream: IO[bytes]) -> threading.Thread:
        """Copy a worker's output until it ends, in a thread of its own."""
        thread = threading.Thread(target=self._copy, args=(stream,), daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        with self._lock:
            self._file.close()

    def _copy(self, stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._write(line)

    def _write(self, line: bytes) -> None:
        if not self._may_write():
            self.lost += 1
            return
        # AWS's client joins the lines of a stack trace by carriage returns, to keep them together.
        text = line.rstrip(b"\r\n").replace(b"\r", b"\n") + b"\n"
        with self._lock:
            if not self._file.closed:
                self._file.write(text)
