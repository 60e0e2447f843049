"""The README's recovery table, on: two runs at once, a stop in mid-send, a deleted record."""

import json
import threading
import time
from typing import Any

import pytest

from workflow.aws_calls import AwsCall, aws_calls
from workflow.harness import PATIENCE, Fulfilment, booking, statuses
from workflow.left_behind import CLAIM, LEASED, READY, RECORD, RECORDED, Left
from workflow.tools import (
    decoded,
    delete_ticket,
    failures,
    on_step,
    payload,
    wait,
)
from workflow.worker_deaths import worker_dies

pytestmark = pytest.mark.slow  # a minute of killed workers and of leases that have to lapse

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
