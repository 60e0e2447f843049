"""What the storm itself says, kept in a file too: it is searched for secrets like all else."""

import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

_EVERY = 10  # seconds between two lines where there is no terminal


class Words:
    """While entered, all that this process writes to stdout and stderr also goes to ``path``."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Self:
        self._file = self._path.open("w", encoding="utf-8", errors="backslashreplace")
        self._before = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (_Copied(stream, self._file) for stream in self._before)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        sys.stdout, sys.stderr = self._before
        self._file.close()


class _Copied:
    """A stream whose text also goes to a file; in all else the stream itself."""

    def __init__(self, stream: Any, file: IO[str]) -> None:
        self._stream = stream
        self._file = file

    def write(self, text: str) -> int:
        if not self._file.closed:
            self._file.write(text)
            self._file.flush()
        return int(self._stream.write(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Progress:
    """One line that changes on a terminal; else a line now and then, on stderr."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._said = 0.0
        self._phase = ""

    def phase(self, name: str) -> None:
        self._phase = name
        self._said = 0.0
        self.report("")

    def report(self, detail: str) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if now - self._said < (0.1 if terminal else _EVERY):
            return
        self._said = now
        line = f"{now - self._began:4.0f} s  {self._phase}{': ' if detail else ' …'}{detail}"
        sys.stderr.write(f"\r\x1b[K{line}" if terminal else line + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
