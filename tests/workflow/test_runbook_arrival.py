"""RUNBOOK.md, bookings that do not arrive or not fast: each row is played."""

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from workflow.harness import Fulfilment, booking
from workflow.runbook import Operator, Record, Row, is_fulfilled, plays
from workflow.tools import on_step, wait

pytestmark = pytest.mark.slow  # compute is switched, and a message is received five times


@contextmanager
def compute_off(fulfilment: Fulfilment) -> Iterator[None]:
    """What ``scripts/deploy --compute off`` does, until ``--compute on``."""
    fulfilment.stack.switch_compute(on=False)
    try:
        yield
    finally:
        fulfilment.stack.switch_compute(on=True)


@contextmanager
def pipe_stopped(fulfilment: Fulfilment) -> Iterator[None]:
    fulfilment.stack.pipe.stop()
    try:
        yield
    finally:
        fulfilment.stack.pipe.start()


def messages(fulfilment: Fulfilment, queue: str = "BookingQueueUrl") -> int:
    name = "ApproximateNumberOfMessages"
    answer = fulfilment.stack.client("sqs").get_queue_attributes(
        QueueUrl=fulfilment.stack.output(queue), AttributeNames=[name]
    )
    return int(answer["Attributes"][name])


@plays("Lambda.ResourceNotFoundException")
def test_an_execution_that_runs_while_compute_is_off(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    message = booking()
    with compute_off(fulfilment):
        name = start(fulfilment, message)
        fulfilment.wait_for(lambda: fulfilment.finished(message["bookingId"]))
    operator.about(NAME=name)
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


def start(fulfilment: Fulfilment, message: Record) -> str:
    """Start an execution as the pipe would; return its name."""
    record = {"messageId": str(uuid.uuid4()), "body": json.dumps(message)}
    name = str(uuid.uuid4())
    fulfilment.stack.client("stepfunctions").start_execution(
        stateMachineArn=fulfilment.stack.output("StateMachineArn"),
        name=name,
        input=json.dumps([record]),
    )
    return name


@plays("compute is off")
def test_a_booking_that_is_published_while_compute_is_off(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    waits_until_mended(fulfilment, operator, row, compute_off)


@plays("the pipe is stopped")
def test_a_booking_that_is_published_while_the_pipe_is_stopped(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: messages wait and nothing starts. Not real: the 15 minutes until the alarm."""
    waits_until_mended(fulfilment, operator, row, pipe_stopped)


def waits_until_mended(fulfilment, operator, row, broken) -> None:
    message = booking()
    operator.about(BOOKING=message["bookingId"])
    with broken(fulfilment):
        fulfilment.publish(message)
        assert messages(fulfilment) == 1
        operator.types(row.look, code=3)
        operator.sees(row)
    fulfilment.wait_for(lambda: fulfilment.finished(message["bookingId"]))
    operator.types(row.fix)
    assert message["bookingId"] in operator.wrote.rpartition("started")[2]
    is_fulfilled(fulfilment, message["bookingId"])


@contextmanager
def no_machine(fulfilment: Fulfilment) -> Iterator[None]:
    """The pipe starts a machine that is not there, and what it fails at comes back in a second."""
    sqs, url = fulfilment.stack.client("sqs"), fulfilment.stack.output("BookingQueueUrl")
    name, pipe = "VisibilityTimeout", fulfilment.stack.pipe
    usual = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"]
    settings = pipe._settings
    sqs.set_queue_attributes(QueueUrl=url, Attributes={name: "1"})
    pipe._settings = replace(settings, target=f"{settings.target}-gone")
    try:
        yield
    finally:
        pipe._settings = settings
        sqs.set_queue_attributes(QueueUrl=url, Attributes=usual)


@plays("a dead letter")
def test_a_message_that_could_not_start_an_execution_five_times(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: each refusal, and the queue's redrive policy. The visibility timeout is 1 second."""
    message = booking()
    operator.about(BOOKING=message["bookingId"])
    with no_machine(fulfilment):
        fulfilment.publish(message)
        fulfilment.wait_for(lambda: messages(fulfilment, "BookingDeadLetterQueueUrl"))
    assert fulfilment.executions(message["bookingId"]) == []
    operator.types(row.look)
    operator.sees(row)
    assert message["bookingId"] in operator.wrote
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


@plays("the wrong stage")
def test_a_stage_that_is_not_there(fulfilment: Fulfilment, operator: Operator, row: Row) -> None:
    message = booking()
    fulfilment.fulfil(message)
    operator.types(row.look, code=3)
    operator.sees(row)
    operator.types(row.fix)
    assert message["bookingId"] in operator.wrote


@plays("the machine is throttled")
def test_executions_that_run_for_long(fulfilment: Fulfilment, operator: Operator, row: Row) -> None:
    """Real: an execution that waits is listed, and goes on by itself.

    Not real: why it waits. The local stack knows no quota of state transitions and keeps no metric;
    a step is held up instead. That the alarm is one of the template's is checked with the text.
    """
    message, reached, go_on = booking(), threading.Event(), threading.Event()

    def hold(_: Record) -> None:
        reached.set()
        wait(go_on)

    on_step(fulfilment, "Creating", message["bookingId"], hold)
    fulfilment.publish(message)
    wait(reached)
    operator.types(row.look)
    operator.sees(row)
    assert message["bookingId"] in operator.wrote
    go_on.set()
    is_fulfilled(fulfilment, message["bookingId"])
