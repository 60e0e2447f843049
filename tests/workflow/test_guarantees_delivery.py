"""G7: a message that SQS accepted ends in an execution or in the dead-letter queue.

The pipe under test is one of its own, on queues of its own, so that it may be refused and broken.
"""

import json
import uuid
from contextlib import contextmanager

from botocore.exceptions import ClientError, EndpointConnectionError

from local_stack.pipe import Pipe, PipeSettings
from workflow.harness import booking, statuses

RECEIVED_BEFORE_DEAD = 5  # the design's maxReceiveCount
HOSTILE_BODY = '{"bookingId": "bk_verbatim", "odd": " \\u0000 é🎫\t"}\r\n  \N{NO-BREAK SPACE}x '


class Breaks:
    """A client whose named operation raises ``times`` times, ahead of the call or after it."""

    def __init__(self, client, operation, times, when):
        self._client, self._operation, self._left, self._when = client, operation, times, when
        self.log = []

    def __getattr__(self, name):
        def call(**arguments):
            breaks = name == self._operation and self._left > 0
            self._left -= breaks
            if breaks and self._when == "ahead":
                raise EndpointConnectionError(endpoint_url="local")
            answer = getattr(self._client, name)(**arguments)
            if breaks:
                raise EndpointConnectionError(endpoint_url="local")
            self.log.append(name)
            return answer

        return call


@contextmanager
def own_pipe(fulfilment, target=None, sqs=None, stepfunctions=None):
    """A running pipe and the addresses of its queue and dead-letter queue."""
    client, name = fulfilment.stack.client("sqs"), f"q-{uuid.uuid4().hex[:8]}"
    dead = client.create_queue(QueueName=f"{name}-dead")["QueueUrl"]
    redrive = {"deadLetterTargetArn": arn(client, dead), "maxReceiveCount": RECEIVED_BEFORE_DEAD}
    attributes = {"VisibilityTimeout": "0", "RedrivePolicy": json.dumps(redrive)}
    queue = client.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    deployed = fulfilment.stack.deployment.pipe
    pipe = Pipe(
        PipeSettings(name, arn(client, queue), target or deployed.target, deployed.role),
        sqs or client,
        stepfunctions or fulfilment.stack.client("stepfunctions"),
        busy=lambda: False,
    )
    pipe.start()
    try:
        yield pipe, queue, dead
    finally:
        pipe.stop()


def arn(client, queue):
    answer = client.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])
    return answer["Attributes"]["QueueArn"]


def send(fulfilment, queue, body):
    return fulfilment.stack.client("sqs").send_message(QueueUrl=queue, MessageBody=body)[
        "MessageId"
    ]


