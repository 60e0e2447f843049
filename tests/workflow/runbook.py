"""RUNBOOK.md as its tests read it, and an operator who types what it says."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from operations.cli import main
from workflow.harness import Fulfilment, statuses

RUNBOOK = Path(__file__).resolve().parents[2] / "RUNBOOK.md"
OURS = "scripts/minitickets "

Record = dict[str, Any]
Definition = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A row of the runbook's tables; its key is the first thing in bold."""

    symptom: str
    alarm: str
    cause: str
    look: str
    fix: str

    @property
    def key(self) -> str:
        return re.findall(r"\*\*(.+?)\*\*", self.symptom)[0].replace("`", "")

    @property
    def words(self) -> list[str]:
        return quoted(self.symptom)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`(.+?)`", cell)


def rows() -> Iterator[Row]:
    for line in RUNBOOK.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| **") and len(cells) == len(fields(Row)):
            yield Row(*cells)


ROWS = {row.key: row for row in rows()}


def plays(key: str) -> Any:
    """Marks the test of the row of that key, and gives it the ``row``."""
    return pytest.mark.parametrize("row", [ROWS[key]], ids=[key])


@dataclass
class Operator:
    """Types the commands of a row on the local stack, and remembers what they wrote.

    What the row leaves open is filled in by ``names``. ``--since`` becomes the operator's first
    moment, since other tests' executions have failed on the same stack.
    """

    fulfilment: Fulfilment
    capsys: pytest.CaptureFixture[str]
    names: dict[str, str] = field(default_factory=lambda: {"STAGE": "dev"})
    wrote: str = ""
    since: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    def about(self, **names: str) -> None:
        """Such as ``BOOKING="bk_1"``."""
        self.names |= names

    def types(self, cell: str, code: int = 0, only: str = OURS) -> None:
        """Type each command that the cell holds, or ``only`` such; each ends with that code."""
        commands = [words for words in quoted(cell) if words.startswith(only)]
        assert commands, f"no command of ours in {cell!r}"
        for command in commands:
            typed = [self._filled(word) for word in shlex.split(command)[1:]]
            ended = main([*typed, "--endpoint", self.fulfilment.stack.endpoint.url])
            out, err = self.capsys.readouterr()
            self.wrote += out + err
            assert ended == code, f"{command} ended with {ended}:\n{out}{err}"

    def sees(self, row: Row, *besides: str) -> None:
        """Every word of the symptom is among what was written, or ``besides``."""
        seen = "\n".join((self.wrote, *besides))
        assert row.words
        missing = [words for words in row.words if self._named(words) not in seen]
        assert not missing, f"{missing} not in:\n{seen}"

    def _named(self, words: str) -> str:
        for name, value in self.names.items():
            words = words.replace(name, value)
        return words

    def _filled(self, word: str) -> str:
        return self.since if re.fullmatch(r"\d+[mhd]", word) else self.names.get(word, word)


def a_file(folder: Path, *messages: Record) -> str:
    """A file that ``minitickets book`` takes; its path."""
    file = folder / "bookings.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in messages))
    return str(file)


def fails(fulfilment: Fulfilment, message: Record) -> Record:
    """Publish the booking; its execution, which has failed."""
    (execution,) = fulfilment.fulfil(message)
    assert execution["status"] == "FAILED"
    return execution


def is_fulfilled(fulfilment: Fulfilment, id_: str, quantity: int = 2) -> None:
    """Wait until nothing runs: every seat is ready, and one email was sent."""
    fulfilment.wait_for(lambda: "SUCCEEDED" in statuses(fulfilment.executions(id_)))
    fulfilment.wait_for(lambda: "RUNNING" not in statuses(fulfilment.executions(id_)))
    seats = {seat: ticket["status"] for seat, ticket in fulfilment.tickets(id_).items()}
    assert seats == dict.fromkeys(range(1, quantity + 1), "ready")
    assert len(fulfilment.emails(id_)) == 1


@contextmanager
def other_definition(
    fulfilment: Fulfilment, change: Callable[[Definition], None]
) -> Iterator[None]:
    """Executions that start now run the definition as ``change`` leaves it."""
    client = fulfilment.stack.client("stepfunctions")
    machine = {"stateMachineArn": fulfilment.stack.output("StateMachineArn")}
    deployed = client.describe_state_machine(**machine)["definition"]
    changed = json.loads(deployed)
    change(changed)
    client.update_state_machine(**machine, definition=json.dumps(changed))
    try:
        yield
    finally:
        client.update_state_machine(**machine, definition=deployed)
