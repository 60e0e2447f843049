"""The README's recovery table, row by row: what is durable when it happens, and how it ends.

Real workers are killed at the one call to AWS that a row is about. What they left is looked at
ahead of the retry, which waits for that.
"""

import json
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from workflow.aws_calls import AwsCall, aws_calls
from workflow.harness import PATIENCE, Fulfilment, booking, statuses
from workflow.tools import (
    decoded,
    delete_ticket,
    failures,
    object_keys,
    on_step,
    payload,
    wait,
)
from workflow.worker_deaths import worker_dies

pytestmark = pytest.mark.slow  # a minute of killed workers and of leases that have to lapse

CLAIM = "booking.accepted:{id}"
EMAIL = "booking.confirmed:{id}"
RECORD = "{id}-00001"
IMAGE = "tickets/{id}/{id}-00001.png"


@dataclass(frozen=True)
class Death:
    """Of the worker of ``state`` at its ``operation``, which was ``done`` or was not.

    ``durable``: what of :class:`Left` has to be there then, as far as the row speaks of it.
    ``calls``: how each such call for ``subject`` is answered in the whole execution; 503: never.
    """

    state: str
    operation: str
    subject: str
    done: bool
    durable: dict[str, Any]
    calls: list[int]
    emails: int = 1

    def call(self, id_: str) -> tuple[str, str]:
        return self.operation, self.subject.format(id=id_)


NOTHING = {"claim": False, "ticket": None, "image": False, "email": None, "emails": 0}
CLAIMED = NOTHING | {"claim": True}
RESERVED = {"claim": True, "ticket": "creating", "image": False}
WRITTEN = {"claim": True, "ticket": "creating", "image": True}
READY = {"claim": True, "ticket": "ready", "image": True}
NO_LEASE = {"claim": True, "email": None, "emails": 0}
LEASED = {"claim": True, "email": "sending", "emails": 0}
SENT = {"claim": True, "email": "sending", "emails": 1}
RECORDED = {"claim": True, "email": "done", "emails": 1}

DEATHS = {
    "AcceptBooking before its claim": Death(
        "AcceptBooking", "PutItem", CLAIM, False, NOTHING, [503, 200]
    ),
    "AcceptBooking after its claim": Death(
        "AcceptBooking", "PutItem", CLAIM, True, CLAIMED, [200, 400]
    ),
    "Creating before the reservation": Death(
        "Creating", "PutItem", RECORD, False, {"claim": True, "ticket": None}, [503, 200]
    ),
    "Creating after the reservation": Death(
        "Creating", "PutItem", RECORD, True, RESERVED, [200, 400]
    ),
    "Written before the image": Death("Written", "PutObject", IMAGE, False, RESERVED, [503, 200]),
    # A retry puts it only where there is none, then over the very image that was found there.
    "Written after the image": Death("Written", "PutObject", IMAGE, True, WRITTEN, [200, 412, 200]),
    "Ready before the mark": Death("Ready", "UpdateItem", RECORD, False, WRITTEN, [503, 200]),
    "Ready after the mark": Death("Ready", "UpdateItem", RECORD, True, READY, [200, 200]),
    # PutItem of the email: the lease, perhaps again, then the record.
    "SendEmail before its lease": Death(
        "SendEmail", "PutItem", EMAIL, False, NO_LEASE, [503, 200, 200]
    ),
    "SendEmail before SES was asked": Death(
        "SendEmail", "SendEmail", "{id}", False, LEASED, [503, 200]
    ),
    "SendEmail after SES accepted": Death(
        "SendEmail", "SendEmail", "{id}", True, SENT, [200, 200], emails=2
    ),
    "RecordEmailJob before its record": Death(
        "RecordEmailJob", "PutItem", EMAIL, False, SENT, [200, 503, 200]
    ),
    "RecordEmailJob after its record": Death(
        "RecordEmailJob", "PutItem", EMAIL, True, RECORDED, [200, 200, 400]
    ),
}


