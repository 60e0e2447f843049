"""A list's row for an execution: its booking's seats and email, and why it failed."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from botocore.exceptions import ClientError

from execution_history import explain, shortened
from execution_status import OPEN
from local_stack.messages import message_of
from minitickets.domain.email_job import ALREADY_SENT, DONE, SENT
from operations.bookings import Bookings, Claim
from operations.executions import Described, Executions, Listed
from operations.keeping import Kept

_MANY = 5_000
_WHY = 140
# A step that was under way when the execution ended goes on to its function's timeout.
_SETTLED_AFTER = timedelta(seconds=30)
_BEING_SENT = "being sent"
_FORBIDDEN = "not permitted to read"


@dataclass(frozen=True)
class Row:
    """``seats`` and ``seats_ready`` are None while no execution has accepted the booking.

    ``email`` is in words: "sent", "already sent" (by another execution), "being sent", "not yet",
    "not sent", "perhaps sent" (a run ended between the sending and its record), or "not permitted
    to read". ``why`` is a sentence about ``error``. ``message`` is the id that SQS gave to what
    started it.
    """

    arn: str
    name: str
    status: str
    message: str | None
    booking: str | None
    seats_ready: int | None
    seats: int | None
    email: str
    started_at: datetime
    stopped_at: datetime | None
    redrives: int
    error: str | None
    why: str | None


class Rows:
    """Looks an execution up; one that has ended, and whose functions have, only once."""

    def __init__(
        self, executions: Executions, bookings: Bookings, now: Callable[[], datetime]
    ) -> None:
        self._executions = executions
        self._bookings = bookings
        self._now = now
        self._described: Kept[tuple[str, str, int], Described] = Kept(_MANY)
        self._claims: Kept[str, Claim] = Kept(_MANY)
        self._final: Kept[tuple[str, str, int], Row] = Kept(_MANY)

    def of(self, listed: Listed) -> Row:
        """Raises what boto3 raises."""
        final = self._final.get(_key(listed))
        if final:
            return final
        execution = listed if isinstance(listed, Described) else self.describe(listed)
        row = self._row(execution)
        if self._is_final(row):
            self._final.put(_key(execution), row)
        return row

    def describe(self, listed: Listed) -> Described:
        """Once for as long as its status stays. Raises what boto3 raises."""
        known = self._described.get(_key(listed))
        if known:
            return known
        execution = self._executions.describe(listed.arn)
        self._described.put(_key(execution), execution)
        return execution

    def _row(self, execution: Described) -> Row:
        output = _output(execution)
        ready: int | None
        seats: int | None
        if output:
            ready, seats, email = output.seats, output.seats, output.email
        else:
            ready, seats, email = self._from_the_tables(execution)
        return Row(
            execution.arn,
            execution.name,
            execution.status,
            message_of(execution.input),
            execution.booking,
            ready,
            seats,
            email,
            execution.started_at,
            execution.stopped_at,
            execution.redrives,
            execution.error,
            why(execution),
        )

    def _from_the_tables(self, execution: Described) -> tuple[int | None, int | None, str]:
        """Seats ready, seats, and email. What may not be read hides nothing else."""
        booking, ready, seats = execution.booking, None, None
        try:
            claim = self._claim(booking) if booking else None
            if booking and claim:
                ready = self._bookings.seats_ready(booking, claim.user_id)
                seats = claim.quantity
            return ready, seats, self._email(execution)
        except ClientError as error:
            if error.response["Error"].get("Code", "").startswith("AccessDenied"):
                return ready, seats, _FORBIDDEN
            raise

    def _claim(self, booking: str) -> Claim | None:
        known = self._claims.get(booking)
        if known:
            return known
        claim = self._bookings.claim(booking)
        if claim:
            self._claims.put(booking, claim)
        return claim

    def _email(self, execution: Described) -> str:
        now = self._now()
        record = self._bookings.email(execution.booking) if execution.booking else None
        if record is None or not record.holds(now):
            return "not yet" if execution.status in OPEN else "not sent"
        if record.status == DONE:
            return "sent" if record.owner == execution.arn else "already sent"
        if record.is_leased(now):
            return _BEING_SENT
        if execution.status in OPEN:
            return "not yet"
        # SES refused, and so the lease was given back.
        refused = execution.error in ("EmailThrottled", "EmailRejected")
        return "not sent" if refused or record.owner != execution.arn else "perhaps sent"

    def _is_final(self, row: Row) -> bool:
        if row.status in OPEN or row.stopped_at is None:
            return False
        settled = self._now() - row.stopped_at > _SETTLED_AFTER and row.email != _BEING_SENT
        return row.status == "SUCCEEDED" or (settled and row.email != _FORBIDDEN)


@dataclass(frozen=True)
class _Output:
    seats: int
    email: str


def _output(execution: Described) -> _Output | None:
    """What an execution that succeeded says itself: every seat is ready, and the email's way."""
    try:
        output: Any = json.loads(execution.output or "")
        words = {SENT: "sent", ALREADY_SENT: "already sent"}[output["email"]]
        return _Output(int(output["tickets"]["ready"]), words)
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def why(execution: Described) -> str | None:
    """A sentence about its error; None if it has none."""
    if execution.error or execution.cause:
        return shortened(explain(execution.error, execution.cause).message, _WHY)
    if execution.status == "TIMED_OUT":
        return explain("States.Timeout", None).message
    return "it was stopped from outside" if execution.status == "ABORTED" else None


def _key(execution: Listed) -> tuple[str, str, int]:
    return execution.arn, execution.status, execution.redrives
