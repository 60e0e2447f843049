"""The console as a child of ``scripts/run``: a process of its own beside the stack."""

import re
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from local_stack.lambda_service.launch import kill_group
from local_stack.progress import say

MODULE = "console"
_PATIENCE = 3  # seconds
_LONGEST_REASON = 300  # characters
_SERVES = re.compile(r"Console: (http://127\.0\.0\.1:(\d+))")


class ConsoleProcess:
    """Use as a context manager. A console that does not start is a sentence, and stops nothing."""

    def __init__(self, port: int | None, log: Path) -> None:
        """``port`` None: none is wanted. ``log`` receives the console's stderr."""
        self._port = port
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._listener: threading.Thread | None = None
        self._closing = False
        self.url: str | None = None

    def start(self, endpoint: str) -> None:
        """Start it on the stack at ``endpoint``, and go on: it says its address once it serves."""
        if self._port is None:
            return
        try:
            self._process = process = self._launch(endpoint)
        except OSError as error:
            say(f"The console did not start: {error}")
            return
        self._listener = threading.Thread(
            target=self._listen, args=[process], name="console", daemon=True
        )
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._closing = True
        if self._process is None or self._listener is None:
            return
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        kill_group(self._process)
        self._process.wait()
        self._listener.join(_PATIENCE)
        if self._process.stdin:
            self._process.stdin.close()

    def _launch(self, endpoint: str) -> subprocess.Popen[bytes]:
        """Its standard input is its lifeline: it ends when nobody holds the other end any more.

        A session of its own keeps it from the terminal's Ctrl-C: this process stops it.
        """
        arguments = ["--endpoint", endpoint, "--port", str(self._port), "--lifeline"]
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-P", "-m", MODULE, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Hear its address, and its end."""
        with cast("IO[bytes]", process.stdout) as lines:
            for line in lines:
                self._hear(line.decode(errors="replace").rstrip())
        if not self._closing:
            what = "ended" if self.url else "did not start"
            self.url = None
            say(f"The console {what}: {self._last_words()}")

    def _hear(self, line: str) -> None:
        served = _SERVES.fullmatch(line)
        if served and self.url is None:
            self.url = served[1]
            if self._port not in (0, int(served[2])):
                say(f"Port {self._port} is taken, so the console uses a free one.")
            say(line)

    def _last_words(self) -> str:
        with suppress(OSError):
            for line in reversed(self._log.read_text(errors="replace").splitlines()):
                if line.strip():
                    return line.strip()[:_LONGEST_REASON]
        return f"it said nothing, not even in {self._log}"