@dataclass(frozen=True)
class Left:
    """What is durable of a booking of one seat."""

    claim: dict[str, Any] | None
    ticket: dict[str, Any] | None
    image: bytes | None
    job: dict[str, Any] | None
    emails: list[str]

    @classmethod
    def by(cls, fulfilment: Fulfilment, id_: str) -> "Left":
        return cls(
            claim=fulfilment.job(CLAIM.format(id=id_)),
            ticket=fulfilment.tickets(id_).get(1),
            image=image(fulfilment, id_),
            job=fulfilment.job(EMAIL.format(id=id_)),
            emails=[email.message_id for email in fulfilment.emails(id_)],
        )

    @property
    def told(self) -> dict[str, Any]:
        """In the words of the table."""
        return {
            "claim": self.claim is not None,
            "ticket": self.ticket and self.ticket["status"],
            "image": self.image is not None,
            "email": self.job and self.job["status"],
            "emails": len(self.emails),
        }


def image(fulfilment: Fulfilment, id_: str) -> bytes | None:
    key = IMAGE.format(id=id_)
    return fulfilment.image(key) if key in object_keys(fulfilment, id_) else None


@dataclass(frozen=True)
class Outcome:
    """``left`` when the worker had died, ahead of each retry; ``end`` when all was over."""

    id: str
    execution: dict[str, Any]
    failures: list[tuple[str, str]]
    left: list[Left]
    end: Left
    calls: list[int]


@pytest.fixture(scope="module")
def outcomes(fulfilment: Fulfilment) -> dict[str, Outcome]:
    """A booking of one seat for each death, all at once."""
    messages = {name: booking(quantity=1) for name in DEATHS}
    ids = {name: message["bookingId"] for name, message in messages.items()}
    left = {name: left_before_retries(fulfilment, DEATHS[name].state, ids[name]) for name in DEATHS}
    with ExitStack() as deaths:
        for name, death in DEATHS.items():
            deaths.enter_context(
                worker_dies(
                    fulfilment, ids[name], death.state, *death.call(ids[name]), done=death.done
                )
            )
        with aws_calls() as calls:
            fulfilment.fulfil(*messages.values())
    return {
        name: outcome(fulfilment, ids[name], left[name], calls.of(*death.call(ids[name])))
        for name, death in DEATHS.items()
    }


def left_before_retries(fulfilment: Fulfilment, state: str, id_: str) -> list[Left]:
    """Filled with what is durable at each visit of the step but the first."""
    left: list[Left] = []
    visits: list[str] = []

    def look(_: dict[str, Any]) -> None:
        visits.append(state)
        if len(visits) > 1:
            left.append(Left.by(fulfilment, id_))

    on_step(fulfilment, state, id_, look)
    return left


def outcome(fulfilment: Fulfilment, id_: str, left: list[Left], calls: list[AwsCall]) -> Outcome:
    (execution,) = fulfilment.executions(id_)
    return Outcome(
        id=id_,
        execution=execution,
        failures=failures(fulfilment.history(execution["executionArn"])),
        left=left,
        end=Left.by(fulfilment, id_),
        calls=[call.status for call in calls],
    )


@pytest.mark.parametrize("name", DEATHS)
def test_a_worker_that_dies_leaves_what_the_table_says(outcomes, name):
    """And its death was the one failure of the execution."""
    outcome = outcomes[name]
    assert outcome.failures == [(DEATHS[name].state, "Runtime.ExitError")]
    (left,) = outcome.left
    assert left.told.items() >= DEATHS[name].durable.items()
    if left.image:
        assert decoded(left.image) == payload(left.ticket)
    if DEATHS[name].state == "SendEmail" and left.job:
        assert left.job["owner"] == outcome.execution["executionArn"]


