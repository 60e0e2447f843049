"""One moment of a schedule: what lasts, where every delivery stands, what it may still cost."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from exploration.aws import Store
from exploration.steps import Invocation

RUNNING: Final = "RUNNING"
FAILED: Final = "FAILED"  # or stopped: it waits for a redrive or a fresh execution
SUCCEEDED: Final = "SUCCEEDED"
REFUSED: Final = "REFUSED"  # FAILED for good: another booking has the id


class Branch(NamedTuple):
    """One line of states. ``data`` is JSON: the state's input, or the output once it has ended.

    ``error`` is the last attempt's; ``waits_for`` is what a run that found the email in progress
    has to see changed, since before that a retry would find the same.
    """

    name: str
    state: str
    data: str
    invocation: Invocation | None = None
    error: str | None = None
    retries: tuple[int, ...] = ()
    waits_for: object = None


class Delivery(NamedTuple):
    """``executions`` and ``redrives`` count; ``zombies`` run on though their execution stopped."""

    name: str
    message: str
    status: str
    branches: tuple[Branch, ...]
    executions: int = 1
    redrives: int = 0
    zombies: tuple[tuple[str, Invocation], ...] = ()

    @property
    def arn(self) -> str:
        return f"arn:aws:states:eu-west-1:1:execution:fulfil-booking:{self.name}{self.executions}"

    def with_branch(self, branch: Branch) -> "Delivery":
        branches = (branch if old.name == branch.name else old for old in self.branches)
        return self._replace(branches=tuple(branches))


class Ledger(NamedTuple):
    """The email's account, kept from outside (:mod:`exploration.oracle`).

    ``emails`` and ``excuses`` of the last 30 days; ``unrecorded`` are executions whose email SES
    accepted, with the end of their lease.
    """

    emails: int = 0
    excuses: int = 0
    unrecorded: frozenset[tuple[str, int]] = frozenset()


class World(NamedTuple):
    """``budget`` is how many faults and events may still happen; ``clock`` is in seconds."""

    store: Store
    deliveries: tuple[Delivery, ...]
    budget: int
    clock: int = 0
    ledger: Ledger = Ledger()
    untouched: bool = True

    def with_delivery(self, delivery: Delivery) -> "World":
        deliveries = (delivery if d.name == delivery.name else d for d in self.deliveries)
        return self._replace(deliveries=tuple(deliveries))


class Choice(NamedTuple):
    """``actor`` does ``move``; ``at`` is for the reader only."""

    actor: str
    at: str
    move: str


@dataclass(frozen=True)
class Scenario:
    """What is explored. ``budget`` faults and events are spent, at any moment, on faults of calls
    and on the ``events`` named; of what follows AcceptBooking only ``follow`` runs.

    ``accepted``: it begins where AcceptBooking is done, and nothing befalls that step. Its one call
    touches the claim only, so its order to the later steps' calls cannot matter.
    """

    name: str
    messages: tuple[dict[str, Any], ...]
    follow: Callable[[str], bool] = field(default=lambda branch: True)
    budget: int = 1
    events: tuple[str, ...] = ()
    accepted: bool = False
