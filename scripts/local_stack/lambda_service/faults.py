"""Faults that a person asks for: `STATE[SEAT]:KIND:TIMES`, as in `Written[2]:error:always`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

SEAT_STATES = ("Creating", "Written", "Ready")
SES_STATE = "SendEmail"


class FaultKind(StrEnum):
    """What goes wrong.

    - `error`: the function fails before its work
    - `lost-reply`: the work is done, its answer is lost
    - `crash`: the worker is killed after the work
    - `hang`: before the work, until the function's timeout
    - `throttle`: the Lambda service refuses the call
    - `ses-throttle`, `ses-reject`, `ses-pause`: SES refuses the email
    """

    ERROR = "error"
    LOST_REPLY = "lost-reply"
    CRASH = "crash"
    HANG = "hang"
    THROTTLE = "throttle"
    SES_THROTTLE = "ses-throttle"
    SES_REJECT = "ses-reject"
    SES_PAUSE = "ses-pause"


SES_KINDS = frozenset({FaultKind.SES_THROTTLE, FaultKind.SES_REJECT, FaultKind.SES_PAUSE})


class FaultError(ValueError):
    """A fault that makes no sense; the message is one sentence for the person who typed it."""


@dataclass(frozen=True)
class Subject:
    """What a call is about, as far as it says: which booking, which seat."""

    booking: str | None = None
    seat: int | None = None


@dataclass(frozen=True)
class Fault:
    """`times` is how often it strikes, None for always; `seat` or `booking` None means any.

    A fault for any seat counts over all of them: `Creating:error:2` fails two calls in all. A
    booking can be given in code only.
    """

    state: str
    seat: int | None
    kind: FaultKind
    times: int | None
    booking: str | None = None

    def fits(self, subject: Subject) -> bool:
        return self.seat in (None, subject.seat) and self.booking in (None, subject.booking)

    def __str__(self) -> str:
        seat = "" if self.seat is None else f"[{self.seat}]"
        times = "always" if self.times is None else self.times
        return f"{self.state}{seat}:{self.kind}:{times}"


_SHAPE = re.compile(
    r"(?P<state>[^:\[\]]+)(\[(?P<seat>[^:\[\]]*)\])?:(?P<kind>[^:]*):(?P<times>[^:]*)"
)
_COUNT = re.compile(r"[1-9][0-9]{0,8}")


def parse_fault(text: str, states: Collection[str]) -> Fault:
    """Read one fault; `states` are the names of the states that call a function.

    Raises FaultError with one sentence that names the text and what is allowed in its place.
    """
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise FaultError(
            f"The fault {text!r} is not of the form STATE[SEAT]:KIND:TIMES, "
            "as in Written[2]:error:always or SendEmail:crash:1."
        )
    state = _state(text, shape["state"], states)
    return Fault(
        state=state,
        seat=None if shape["seat"] is None else _seat(text, state, shape["seat"]),
        kind=_kind(text, state, shape["kind"]),
        times=_times(text, shape["times"]),
    )


def _state(text: str, state: str, states: Collection[str]) -> str:
    if state not in states:
        raise FaultError(
            f"The fault {text!r} names the unknown state {state!r}: use one of {', '.join(states)}."
        )
    return state


def _seat(text: str, state: str, seat: str) -> int:
    if state not in SEAT_STATES:
        raise FaultError(
            f"The fault {text!r} gives {state} a seat: only {', '.join(SEAT_STATES)} have one."
        )
    if not _COUNT.fullmatch(seat):
        raise FaultError(
            f"The fault {text!r} has the seat {seat!r}: a seat is a whole number from 1."
        )
    return int(seat)


def _kind(text: str, state: str, kind: str) -> FaultKind:
    allowed = [k for k in FaultKind if k not in SES_KINDS or state == SES_STATE]
    if kind in allowed:
        return FaultKind(kind)
    if kind in SES_KINDS:
        raise FaultError(
            f"The fault {text!r} uses {kind} at {state}: it exists only at {SES_STATE}."
        )
    raise FaultError(
        f"The fault {text!r} has the unknown kind {kind!r}: use one of {', '.join(allowed)}."
    )


def _times(text: str, times: str) -> int | None:
    if times == "always":
        return None
    if not _COUNT.fullmatch(times):
        raise FaultError(
            f"The fault {text!r} has {times!r} for TIMES: use a whole number from 1, or always."
        )
    return int(times)