@pytest.mark.parametrize("name", DEATHS)
def test_the_retry_goes_on_from_what_a_dead_worker_left(outcomes, name):
    """With the same claim, token, key, image and mark; without a second email, but for the one that
    SES accepted without anybody's hearing of it."""
    outcome, (left,) = outcomes[name], outcomes[name].left
    assert outcome.calls == DEATHS[name].calls
    assert json.loads(outcome.execution["output"]) == {
        "bookingId": outcome.id,
        "tickets": {"ready": 1},
        "email": "sent",
    }
    end = outcome.end
    assert end.told == READY | RECORDED | {"emails": DEATHS[name].emails}
    assert decoded(end.image) == payload(end.ticket)
    assert end.job["messageId"] == end.emails[-1]
    assert end.claim == (left.claim or end.claim)
    assert end.ticket.items() >= {**(left.ticket or {}), "status": "ready"}.items()
    assert end.image == (left.image or end.image)
    assert end.emails[: len(left.emails)] == left.emails


# ---- two runs at once ----------------------------------------------------------------------------


def test_of_two_runs_at_once_the_loser_goes_on_with_what_the_winner_stored(fulfilment):
    """Each claims, reserves and asks for the lease only when the other is about to."""
    message = booking(quantity=1)
    id_ = message["bookingId"]
    for state in ("AcceptBooking", "Creating", "SendEmail"):
        meet_once(fulfilment, state, id_)
    with aws_calls() as calls:
        executions = fulfilment.fulfil(message, message)
    assert statuses(executions) == ["SUCCEEDED", "SUCCEEDED"]
    for subject in (CLAIM, RECORD):
        put = calls.of("PutItem", subject.format(id=id_))
        assert sorted(call.status for call in put) == [200, 400]
    assert len(calls.of("SendEmail", id_)) == 1
    end = Left.by(fulfilment, id_)
    assert end.told == READY | RECORDED
    assert decoded(end.image) == payload(end.ticket)
    outcomes = [json.loads(execution["output"])["email"] for execution in executions]
    assert sorted(outcomes) == ["already-sent", "sent"]


def meet_once(fulfilment: Fulfilment, state: str, id_: str) -> None:
    both = threading.Barrier(2)
    visits: list[str] = []

    def meet(_: dict[str, Any]) -> None:
        visits.append(state)
        if len(visits) <= 2:
            both.wait(PATIENCE)

    on_step(fulfilment, state, id_, meet)


# ---- stopped in mid-send -------------------------------------------------------------------------


@pytest.mark.parametrize(("sent", "emails"), [(False, 1), (True, 2)])
def test_a_redrive_of_what_was_stopped_in_mid_send_waits_for_its_lease_and_then_sends(
    fulfilment, sent, emails
):
    """What was stopped is held ahead of SES until the redrive has met its lease; then its worker
    dies, before SES accepts or, unheard of by the execution, after it."""
    message = booking(quantity=1)
    id_ = message["bookingId"]
    reached, go_on = threading.Event(), threading.Event()
    asked: list[float] = []

    def hold() -> None:
        reached.set()
        wait(go_on)

    def note(call: AwsCall) -> None:
        if call.operation == "SendEmail" and call.subject == id_:
            asked.append(time.time())

    with (
        worker_dies(fulfilment, id_, "SendEmail", "SendEmail", id_, done=sent, ahead=hold),
        aws_calls(before=note),
    ):
        fulfilment.publish(message)
        wait(reached)
        arn, left = stopped(fulfilment, id_)
        assert left.told.items() >= LEASED.items()
        assert (left.job["owner"], left.job["redriveCount"]) == (arn, 0)
        fulfilment.stack.client("stepfunctions").redrive_execution(executionArn=arn)
        fulfilment.wait_for(lambda: failures(fulfilment.history(arn)) or len(asked) > 1)
        assert len(asked) == 1
        go_on.set()
        fulfilment.wait_for(lambda: fulfilment.finished(id_))
    (execution,) = fulfilment.executions(id_)
    assert (execution["status"], execution["redriveCount"]) == ("SUCCEEDED", 1)
    assert set(failures(fulfilment.history(arn))) == {("SendEmail", "EmailInProgress")}
    assert len(asked) == 2
    assert asked[1] >= left.job["leaseUntil"]
    end = Left.by(fulfilment, id_)
    assert end.told == READY | RECORDED | {"emails": emails}
    assert end.job["messageId"] == end.emails[-1]


