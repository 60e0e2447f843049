"""The README's recovery table, row by row: what is durable when it happens, and how it ends.

Real workers are killed at the one call to AWS that a row is about. What they left is looked at
ahead of the retry, which waits for that.
"""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from workflow.aws_calls import AwsCall, aws_calls
from workflow.harness import Fulfilment, booking
from workflow.left_behind import CLAIM, EMAIL, IMAGE, LEASED, READY, RECORD, RECORDED, Left
from workflow.tools import (
    decoded,
    failures,
    on_step,
    payload,
)
from workflow.worker_deaths import worker_dies

pytestmark = pytest.mark.slow  # a minute of killed workers and of leases that have to lapse


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
NO_LEASE = {"claim": True, "email": None, "emails": 0}
SENT = {"claim": True, "email": "sending", "emails": 1}

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
class Outcome:
    """``left`` when the worker had died, ahead of each retry; ``end`` when all was over."""

    id: str
    execution: dict[str, Any]
    failures: list[tuple[str, str]]
    left: list[Left]
    end: Left
    calls: list[int]


class Outcomes:
    """A booking of one seat for each death, a few at once: more would wait for each other."""

    AT_ONCE = 3

    def __init__(self, fulfilment: Fulfilment) -> None:
        self._fulfilment = fulfilment
        self._known: dict[str, Outcome] = {}

    def __getitem__(self, name: str) -> Outcome:
        if name not in self._known:
            first = list(DEATHS).index(name) // self.AT_ONCE * self.AT_ONCE
            self._known |= played(self._fulfilment, list(DEATHS)[first : first + self.AT_ONCE])
        return self._known[name]


@pytest.fixture(scope="module")
def outcomes(fulfilment: Fulfilment) -> Outcomes:
    return Outcomes(fulfilment)


def played(fulfilment: Fulfilment, names: list[str]) -> dict[str, Outcome]:
    messages = {name: booking(quantity=1) for name in names}
    ids = {name: message["bookingId"] for name, message in messages.items()}
    left = {name: left_before_retries(fulfilment, DEATHS[name].state, ids[name]) for name in names}
    with ExitStack() as deaths:
        for name in names:
            death, id_ = DEATHS[name], ids[name]
            dies = worker_dies(fulfilment, id_, death.state, *death.call(id_), done=death.done)
            deaths.enter_context(dies)
        with aws_calls() as calls:
            fulfilment.fulfil(*messages.values())
    return {
        name: outcome(fulfilment, ids[name], left[name], calls.of(*DEATHS[name].call(ids[name])))
        for name in names
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
