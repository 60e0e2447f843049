"""What a storm's verdicts are made of: what was published, and what is durable afterwards.

Plain data, so that a verdict can be tried on made-up facts. No ``repr`` shows a token.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from local_stack.time_scale import GRACE_FLOOR
from storming.plan import Identity, Publication, Seat

TicketKey = tuple[str, str]
"""A record's key: owner and ticket id."""


@dataclass(frozen=True)
class Ticket:
    """A record of the tickets table. ``shown`` are the names, venue and zone of the booking."""

    user_id: str
    ticket_id: str
    booking: str
    seat: int
    identity: Identity
    shown: tuple[str | None, ...]
    status: str
    created_at: str
    image_key: str
    token: str = field(repr=False)

    @property
    def key(self) -> TicketKey:
        return self.user_id, self.ticket_id


@dataclass(frozen=True)
class Write:
    """One change of a ticket's record, as the table's stream tells it. ``token`` and ``created_at``
    are None for a removal."""

    kind: str  # INSERT, MODIFY or REMOVE
    token: str | None = field(default=None, repr=False)
    created_at: str | None = None


@dataclass(frozen=True)
class Claim:
    """``booking.accepted:<bookingId>``; ``writes`` is how often it was written."""

    booking: str
    identity: Identity
    shown: tuple[str | None, ...]
    writes: int = 1


@dataclass(frozen=True)
class EmailJob:
    """``booking.confirmed:<bookingId>``. ``takeovers``: how often a run took the lease over that
    another one had outlived, without having given it back."""

    status: str
    takeovers: int = 0


@dataclass(frozen=True)
class Email:
    """One that SES accepted."""

    booking: str
    message_id: str
    recipient: str = field(repr=False)


@dataclass(frozen=True)
class Failure:
    """How an execution stood when it failed for the first time.

    ``by``, ``finished`` and ``unfinished`` name seats by their numbers, and the email by None.
    ``grace``: the seconds from the first attempt that failed so to the execution's end.
    """

    error: str
    by: frozenset[int | None]
    finished: frozenset[int | None]
    unfinished: frozenset[int | None]
    grace: float


@dataclass(frozen=True)
class Run:
    """An execution. ``status`` and ``error`` are the last ones, after all redrives.

    ``failure``: if it FAILED at first. ``skipped`` are the seats found ready, and ``wrote`` those
    whose Written was entered. ``acknowledged``: the SES ids that left SendEmail with the state's
    output. ``lost``: attempts of SendEmail that ended without an answer, or were aborted: SES may
    have accepted an email in each.
    """

    arn: str
    status: str
    error: str | None
    message_id: str
    publication: int | None
    booking: str | None
    started_at: datetime
    stopped_at: datetime | None
    redrives: int = 0
    retries: int = 0
    failure: Failure | None = None
    skipped: frozenset[int] = frozenset()
    wrote: frozenset[int] = frozenset()
    acknowledged: tuple[str, ...] = ()
    lost: int = 0


@dataclass(frozen=True)
class Leak:
    """Where something stands that may not be there; never what."""

    place: str
    what: str


@dataclass(frozen=True)
class Facts:
    """``sent`` maps a publication's number to the id that SQS gave it. ``returned`` are the ids of
    the dead letters that were sent back, ``dead`` of those that are left. ``removed``: the seats
    whose record the storm deleted, as often as it did. ``objects`` maps an image's key to what its
    one code says, or None if it says nothing. ``grace``: the machine's, in seconds. ``scanned``:
    how many texts of which sort were searched for secrets."""

    publications: Mapping[int, Publication]
    sent: Mapping[int, str]
    runs: tuple[Run, ...] = ()
    tickets: tuple[Ticket, ...] = ()
    writes: Mapping[TicketKey, tuple[Write, ...]] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    jobs: Mapping[str, EmailJob] = field(default_factory=dict)
    objects: Mapping[str, str | None] = field(default_factory=dict, repr=False)
    emails: tuple[Email, ...] = ()
    returned: frozenset[str] = frozenset()
    queued: int = 0
    dead: tuple[str, ...] = ()
    removed: tuple[Seat, ...] = ()
    grace: float = GRACE_FLOOR
    leaks: tuple[Leak, ...] = ()
    scanned: Mapping[str, int] = field(default_factory=dict)