def test_a_redrive_of_what_was_stopped_in_mid_send_finds_the_email_that_another_run_sent(
    fulfilment,
):
    """The worker of what was stopped dies ahead of SES; a second run of the booking sends."""
    message = booking(quantity=1)
    id_ = message["bookingId"]
    reached, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        reached.set()
        wait(go_on)

    with worker_dies(fulfilment, id_, "SendEmail", "SendEmail", id_, done=False, ahead=hold):
        fulfilment.publish(message)
        wait(reached)
        arn, _ = stopped(fulfilment, id_)
        go_on.set()
    fulfilment.publish(message)
    fulfilment.wait_for(lambda: fulfilment.finished(id_) == 2)
    fulfilment.stack.client("stepfunctions").redrive_execution(executionArn=arn)
    fulfilment.wait_for(lambda: fulfilment.finished(id_) == 2)
    redriven, other = fulfilment.executions(id_)
    assert statuses([redriven, other]) == ["SUCCEEDED", "SUCCEEDED"]
    assert json.loads(redriven["output"])["email"] == "already-sent"
    assert len(fulfilment.emails(id_)) == 1


def stopped(fulfilment: Fulfilment, id_: str) -> tuple[str, Left]:
    """Stop the booking's execution once its seat is ready: its ARN, and what it left."""
    fulfilment.wait_for(lambda: (fulfilment.tickets(id_).get(1) or {}).get("readyAt"))
    (execution,) = fulfilment.executions(id_)
    arn = execution["executionArn"]
    fulfilment.stack.client("stepfunctions").stop_execution(executionArn=arn)
    fulfilment.wait_for(lambda: fulfilment.finished(id_))
    return arn, Left.by(fulfilment, id_)


# ---- a deleted record ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def deleted(fulfilment: Fulfilment) -> dict[str, tuple[dict[str, Any], list[Left]]]:
    """A booking for each step ahead of whose calls somebody deletes the seat's record, once it has
    failed; with what was there before that first happened."""
    messages = {state: booking(quantity=1) for state in ("Written", "Ready")}
    before: dict[str, list[Left]] = {state: [] for state in messages}

    def delete_ahead_of(state: str, message: dict[str, Any]) -> None:
        id_ = message["bookingId"]

        def delete(_: dict[str, Any]) -> None:
            if not fulfilment.finished(id_):
                before[state].append(Left.by(fulfilment, id_))
                delete_ticket(fulfilment, message["userId"], RECORD.format(id=id_))

        on_step(fulfilment, state, id_, delete)

    for state, message in messages.items():
        delete_ahead_of(state, message)
    fulfilment.fulfil(*messages.values())
    return {state: (message, before[state]) for state, message in messages.items()}


@pytest.mark.parametrize("state", ["Written", "Ready"])
def test_a_deleted_record_fails_by_name_and_a_new_run_makes_the_seat_anew(
    fulfilment, deleted, state
):
    message, (before, *_) = deleted[state]
    id_ = message["bookingId"]
    (failed,) = fulfilment.executions(id_)
    assert (failed["status"], failed["error"]) == ("FAILED", "TicketMissing")
    found = failures(fulfilment.history(failed["executionArn"]))
    assert found == [(state, "TicketMissing")] * 2  # a permanent failure is retried once
    left = Left.by(fulfilment, id_)
    assert left.told == RECORDED | {"ticket": None, "image": state == "Ready"}
    assert left.image == before.image

    _, anew = fulfilment.fulfil(message)
    assert anew["status"] == "SUCCEEDED"
    end = Left.by(fulfilment, id_)
    assert end.told == READY | RECORDED
    assert end.ticket["token"] != before.ticket["token"]
    assert decoded(end.image) == payload(end.ticket)
