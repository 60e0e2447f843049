"""What is written: results to stdout, for people or as JSON; progress and errors to stderr."""

import json
import sys
import unicodedata
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 160  # columns, for a file or a pipe
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
STYLES = {
    "SUCCEEDED": "green",
    "FAILED": "bold red",
    "TIMED_OUT": "bold red",
    "ABORTED": "yellow",
    "RUNNING": "cyan",
    "PENDING_REDRIVE": "cyan",
}


def plain(text: object) -> str:
    """Text from outside as one line that moves no cursor and turns no writing direction."""
    return "".join(
        f"\\x{ord(char):02x}" if unicodedata.category(char) in _HIDDEN else char
        for char in str(text)
    )


def text(value: object, style: str = "") -> Text:
    """A cell. It is never read as Rich's markup."""
    return Text("" if value is None else plain(value), style=style)


def status(value: str) -> Text:
    return text(value, STYLES.get(value, ""))


def when(instant: datetime | None) -> str:
    return instant.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ") if instant else ""


def age(span: timedelta) -> str:
    """The largest unit that fills it: ``3 d``, ``5 h``, ``2 min``, ``12 s``."""
    seconds = max(0, int(span.total_seconds()))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


@dataclass(frozen=True)
class Screen:
    """Colour only on a terminal, and not with NO_COLOR: Rich sees to both."""

    as_json: bool = False
    out: Console = field(default_factory=lambda: _console(sys.stdout))
    err: Console = field(default_factory=lambda: _console(sys.stderr))

    def json(self, value: dict[str, Any]) -> None:
        """One object, in ASCII, so that no terminal acts on what a name holds."""
        self.out.file.write(json.dumps(value, default=_jsonable) + "\n")

    def say(self, *parts: object, style: str = "") -> None:
        """A line for people; nothing with ``--json``."""
        if not self.as_json:
            line = Text(style=style)
            for part in parts:
                line.append_text(part if isinstance(part, Text) else text(part))
            self.out.print(line, soft_wrap=True)

    def table(self, columns: list[str], rows: list[list[Text]]) -> None:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*row)
        self.out.print(table)

    def busy(self, doing: str) -> AbstractContextManager[object]:
        """On a terminal, say what takes long for as long as it does."""
        return self.err.status(text(doing)) if self.err.is_terminal else nullcontext()

    def complain(self, sentence: str) -> None:
        self.err.print(text(sentence), soft_wrap=True)


def _console(file: Any) -> Console:
    console = Console(file=file, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDE
    return console


def _jsonable(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else str(value)