def messages_in(fulfilment, queue):
    """How many messages the queue holds, in flight or not."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    answer = fulfilment.stack.client("sqs").get_queue_attributes(
        QueueUrl=queue, AttributeNames=names
    )
    return sum(int(answer["Attributes"][name]) for name in names)


def receive_all(fulfilment, queue):
    answer = fulfilment.stack.client("sqs").receive_message(QueueUrl=queue, MaxNumberOfMessages=10)
    return {message["MessageId"]: message["Body"] for message in answer.get("Messages", [])}


def executed_messages(fulfilment):
    return [id_ for id_, _ in fulfilment.by_message()]


def test_g7_what_no_execution_accepts_five_times_is_a_dead_letter_verbatim(fulfilment):
    """The target is a machine that does not exist: StartExecution itself refuses."""
    bodies = [json.dumps(booking(eventName="Ünïcode 🎫")), "hello", HOSTILE_BODY]
    missing = fulfilment.stack.deployment.pipe.target + "-that-does-not-exist"
    with own_pipe(fulfilment, target=missing) as (pipe, queue, dead):
        sent = {send(fulfilment, queue, body): body for body in bodies}
        fulfilment.wait_for(lambda: messages_in(fulfilment, dead) == len(bodies))
        refusals = [refusal.split(":")[0] for refusal in pipe.refused]
        assert {id_: refusals.count(id_) for id_ in sent} == dict.fromkeys(
            sent, RECEIVED_BEFORE_DEAD
        )
        assert all("StateMachineDoesNotExist" in refusal for refusal in pipe.refused)
        assert receive_all(fulfilment, dead) == sent
        assert messages_in(fulfilment, queue) == 0
    assert not set(sent) & set(executed_messages(fulfilment))


def test_g7_a_message_refused_four_times_is_fulfilled_at_the_fifth(fulfilment):
    message = booking(quantity=1)
    starts = Breaks(fulfilment.stack.client("stepfunctions"), "start_execution", 4, "ahead")
    with own_pipe(fulfilment, stepfunctions=starts) as (_, queue, dead):
        send(fulfilment, queue, json.dumps(message))
        fulfilment.wait_for(lambda: fulfilment.finished(message["bookingId"]) == 1)
        fulfilment.wait_for(lambda: messages_in(fulfilment, queue) == 0)
        assert messages_in(fulfilment, dead) == 0
    assert statuses(fulfilment.executions(message["bookingId"])) == ["SUCCEEDED"]


def test_g7_a_lost_reply_to_the_start_only_runs_the_booking_twice(fulfilment):
    starts = Breaks(fulfilment.stack.client("stepfunctions"), "start_execution", 1, "after")
    assert_runs_twice_without_harm(fulfilment, stepfunctions=starts)


def test_g7_a_pipe_that_stops_between_acceptance_and_deletion_only_runs_the_booking_twice(
    fulfilment,
):
    deletes = Breaks(fulfilment.stack.client("sqs"), "delete_message", 1, "ahead")
    assert_runs_twice_without_harm(fulfilment, sqs=deletes)


def assert_runs_twice_without_harm(fulfilment, **clients):
    message = booking()
    id_ = message["bookingId"]
    with own_pipe(fulfilment, **clients) as (_, queue, dead):
        send(fulfilment, queue, json.dumps(message))
        fulfilment.wait_for(lambda: fulfilment.finished(id_) == 2)
        fulfilment.wait_for(lambda: messages_in(fulfilment, queue) == 0)
        assert messages_in(fulfilment, dead) == 0
    executions = fulfilment.executions(id_)
    assert statuses(executions) == ["SUCCEEDED", "SUCCEEDED"]
    assert sorted(fulfilment.tickets(id_)) == [1, 2]
    assert len(fulfilment.emails(id_)) == 1
    outcomes = [json.loads(execution["output"])["email"] for execution in executions]
    assert sorted(outcomes) == ["already-sent", "sent"]


def test_g7_the_pipe_deletes_a_message_only_after_its_execution_was_accepted(fulfilment):
    message = booking(quantity=1)
    log = []
    sqs = Breaks(fulfilment.stack.client("sqs"), "", 0, "")
    starts = Breaks(fulfilment.stack.client("stepfunctions"), "", 0, "")
    sqs.log = starts.log = log
    with own_pipe(fulfilment, sqs=sqs, stepfunctions=starts) as (_, queue, _):
        send(fulfilment, queue, json.dumps(message))
        fulfilment.wait_for(lambda: fulfilment.finished(message["bookingId"]) == 1)
        fulfilment.wait_for(lambda: "delete_message" in log)
    assert [name for name in log if name in ("start_execution", "delete_message")] == [
        "start_execution",
        "delete_message",
    ]


def test_g7_every_message_that_sqs_accepts_of_a_mix_is_an_execution_or_refused_at_once(fulfilment):
    queue = fulfilment.stack.output("BookingQueueUrl")
    dead = fulfilment.stack.output("BookingDeadLetterQueueUrl")
    good = [booking(quantity=1) for _ in range(3)]
    bodies = [*map(json.dumps, good), "hello", "null", "[]", " ", '{"bookingId": 7}', "x" * 65_536]
    refused_by_sqs = ["", "a\x00b", "x" * 65_537, "\ufffe"]
    sent = [send(fulfilment, queue, body) for body in bodies]
    for body in refused_by_sqs:
        assert refusal(fulfilment, queue, body)
    ids = [message["bookingId"] for message in good]
    fulfilment.wait_for(lambda: set(sent) <= set(executed_messages(fulfilment)))
    fulfilment.wait_for(lambda: all(fulfilment.finished(id_) for id_ in ids))
    fulfilment.wait_for(lambda: messages_in(fulfilment, queue) == 0)
    assert messages_in(fulfilment, dead) == 0
    assert [executed_messages(fulfilment).count(id_) for id_ in sent] == [1] * len(sent)


def refusal(fulfilment, queue, body):
    try:
        send(fulfilment, queue, body)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None
