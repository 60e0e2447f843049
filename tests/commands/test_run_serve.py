"""`scripts/run` without options, and `scripts/book`: a stack that stays up, from start to end."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from commands import processes
from commands.processes import (
    PATIENCE,
    PROJECT,
    TRACEBACK,
    Running,
    consoles,
    finished,
    running,
    wait_until_gone,
    workers,
)
from local_stack.book import main as book_main
from workflow.harness import booking

pytestmark = pytest.mark.slow  # most tests start a stack of their own

CONSOLE = r"^Console: (http://127\.0\.0\.1:(\d+))$"
SAMPLES = {"bk_gala_1": 4, "bk_jazz_1": 2, "bk_matinee_1": 1}  # seats by booking
LISTENING = r"Listening on (http://127\.0\.0\.1:(\d+)) "
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def endpoint_of(served: Running) -> str:
    return served.wait_for(LISTENING)[1]


def port_of(served: Running) -> int:
    return int(served.wait_for(LISTENING)[2])


def served(out: Path, port: int = 0, console: str = "--console-port=0"):
    return running("local_stack", "--out", out, f"--port={port}", console)


# ---- One stack for everything that leaves it up


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    out = tmp_path_factory.mktemp("serve") / "out"
    with served(out) as started:
        started.out = out
        started.wait_for("Ctrl-C stops the stack")
        yield started
    assert not [line for line in started.said if TRACEBACK in line]


def book(stack, *lines, endpoint=None):
    content = "".join(f"{line}\n" for line in lines).encode()
    at = endpoint or endpoint_of(stack)
    return finished("local_stack.book", "-", "--endpoint", at, content=content)


def test_three_sample_bookings_are_fulfilled_with_a_line_for_each_seats_progress(stack):
    for id_, seats in SAMPLES.items():
        for seat in range(1, seats + 1):
            reached = ("creating", "written", "ready")
            at = [stack.said.index(f"{id_}  seat {seat}  {word}") for word in reached]
            assert at == sorted(at)
        assert f"{id_}  email sent" in stack.said


def test_it_says_where_the_tickets_and_the_emails_lie_and_there_they_are(stack):
    words = stack.wait_for(r"The tickets lie in (\S+), the emails in (\S+)\.")
    tickets, emails = Path(words[1]), Path(words[2])
    assert (tickets, emails) == (stack.out / "tickets", stack.out / "emails")
    wanted = {f"{id_}-{n:05d}.png" for id_, seats in SAMPLES.items() for n in range(1, seats + 1)}
    assert {file.name for file in tickets.iterdir()} >= wanted
    booked = {re.sub(r"^\d+-|\.eml$", "", file.name) for file in emails.iterdir()}
    assert booked >= set(SAMPLES)


def test_a_booking_that_is_sent_by_scripts_book_is_fulfilled(stack):
    told = stack.wait_for(r"scripts/book --endpoint (\S+) FILE")[1]
    assert told == endpoint_of(stack)
    sent = book(stack, json.dumps(booking(bookingId="bk_more", quantity=1)), endpoint=told)
    assert sent.returncode == 0
    assert re.fullmatch(r"line 1 sent: message [0-9a-f-]{36}\n", sent.stdout)
    stack.wait_for("bk_more  seat 1  ready")
    stack.wait_for("bk_more  email sent")


def test_scripts_book_names_the_lines_that_sqs_refuses_and_sends_the_others(stack):
    body = json.dumps(booking(bookingId="bk_line_2", quantity=1))
    sent = book(stack, "", body, "a\x00b", "x" * 65_537)
    assert sent.returncode == 1
    assert re.findall(r"line (\d+) sent", sent.stdout) == ["2"]
    assert re.findall(r"line (\d+) refused by SQS: .", sent.stderr) == ["1", "3", "4"]
    stack.wait_for("bk_line_2  seat 1  ready")


def test_scripts_book_reads_a_file_too(stack, tmp_path):
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps(booking(bookingId="bk_file", quantity=1)))
    sent = finished("local_stack.book", file, "--endpoint", endpoint_of(stack))
    assert sent.returncode == 0
    stack.wait_for("bk_file  seat 1  ready")


@linux
def test_it_listens_on_the_loopback_address_only(stack):
    inodes = set()
    for link in Path(f"/proc/{stack.process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile: not a socket that listens
            inodes.add(str(link.readlink()))
    listening = set()
    for table in ("tcp", "tcp6"):
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state, *rest = row.split()
            if state == "0A" and f"socket:[{rest[5]}]" in inodes:
                listening.add(local.split(":")[0])
    assert listening == {"0100007F"}  # 127.0.0.1, as the kernel writes it


def test_its_console_says_its_address_and_answers_there_and_nowhere_else(stack):
    console = stack.wait_for(CONSOLE)
    if stack.said.index(console[0]) < stack.said.index(
        "Ctrl-C stops the stack; nothing is left running."
    ):
        assert f"Look at them in the console:  {console[1]}" in stack.said
    connection = http.client.HTTPConnection("127.0.0.1", int(console[2]), timeout=PATIENCE)
    with closing(connection):
        connection.request("GET", "/")
        assert connection.getresponse().status == 200
    with pytest.raises(OSError, match=r"refused|assign|unreach"):
        socket.create_connection(("127.0.0.2", int(console[2])), timeout=5).close()


def test_no_other_address_reaches_it(stack):
    with pytest.raises(OSError, match=r"refused|assign|unreach"):
        socket.create_connection(("127.0.0.2", port_of(stack)), timeout=5).close()


@linux
def test_ctrl_c_ends_it_with_code_zero_and_leaves_no_process(stack):
    """The last test of this stack."""
    assert workers(endpoint_of(stack))
    assert len(consoles(endpoint_of(stack))) == 1
    stack.process.send_signal(signal.SIGINT)
    code, output = stack.end()
    assert (code, output) == (0, "")
    assert stack.said[-1] == "Stopped."
    wait_until_gone(endpoint_of(stack))


# ---- Its other ends


@pytest.mark.slow
@linux
def test_sigterm_ends_it_like_ctrl_c_also_in_the_middle_of_its_work(tmp_path):
    with served(tmp_path) as stack:
        stack.wait_for("seat 1  creating")
        stack.process.terminate()
        code, _ = stack.end()
        assert code == 0
        assert stack.said[-1] == "Stopped."
        wait_until_gone(endpoint_of(stack))


@pytest.mark.slow
@linux
def test_more_ctrl_c_in_its_shutdown_does_no_harm(tmp_path):
    with served(tmp_path) as stack:
        stack.wait_for("seat 1  creating")
        stack.process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + PATIENCE
        while stack.process.poll() is None and time.monotonic() < deadline:
            with suppress(subprocess.TimeoutExpired):
                stack.process.wait(0.05)
            stack.process.send_signal(signal.SIGINT)
        code, _ = stack.end()
        assert code == 0
        wait_until_gone(endpoint_of(stack))


@pytest.mark.slow
@linux
@pytest.mark.parametrize("at", ["seat 1  creating", "^Console: "])
def test_a_killed_stack_leaves_neither_worker_nor_console(tmp_path, at):
    with served(tmp_path) as stack:
        endpoint = endpoint_of(stack)
        stack.wait_for(at)
        assert workers(endpoint)
        assert consoles(endpoint)
        stack.process.kill()
        stack.end()
        wait_until_gone(endpoint)


@pytest.mark.slow
def test_a_taken_port_is_said_and_a_free_one_used(tmp_path):
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with served(tmp_path, taken) as stack:
            stack.wait_for(rf"Port {taken} is taken")
            assert port_of(stack) != taken
            stack.wait_for("Ctrl-C stops the stack")


@pytest.mark.slow
def test_a_taken_port_of_the_console_is_said_and_a_free_one_used(tmp_path):
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with served(tmp_path, console=f"--console-port={taken}") as stack:
            stack.wait_for(f"Port {taken} is taken, so the console uses a free one")
            assert int(stack.wait_for(CONSOLE)[2]) != taken


@pytest.mark.slow
@linux
def test_without_a_console_there_is_none_and_no_word_of_it(tmp_path):
    with served(tmp_path, console="--no-console") as stack:
        stack.wait_for("Ctrl-C stops the stack")
        assert workers(endpoint_of(stack))
        assert consoles(endpoint_of(stack)) == []
        assert not [line for line in stack.said if re.search("^Console|console[: ]", line)]


@pytest.mark.slow
def test_a_console_that_cannot_start_is_one_sentence_and_the_bookings_are_fulfilled(
    tmp_path, monkeypatch
):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "console.py").write_text("import nothing_of_that_name\n")
    with_broken = processes.environment()
    with_broken["PYTHONPATH"] = os.pathsep.join([str(broken), with_broken["PYTHONPATH"]])
    monkeypatch.setattr(processes, "environment", lambda: with_broken)
    with served(tmp_path / "out") as stack:
        stack.wait_for("The console did not start: .*nothing_of_that_name")
        stack.wait_for("Ctrl-C stops the stack")
        assert not [line for line in stack.said if TRACEBACK in line]


@pytest.mark.slow
def test_the_files_are_up_to_date_once_it_has_stopped(tmp_path):
    with served(tmp_path, console="--no-console") as stack:
        stack.wait_for("Ctrl-C stops the stack")
        book(stack, json.dumps(booking(bookingId="bk_last", quantity=1)))
        stack.wait_for("bk_last  seat 1  ready")
        stack.process.send_signal(signal.SIGINT)
        stack.end()
    written = (tmp_path / "tickets.jsonl").read_text()
    assert [t["status"] for t in map(json.loads, written.splitlines())
            if t["bookingId"] == "bk_last"] == ["ready"]  # fmt: skip
    assert (tmp_path / "tickets" / "bk_last-00001.png").exists()


# ---- scripts/book without a stack


@pytest.fixture
def misused(capsys):
    """Run the command in this process, and give the one sentence it says as misused."""

    def misuse(*arguments):
        with pytest.raises(SystemExit) as end:
            book_main([str(argument) for argument in arguments])
        assert end.value.code == 2
        output, said = capsys.readouterr()
        assert output == ""
        (sentence,) = said.splitlines()
        assert sentence.startswith("scripts/book: ")
        return sentence

    return misuse


def test_it_says_where_nothing_listens():
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))  # bound and not listening: nobody else takes it
        endpoint = f"http://127.0.0.1:{unused.getsockname()[1]}"
        done = finished("local_stack.book", "-", "--endpoint", endpoint, content=b"{}\n")
    assert (done.returncode, done.stdout) == (2, "")
    (sentence,) = done.stderr.splitlines()
    assert f"no local stack answers at {endpoint}" in sentence


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://203.0.113.7:4510",
        "https://sqs.eu-west-1.amazonaws.com",
        "http://127.0.0.1@sqs.example:4510",
        "http://127.0.0.1.example:4510",
        "http://0.0.0.0:4510",
        "http://2130706433:4510",
        "http://127.0.0.1:99999",
        "file:///etc/passwd",
        "127.0.0.1:4510",
        "",
    ],
)
def test_it_talks_to_this_machine_only(misused, endpoint):
    assert repr(endpoint) in misused("-", f"--endpoint={endpoint}")


def test_a_file_that_is_not_there_is_named(misused, tmp_path):
    assert str(tmp_path / "gone") in misused(tmp_path / "gone")


def test_a_missing_file_argument_is_asked_for(misused):
    assert "FILE" in misused()


def test_no_line_is_no_mistake():
    done = finished("local_stack.book", "-", content=b"")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("Nothing was sent")


@pytest.mark.parametrize("script", ["run", "book"])
def test_the_script_enters_the_environment_and_shows_its_help(script):
    done = subprocess.run(
        [sys.executable, PROJECT / "scripts" / script, "--help"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: scripts/{script} ")
