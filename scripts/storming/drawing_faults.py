"""What goes wrong inside the steps of one booking.

The chances are such that most bookings meet some trouble and few meet so much that nothing else
is tried; what costs seconds of waiting (a hang, a rejected email, a failed execution) is rare.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from random import Random

from local_stack.lambda_service import Fault, FaultKind
from storming.bodies import Body
from storming.decks import Deck
from storming.plan import Seat

SEAT_STEPS = ("Creating", "Written", "Ready")
BOOKING_STEPS = ("AcceptBooking", "SendEmail", "RecordEmailJob")
_SEAT_FAULT = 0.06  # a seat's chance at each of its steps
_BOOKING_FAULT = 0.5  # a booking's chance at one of its other steps
_SES_REFUSES = 0.08  # for a moment
_FATAL_EVERY = 7  # bookings
_QUICK = (FaultKind.ERROR, FaultKind.LOST_REPLY, FaultKind.THROTTLE)
# A crash is drawn half as often: it costs a new process, half a second of one processor.
_PASSING = (*_QUICK, *_QUICK, FaultKind.CRASH)
# One in so many bookings, and never two of them close together: each hang keeps one of the few
# local workers for 8 to 15 seconds, which would be the local stack's failure and not the system's.
_HANG_EVERY = 60


class Fatal(Enum):
    """What fails an execution, until it is mended or for ever."""

    DELETED = auto()
    OCCUPIED = auto()
    EMAIL_REJECTED = auto()
    EMAIL_NOT_RECORDED = auto()
    NOT_ACCEPTED = auto()
    SEAT_CREATING = auto()
    SEAT_WRITTEN = auto()
    SEAT_READY = auto()


_SEAT_STATES = {
    Fatal.SEAT_CREATING: "Creating",
    Fatal.SEAT_WRITTEN: "Written",
    Fatal.SEAT_READY: "Ready",
}


@dataclass
class FaultLots:
    """``deleted`` and ``occupied`` collect what no fault of a step can do."""

    rng: Random
    deleted: set[Seat] = field(default_factory=set)
    occupied: dict[Seat, Body] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._at_seat = Deck(self.rng, _PASSING)
        pairs = [(state, kind) for state in BOOKING_STEPS for kind in _PASSING]
        self._at_booking = Deck(self.rng, pairs)
        ses = (FaultKind.SES_THROTTLE, FaultKind.SES_PAUSE, FaultKind.SES_THROTTLE)
        self._at_ses = Deck(self.rng, (*ses, FaultKind.SES_REJECT))
        self._fatal = Deck(self.rng, tuple(Fatal))

    def of(self, index: int, body: Body) -> tuple[Fault, ...]:
        """The faults of the ``index``-th booking."""
        if index % _HANG_EVERY == _HANG_EVERY // 3:
            return (self._hang(index // _HANG_EVERY, body["bookingId"]),)
        fatal = self._fail(body) if index % _FATAL_EVERY == 5 else []
        return (*self._passing(body), *fatal)

    def _passing(self, body: Body) -> Iterator[Fault]:
        """Faults that a retry gets over."""
        id_, rng = body["bookingId"], self.rng
        for seat in range(1, body["quantity"] + 1):
            for state in SEAT_STEPS:
                if rng.random() < _SEAT_FAULT:
                    yield Fault(state, seat, self._at_seat.draw(), rng.choice((1, 1, 2)), id_)
        if rng.random() < _BOOKING_FAULT:
            state, kind = self._at_booking.draw()
            yield Fault(state, None, kind, rng.choice((1, 1, 2)), id_)
        if rng.random() < _SES_REFUSES:
            kind = self._at_ses.draw()
            times = 1 if kind is FaultKind.SES_REJECT else rng.randint(1, 3)
            yield Fault("SendEmail", None, kind, times, id_)

    def _hang(self, turn: int, id_: str) -> Fault:
        states = (*SEAT_STEPS, *BOOKING_STEPS)
        state = states[turn % len(states)]
        return Fault(state, 1 if state in SEAT_STEPS else None, FaultKind.HANG, 1, id_)

    def _fail(self, body: Body) -> list[Fault]:
        id_, seat = body["bookingId"], self.rng.randint(1, body["quantity"])
        match self._fatal.draw():
            case Fatal.DELETED:
                self.deleted.add((id_, seat))
                return []
            case Fatal.OCCUPIED:
                self.occupied[id_, seat] = body
                return []
            case Fatal.EMAIL_REJECTED:
                return [Fault("SendEmail", None, FaultKind.SES_REJECT, None, id_)]
            case Fatal.EMAIL_NOT_RECORDED:
                return [Fault("RecordEmailJob", None, FaultKind.ERROR, None, id_)]
            case Fatal.NOT_ACCEPTED:
                return [Fault("AcceptBooking", None, FaultKind.THROTTLE, None, id_)]
            case state:
                return [Fault(_SEAT_STATES[state], seat, self.rng.choice(_QUICK), None, id_)]
