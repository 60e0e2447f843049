"""Redriving one execution or hundreds: choose, redrive, follow to the end.

Nothing is remembered between two runs of the command: what was redriven is no longer among the
failed ones, so the same command started again does the rest.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from botocore.exceptions import ClientError

from execution_history import NEVER_MENDED
from execution_status import OPEN, UNSUCCESSFUL
from operations.advice import advise
from operations.executions import Described, Executions, Listed


@dataclass
class Redrive:
    """What becomes of one execution.

    ``status`` is the execution's; ``note`` says why it was left out, refused or not waited for.
    """

    execution: Described
    status: str
    note: str = ""
    left_out: bool = False
    redriven: bool = False

    @property
    def succeeded(self) -> bool:
        return self.status == "SUCCEEDED"


class Stop(Protocol):
    """A person's wish to stop."""

    def requested(self) -> bool:
        """Whether to begin nothing more."""

    def wait(self, seconds: float) -> None:
        """Wait, but not once a stop is requested."""


def failed(executions: Executions, since: datetime | None) -> list[Listed]:
    """Each failed execution once. All are listed before any is redriven."""
    found: dict[str, Listed] = {}
    for status in UNSUCCESSFUL:
        for listed in executions.list(status, since):
            found[listed.arn] = listed
    return list(found.values())


def consider(
    execution: Described, errors: tuple[str, ...], now: datetime, *, by_name: bool = False
) -> Redrive | None:
    """None if the execution's error is not asked for. ``by_name``: a person named it."""
    if errors and execution.error not in errors:
        return None
    redrive = Redrive(execution, execution.status)
    advice = advise(execution, None, now, execution.name)
    asked_for = by_name or execution.error in errors
    hopeless = execution.error in NEVER_MENDED and execution.status in UNSUCCESSFUL
    possible = execution.status in UNSUCCESSFUL and execution.redrivable is not False
    if (hopeless and not asked_for) or not possible:
        redrive.left_out, redrive.note = True, advice.why
    return redrive


def redrive_all(
    executions: Executions,
    redrives: Iterable[Redrive],
    stop: Stop,
    *,
    at_once: int,
    follow: bool,
    pause: float,
    done: Callable[[Redrive], None],
) -> None:
    """Redrive what is not left out, at most ``at_once`` running; ``done`` hears of each end."""
    waiting = [redrive for redrive in redrives if not redrive.left_out]
    waiting.reverse()
    running: list[Redrive] = []
    while (waiting or running) and not stop.requested():
        while waiting and len(running) < at_once and not stop.requested():
            redrive = waiting.pop()
            if _ask(executions, redrive) and follow:
                running.append(redrive)
            else:
                done(redrive)
        running = _still_running(executions, running, stop, done)
        if running:
            stop.wait(pause)
    for redrive in running:
        redrive.note = "redriven and not waited for"
    for redrive in waiting:
        redrive.note = "not redriven: interrupted"


def _ask(executions: Executions, redrive: Redrive) -> bool:
    """Whether the execution runs again."""
    try:
        executions.redrive(redrive.execution)
    except ClientError as error:
        if error.response["Error"].get("Code") != "ExecutionNotRedrivable":
            raise
        now = executions.describe(redrive.execution.arn)
        if now.status not in OPEN:
            redrive.note = f"refused: {error.response['Error'].get('Message', '')}"
            return False
    redrive.status, redrive.redriven = "RUNNING", True
    return True


def _still_running(
    executions: Executions, running: list[Redrive], stop: Stop, done: Callable[[Redrive], None]
) -> list[Redrive]:
    left = []
    for redrive in running:
        if stop.requested():
            left.append(redrive)
            continue
        now = executions.describe(redrive.execution.arn)
        if now.status in OPEN or now.redrives <= redrive.execution.redrives:
            left.append(redrive)  # DescribeExecution is eventually consistent
            continue
        redrive.status, redrive.note = now.status, now.error or ""
        done(redrive)
    return left
