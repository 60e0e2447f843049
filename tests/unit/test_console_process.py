"""The console beside the stack: its address is said, its failure too, and it ends with the stack.

Its place is taken by small programs of the same name.
"""

import os
import signal
import sys
import threading
import time

import pytest

from local_stack import console_process
from local_stack.console_process import ConsoleProcess

PATIENCE = 20  # seconds, after which a wait fails the test
ENDPOINT = "http://127.0.0.1:4510"
SERVES = """
import sys
print("starting …")
print("Console: http://127.0.0.1:4999", flush=True)
sys.stdin.read()
"""
DEAF = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("Console: http://127.0.0.1:4511", flush=True)
while True: signal.pause()
"""
TELLS_ITS_ARGUMENTS = """
import sys
print("Console: http://127.0.0.1:4511", flush=True)
raise SystemExit(repr(sys.argv[1:]))
"""


class Said:
    def __init__(self):
        self.lines = []
        self._more = threading.Condition()

    def __call__(self, line):
        with self._more:
            self.lines.append(line)
            self._more.notify_all()

    def wait_for(self, words):
        with self._more:
            assert self._more.wait_for(lambda: any(words in x for x in self.lines), PATIENCE), (
                self.lines
            )
            return next(line for line in self.lines if words in line)


@pytest.fixture
def said(monkeypatch):
    heard = Said()
    monkeypatch.setattr(console_process, "say", heard)
    return heard


@pytest.fixture
def console(tmp_path, monkeypatch, said):
    """Start a console whose program is the given one."""
    started = []

    def start(program, port=4511):
        (tmp_path / "console.py").write_text(program)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        started.append(ConsoleProcess(port, tmp_path / "console.log"))
        started[-1].start(ENDPOINT)
        return started[-1]

    yield start
    for each in started:
        each.close()


def pid_of(console):
    return console._process.pid


def is_gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_its_address_is_said_as_soon_as_it_serves(console, said):
    serving = console(SERVES, port=0)
    assert said.wait_for("Console:") == "Console: http://127.0.0.1:4999"
    assert serving.url == "http://127.0.0.1:4999"
    assert said.lines == ["Console: http://127.0.0.1:4999"]


def test_another_port_than_the_wanted_one_is_explained(console, said):
    console(SERVES, port=4511)
    said.wait_for("Console:")
    assert said.lines[0] == "Port 4511 is taken, so the console uses a free one."


def test_it_is_told_the_stack_and_its_port(console, said):
    console(TELLS_ITS_ARGUMENTS, port=4511)
    told = said.wait_for("The console ended: ")
    assert told.endswith(f"['--endpoint', '{ENDPOINT}', '--port', '4511', '--lifeline']")


def test_one_that_cannot_start_is_one_sentence(console, said, tmp_path):
    failed = console("import nothing_of_that_name\n")
    said.wait_for("did not start")
    assert said.lines == [
        "The console did not start: ModuleNotFoundError: No module named 'nothing_of_that_name'"
    ]
    assert failed.url is None
    assert "Traceback" in (tmp_path / "console.log").read_text()


def test_one_that_ends_without_a_word_is_a_sentence_too(console, said, tmp_path):
    console("raise SystemExit(0)\n")
    assert str(tmp_path / "console.log") in said.wait_for("did not start")


def test_one_that_ends_later_says_so_and_has_no_address_any_more(console, said):
    serving = console(SERVES)
    said.wait_for("Console:")
    os.kill(pid_of(serving), signal.SIGKILL)
    said.wait_for("The console ended")
    assert serving.url is None


def test_a_program_that_is_not_there_stops_nothing(console, said, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    console(SERVES).close()
    (sentence,) = said.lines
    assert sentence.startswith("The console did not start: ")


def test_none_is_started_where_none_is_wanted(console, said):
    console(SERVES, port=None).close()
    assert said.lines == []


def test_closing_ends_it_without_a_word(console, said):
    serving = console(SERVES)
    said.wait_for("Console:")
    serving.close()
    assert is_gone(pid_of(serving))
    assert not [line for line in said.lines if "ended" in line]


def test_closing_one_that_hears_nothing_kills_it_within_a_bound(console, said, monkeypatch):
    monkeypatch.setattr(console_process, "_PATIENCE", 0.2)
    deaf = console(DEAF)
    said.wait_for("Console:")
    began = time.monotonic()
    deaf.close()
    assert time.monotonic() - began < PATIENCE
    assert is_gone(pid_of(deaf))
