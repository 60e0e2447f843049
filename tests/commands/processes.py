"""Commands of the project as processes of their own, and what they leave running."""

import os
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 60  # seconds, after which a wait fails the test
TRACEBACK = "Traceback (most recent call last)"


def environment() -> dict[str, str]:
    paths = os.pathsep.join(str(PROJECT / name) for name in ("scripts", "functions"))
    return {**os.environ, "PYTHONPATH": paths}


def command(module: str, *arguments: str | Path) -> list[str]:
    """What `scripts/run` and `scripts/book` become once the environment is there."""
    return [sys.executable, "-P", "-m", module, *map(str, arguments)]


def finished(
    module: str, *arguments: str | Path, content: bytes | None = None
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        command(module, *arguments), env=environment(), input=content, capture_output=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert TRACEBACK not in done.stderr.decode()
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


class Running:
    """A command whose stderr is read line by line; the wait for a line has a bound."""

    def __init__(self, module: str, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            command(module, *arguments), env=environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.said: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr
        with self.process.stderr as stderr:
            for line in stderr:
                self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def wait_for(self, pattern: str) -> re.Match[str]:
        """The first line, said already or not yet, that holds the pattern."""
        for line in self.said:
            if found := re.search(pattern, line):
                return found
        deadline = time.monotonic() + PATIENCE
        while True:
            line = self._lines.get(timeout=max(0, deadline - time.monotonic()))
            assert line is not None, f"ended without saying {pattern!r}: {self.said}"
            self.said.append(line)
            if found := re.search(pattern, line):
                return found

    def end(self) -> tuple[int, str]:
        """Wait for its end; the exit code and what it wrote to stdout."""
        assert self.process.stdout
        code = self.process.wait(PATIENCE)
        output = self.process.stdout.read()
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            self.said.append(line)
        assert not [line for line in self.said if TRACEBACK in line]
        return code, output

    def kill(self) -> None:
        """End it whatever it does; nothing happens to one that has ended."""
        self.process.kill()
        self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        if self.process.stdout:
            self.process.stdout.close()


@contextmanager
def running(module: str, *arguments: str | Path) -> Iterator[Running]:
    started = Running(module, *arguments)
    try:
        yield started
    finally:
        started.kill()


def endpoint_of_children(parent: int) -> str:
    """The local AWS that the workers of the process ``parent`` were told."""
    for pid in _pids():
        if _parent(pid) == parent and (url := _variable(pid, "AWS_ENDPOINT_URL")):
            return url
    raise AssertionError(f"process {parent} has no worker")


def workers(endpoint: str) -> list[int]:
    """All processes on this machine that were started to work against this local AWS."""
    return [pid for pid in _pids() if _variable(pid, "AWS_ENDPOINT_URL") == endpoint]


def consoles(endpoint: str) -> list[int]:
    """All processes on this machine that show this local AWS on a page."""
    shows = ["console", "--endpoint", endpoint]
    return [pid for pid in _pids() if _contains(_arguments(pid), shows)]


def wait_until_gone(endpoint: str) -> None:
    """Wait until neither workers nor consoles of this local AWS are left."""
    deadline = time.monotonic() + PATIENCE
    while left := workers(endpoint) + consoles(endpoint):
        assert time.monotonic() < deadline, f"left running: {left}"
        time.sleep(0.02)


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def _variable(pid: int, name: str) -> str | None:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return None
    for variable in variables:
        key, _, value = variable.partition(b"=")
        if key == name.encode():
            return value.decode()
    return None


def _arguments(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


def _contains(whole: list[str], part: list[str]) -> bool:
    return any(whole[n : n + len(part)] == part for n in range(len(whole)))


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None
