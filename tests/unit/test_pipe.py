"""The pipe behaves as EventBridge documents its own.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html
"""

import json
import threading
import time

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from local_stack.pipe import Pipe, PipeSettings

PATIENCE = 10  # seconds, after which a wait fails the test
QUEUE = "arn:aws:sqs:eu-west-1:123456789012:minitickets-dev-bookings"
MACHINE = "arn:aws:states:eu-west-1:123456789012:stateMachine:fulfil-booking"
SETTINGS = PipeSettings("bookings", QUEUE, MACHINE, "arn:aws:iam::123456789012:role/pipe")


def message(number=1, body='{"bookingId": "bk_1"}'):
    return {
        "MessageId": f"id-{number}",
        "ReceiptHandle": f"handle-{number}",
        "Body": body,
        "MD5OfBody": "0123456789abcdef0123456789abcdef",
        "Attributes": {
            "ApproximateReceiveCount": "1",
            "SentTimestamp": "1763000000000",
            "SenderId": "AIDA",
            "ApproximateFirstReceiveTimestamp": "1763000000001",
        },
    }


def refusal(operation):
    return ClientError({"Error": {"Code": "ThrottlingException", "Message": "slow"}}, operation)


class Aws:
    """SQS and Step Functions in one: what happened, in order, and what is to fail."""

    def __init__(self, *messages):
        self.waiting = list(messages)
        self.happened = []
        self.starts = []
        self.failing_receives = 0
        self.looks = self.forbidden_looks = 0
        self.refuse_starts = False
        self.polls = threading.Semaphore(0)

    def get_queue_attributes(self, **request):
        self.looks += 1
        if self.forbidden_looks:
            self.forbidden_looks -= 1
            raise refusal("GetQueueAttributes")
        return {"Attributes": {}}

    def receive_message(self, **request):
        self.request = request
        self.polls.release()
        if self.failing_receives:
            self.failing_receives -= 1
            if self.failing_receives % 2:
                raise refusal("ReceiveMessage")
            raise EndpointConnectionError(endpoint_url="http://127.0.0.1")
        messages, self.waiting = self.waiting, []
        return {"Messages": messages} if messages else {}

    def start_execution(self, **request):
        if self.refuse_starts:
            self.happened.append("refused")
            raise refusal("StartExecution")
        self.starts.append(request)
        self.happened.append(f"started {json.loads(request['input'])[0]['messageId']}")

    def delete_message(self, **request):
        self.happened.append(f"deleted {request['ReceiptHandle']}")


@pytest.fixture
def running():
    """Start a pipe; it is stopped when the test ends."""
    pipes = []

    def start(aws, busy=lambda: False, report=lambda _: None):
        pipes.append(Pipe(SETTINGS, aws, aws, busy, report))
        pipes[-1].start()
        return pipes[-1]

    yield start
    for pipe in pipes:
        pipe.stop()


def polled(aws, times):
    """Wait until so many more polls have begun: the one before the last has then been handled."""
    for _ in range(times):
        assert aws.polls.acquire(timeout=PATIENCE)


def test_the_input_is_an_array_of_one_record_with_every_field_of_sqs(running):
    aws = Aws(message(body='{"eventName": "Zoë"}'))
    running(aws)
    polled(aws, 2)
    (start,) = aws.starts
    assert start["stateMachineArn"] == MACHINE
    assert json.loads(start["input"]) == [
        {
            "messageId": "id-1",
            "receiptHandle": "handle-1",
            "body": '{"eventName": "Zoë"}',
            "attributes": message()["Attributes"],
            "messageAttributes": {},
            "md5OfBody": "0123456789abcdef0123456789abcdef",
            "eventSource": "aws:sqs",
            "eventSourceARN": QUEUE,
            "awsRegion": "eu-west-1",
        }
    ]
    assert aws.request["MessageSystemAttributeNames"] == ["All"]
    assert aws.request["QueueUrl"].endswith("/123456789012/minitickets-dev-bookings")


def test_each_message_is_deleted_after_its_own_start_was_accepted(running):
    aws = Aws(message(1), message(2))
    pipe = running(aws)
    polled(aws, 2)
    assert aws.happened == ["started id-1", "deleted handle-1", "started id-2", "deleted handle-2"]
    assert pipe.started == 2


def test_a_message_delivered_twice_starts_two_executions_of_different_names(running):
    aws = Aws(message(1), message(1))
    running(aws)
    polled(aws, 2)
    first, second = (start["name"] for start in aws.starts)
    assert first != second


def test_a_refused_message_stays_in_the_queue_and_is_noted(running):
    aws = Aws(message(1), message(2))
    aws.refuse_starts = True
    pipe = running(aws)
    polled(aws, 2)
    assert aws.happened == ["refused", "refused"]
    assert [note.split(":")[0] for note in pipe.refused] == ["id-1", "id-2"]
    assert pipe.started == 0


def test_a_poll_that_fails_does_not_end_the_pipe(running):
    aws = Aws(message())
    aws.failing_receives = 3
    running(aws)
    polled(aws, 5)
    assert aws.happened == ["started id-1", "deleted handle-1"]


def test_it_receives_nothing_before_it_may_read_the_queues_attributes(running):
    aws, heard = Aws(message()), []
    aws.forbidden_looks = 2
    running(aws, report=heard.append)
    polled(aws, 2)
    assert aws.looks == 3
    assert aws.happened == ["started id-1", "deleted handle-1"]
    assert len(heard) == 1
    assert "GetQueueAttributes" in heard[0]


def test_a_refusal_is_reported_once_and_again_after_a_message_got_through(running):
    aws, heard = Aws(message(1), message(2)), []
    aws.refuse_starts = True
    pipe = running(aws, report=heard.append)
    polled(aws, 2)
    assert len(heard) == 1
    assert "StartExecution" in heard[0]
    assert pipe.trouble == heard[0]

    aws.refuse_starts, aws.waiting = False, [message(3)]
    polled(aws, 3)
    assert pipe.trouble is None

    aws.refuse_starts, aws.waiting = True, [message(4)]
    polled(aws, 3)
    assert len(heard) == 2


def test_it_takes_nothing_from_the_queue_while_too_many_executions_run(running):
    aws = Aws(message())
    busy = threading.Event()
    busy.set()
    asked = threading.Semaphore(0)

    def is_busy():
        asked.release()
        return busy.is_set()

    running(aws, is_busy)
    for _ in range(3):
        assert asked.acquire(timeout=PATIENCE)
    assert aws.waiting
    busy.clear()
    polled(aws, 2)
    assert aws.happened == ["started id-1", "deleted handle-1"]


def test_it_stops_at_once_and_goes_on_when_it_is_started_again(running):
    aws = Aws()
    pipe = running(aws)
    polled(aws, 1)
    began = time.monotonic()
    pipe.stop()
    assert time.monotonic() - began < 5
    aws.waiting = [message()]
    assert not pipe._thread.is_alive()
    assert aws.happened == []

    while aws.polls.acquire(blocking=False):
        """The polls of before."""
    pipe.start()
    polled(aws, 2)
    assert aws.happened == ["started id-1", "deleted handle-1"]


def test_stopping_a_pipe_that_never_ran_is_no_mistake():
    Pipe(SETTINGS, Aws(), Aws(), lambda: False).stop()
