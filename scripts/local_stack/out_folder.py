"""The folder that a run writes into: one run at a time, and nothing of anyone else's is touched."""

import os
import sys
from pathlib import Path

_FOLDERS = ("tickets", "emails", "logs")
_OURS = (
    "tickets/*-[0-9][0-9][0-9][0-9][0-9].png",
    "emails/[0-9]*-*.eml",
    "logs/minitickets-*.log",
    "logs/console.log",
    "logs/storm.log",
    "histories/*.json",
    "storm.json",
    "tickets.jsonl",
    "jobs.jsonl",
    "executions.jsonl",
)


def take(out: Path) -> None:
    """Make the folder, and hold it until this process ends: two runs would mix their tickets.

    Only their owner can look into its folders, since who has a ticket's image has the seat. Raises
    BlockingIOError when another run holds it, and OSError when it cannot be made.
    """
    for name in _FOLDERS:
        (out / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    hold = os.open(out / ".in-use", os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)


def clear(out: Path) -> None:
    """Remove what an earlier run left, and nothing else: not the bookings that lie there too."""
    for pattern in _OURS:
        for file in out.glob(pattern):
            if file.is_file():
                file.unlink()


def is_result(file: Path, out: Path) -> bool:
    """Whether a run into ``out`` would overwrite the file."""
    file, out = file.resolve(), out.resolve()
    return file.is_relative_to(out) and any(
        file.relative_to(out).match(pattern) for pattern in _OURS
    )
