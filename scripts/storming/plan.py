"""What a storm publishes and what goes wrong with it, all of it decided by one seed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple, Self

from local_stack.lambda_service import Fault
from storming.bodies import Body


class Kind(StrEnum):
    """Why a message is published."""

    FIRST = "first"
    AGAIN = "again"  # the same booking under another message id
    CORRECTION = "correction"  # the same booking with another email address
    CONFLICT = "conflict"  # another owner, event, start or quantity
    INVALID = "invalid"


class Identity(NamedTuple):
    """What a booking can never change. ``start`` is an instant."""

    user_id: str
    event_id: str
    start: datetime
    quantity: int

    @classmethod
    def of(cls, facts: Body) -> Self:
        """Read a message's body, a claim or a ticket's record: they name these facts alike."""
        start = datetime.fromisoformat(facts["startsAt"]).astimezone(UTC)
        return cls(facts["userId"], facts["eventId"], start, int(facts["quantity"]))


@dataclass(frozen=True)
class Delivery:
    """What goes wrong between the queue and StartExecution, once each.

    ``twice``: the queue gives it out twice at once. ``again_after``: the queue gives it out again
    after so many other receipts. ``refusals``: so often StartExecution refuses it.
    ``start_reply_lost``: StartExecution's answer is lost. ``delete_lost``: its deletion does not
    reach the queue. ``kills_pipe``: the pipe dies between the two.
    """

    twice: bool = False
    again_after: int = 0
    refusals: int = 0
    start_reply_lost: bool = False
    delete_lost: bool = False
    kills_pipe: bool = False


@dataclass(frozen=True)
class Publication:
    """One message. ``booking`` is the one that it is about, None if it is too broken to say."""

    number: int
    kind: Kind
    body: str = field(repr=False)
    booking: str | None
    identity: Identity | None = None
    email: str | None = field(default=None, repr=False)
    delivery: Delivery = Delivery()


@dataclass(frozen=True)
class Publish:
    """Publish it. Its booking's ``faults`` are put in force first."""

    publication: Publication
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class KillWorker:
    """Kill a worker of the ``function``-th function; ``worker`` chooses among those it has."""

    function: int
    worker: int


@dataclass(frozen=True)
class Abort:
    """Stop a running execution, as an operator might; ``which`` chooses among those that run."""

    which: int


@dataclass(frozen=True)
class Outage:
    """StartExecution refuses everything until some messages are dead letters."""


Step = Publish | KillWorker | Abort | Outage
Seat = tuple[str, int]


@dataclass(frozen=True)
class Plan:
    """``encore`` is published when all is healed. ``deleted`` are seats whose record somebody else
    deletes before their image is written, ``occupied`` those whose key holds a foreign record."""

    bookings: int
    seed: int
    steps: tuple[Step, ...]
    encore: tuple[Publication, ...]
    deleted: frozenset[Seat]
    occupied: Mapping[Seat, Body]

    @property
    def publications(self) -> Iterator[Publication]:
        for step in self.steps:
            if isinstance(step, Publish):
                yield step.publication
        yield from self.encore

    @property
    def faults(self) -> Iterator[Fault]:
        for step in self.steps:
            if isinstance(step, Publish):
                yield from step.faults
