"""What the Break it page offers: each fault with what to expect, and what to look at."""

import json
import re
from dataclasses import dataclass

from local_stack.samples import SAMPLES
from local_stack.time_scale import GRACE_FLOOR

# Seconds, as the state machine's definition and the template have them.
_GRACE = 300
_RETRIES = 183  # 8 retries, from 1 s doubling to 60 s: at most, and half of it on average
_THROTTLED_RETRIES = 7215  # 29 retries, from 5 s doubling to 300 s
_LONGEST_THROTTLED_PAUSE = 300
_RECORD_TIMEOUT = 8  # of RecordEmailJob's function, the shortest; no time scale shortens it

_BROKEN = json.loads(SAMPLES[0]) | {"bookingId": "bk_broken_1", "quantity": 0}


@dataclass(frozen=True)
class Scenario:
    """``fault`` is None where a message alone does it: ``body``, to be sent as it is.

    ``takes_seat``: the fault can be for one seat, by :meth:`fault_at`.
    """

    key: str
    title: str
    fault: str | None
    expect: str
    look_at: str
    heal: str
    body: str | None = None
    takes_seat: bool = False

    def fault_at(self, seat: float | None) -> str | None:
        """``Written[3]:error:always`` for seat 3; the fault as it is for None."""
        if self.fault is None or seat is None or not self.takes_seat:
            return self.fault
        return self.fault.replace(":", f"[{seat}]:", 1)

    def plays(self, fault: str) -> bool:
        """Whether a fault in force is this scenario's, for whatever seat."""
        return re.sub(r"\[\d+\]", "", fault) == self.fault


def grace_seconds(scale: float) -> float:
    """How long the one retry of a permanent failure waits at this time scale."""
    return max(_GRACE * scale, GRACE_FLOOR)


def scenarios(scale: float) -> tuple[Scenario, ...]:
    """The catalogue, its times those of the running stack's time scale."""
    return (
        _storage_down(scale),
        _email_throttled(scale),
        _email_rejected(scale),
        _worker_crashes(scale),
        _hanging_step(scale),
        _bad_message(),
    )


def _storage_down(scale: float) -> Scenario:
    return Scenario(
        key="storage-down",
        title="Storage is down",
        fault="Written:error:always",
        takes_seat=True,
        expect=(
            "No image can be stored. Written is tried 9 times, for at most "
            f"{_time(_RETRIES * scale)}; then the execution ends FAILED with InjectedError. The "
            "email is sent all the same, and with one seat broken, the others become ready."
        ),
        look_at=(
            "The graph: Written, its retries counting up. The seat's row stops at creating, and "
            "its cell under written says why."
        ),
        heal=(
            "Lift the fault, then redrive: only Written and Ready of the seats that are not ready "
            "run. Lifted while it still retries, it needs no redrive."
        ),
    )


def _email_throttled(scale: float) -> Scenario:
    return Scenario(
        key="email-throttled",
        title="Email is throttled",
        fault="SendEmail:ses-throttle:always",
        expect=(
            "SES refuses for its sending rate. Every ticket becomes ready; SendEmail is tried "
            f"again for at most {_time(_THROTTLED_RETRIES * scale)}, and only then does the "
            "execution end FAILED with EmailThrottled."
        ),
        look_at=(
            "The graph: the branch of the tickets is done while SendEmail still runs, its retries "
            "counting up. The execution is RUNNING with all seats ready."
        ),
        heal=(
            "Lift the fault: the next retry, at most "
            f"{_time(_LONGEST_THROTTLED_PAUSE * scale)} later, sends the email. No redrive is "
            "needed, unless the execution has failed already."
        ),
    )


def _email_rejected(scale: float) -> Scenario:
    return Scenario(
        key="email-rejected",
        title="Email is rejected",
        fault="SendEmail:ses-reject:always",
        expect=(
            f"SES refuses this email for good. After a grace of {_time(grace_seconds(scale))}, in "
            "which the tickets become ready, SendEmail is tried once more; then the execution ends "
            "FAILED with EmailRejected."
        ),
        look_at=(
            "The seats: all ready, though the execution failed. SendEmail shows two attempts, the "
            "grace between them."
        ),
        heal=(
            "Lift the fault, then redrive: SendEmail and RecordEmailJob run, and no ticket is "
            "made again."
        ),
    )


def _worker_crashes(scale: float) -> Scenario:
    return Scenario(
        key="worker-crashes",
        title="A worker crashes after the write",
        fault="Written:crash:1",
        takes_seat=True,
        expect=(
            "Once, a worker is killed right after it stored the image, and its answer is lost. "
            f"Written fails with Runtime.ExitError, is tried again within {_time(scale)}, and "
            "writes the same image to the same place. The execution ends SUCCEEDED."
        ),
        look_at=(
            "The seat's cell under Written: two attempts; a click on Written in the graph shows "
            "that the first failed. The seat's ticket is one and the same."
        ),
        heal="Nothing to heal: the fault strikes once, and the retry mends it.",
    )


def _hanging_step(scale: float) -> Scenario:
    return Scenario(
        key="hanging-step",
        title="A step hangs",
        fault="RecordEmailJob:hang:1",
        expect=(
            f"Once, RecordEmailJob does nothing for {_time(_RECORD_TIMEOUT)}, its function's "
            "timeout, which no time scale shortens. The attempt fails with Sandbox.Timedout, and "
            f"is tried again within {_time(scale)}. The execution ends SUCCEEDED, with one email."
        ),
        look_at=(
            "The graph: RecordEmailJob runs while all else is done. Then it shows two attempts."
        ),
        heal="Nothing to heal: the fault strikes once, and the retry mends it.",
    )


def _bad_message() -> Scenario:
    return Scenario(
        key="bad-message",
        title="A bad message",
        fault=None,
        body=json.dumps(_BROKEN, ensure_ascii=False),
        expect=(
            "A booking of 0 seats. AcceptBooking refuses it at once: the execution ends FAILED "
            "with InvalidBooking, without a retry, a ticket or an email."
        ),
        look_at=(
            "The execution's error: it names the field and what was wanted. Redrive is off, since "
            "the message would be the same."
        ),
        heal="Correct the message and send it anew, under the same bookingId if you like.",
    )


def _time(seconds: float) -> str:
    """For people: ``3 minutes``."""
    if seconds < 1:
        return "a second"
    if seconds < 120:
        return f"{round(seconds)} s"
    if seconds < 2 * 3600 - 60:
        return f"{round(seconds / 60)} minutes"
    return f"{round(seconds / 3600)} hours"
