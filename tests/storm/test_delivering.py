"""Each message meets its troubles once, and is passed on verbatim otherwise."""

import json

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from storming.delivering import Deliveries, TroubledMachine, TroubledQueue, attributes, number_of
from storming.plan import Delivery


class Queue:
    """SQS that gives out what it is told to, and notes what is deleted."""

    def __init__(self, *numbers):
        self.waiting = [message(number) for number in numbers]
        self.deleted = []

    def receive_message(self, **_):
        given, self.waiting = self.waiting, []
        return {"Messages": given}

    def delete_message(self, ReceiptHandle):  # noqa: N803
        self.deleted.append(ReceiptHandle)


class Machine:
    def __init__(self):
        self.started = []

    def start_execution(self, **asked):
        self.started.append(asked)
        return {"executionArn": "arn"}


def message(number):
    return {"ReceiptHandle": f"r{number}", "MessageAttributes": attributes(number)}


def started_with(number):
    pipes = {"publication": {"stringValue": str(number), "dataType": "Number"}}
    return {"input": json.dumps([{"messageAttributes": pipes}])}


def deliveries(delivery):
    return Deliveries(lambda number: delivery if number == 1 else Delivery())


def received(queue):
    return [number_of(m["MessageAttributes"]) for m in queue.receive_message()["Messages"]]


def test_a_message_is_received_twice_at_once_only_the_first_time():
    inner = Queue(1, 2)
    queue = TroubledQueue(inner, deliveries(Delivery(twice=True)))
    assert received(queue) == [1, 2, 1]
    inner.waiting = [message(1)]
    assert received(queue) == [1]


def test_a_message_is_received_again_after_so_many_others():
    inner = Queue(1)
    queue = TroubledQueue(inner, deliveries(Delivery(again_after=2)))
    assert received(queue) == [1]
    assert queue.owed == 1
    inner.waiting = [message(2)]
    assert received(queue) == [2]
    inner.waiting = [message(3)]
    assert received(queue) == [3, 1]
    assert queue.owed == 0


def test_what_is_owed_comes_at_once_when_all_is_calm():
    trouble = deliveries(Delivery(again_after=50))
    queue = TroubledQueue(Queue(1), trouble)
    assert received(queue) == [1]
    trouble.calm.set()
    assert received(queue) == [1]


def test_a_lost_deletion_does_not_reach_the_queue_once():
    inner = Queue(1)
    queue = TroubledQueue(inner, deliveries(Delivery(delete_lost=True)))
    received(queue)
    with pytest.raises(EndpointConnectionError):
        queue.delete_message(ReceiptHandle="r1")
    queue.delete_message(ReceiptHandle="r1")
    assert inner.deleted == ["r1"]


@pytest.mark.parametrize("calm", [False, True])  # the message may come back as a dead letter
def test_the_pipe_dies_ahead_of_the_deletion_and_says_so(calm):
    inner, trouble = Queue(1), deliveries(Delivery(kills_pipe=True))
    queue = TroubledQueue(inner, trouble)
    if calm:
        trouble.calm.set()
    received(queue)
    with pytest.raises(SystemExit):
        queue.delete_message(ReceiptHandle="r1")
    assert trouble.killed.is_set()
    assert inner.deleted == []


def test_a_start_is_refused_so_often_and_then_accepted():
    inner = Machine()
    machine = TroubledMachine(inner, deliveries(Delivery(refusals=2)))
    for _ in range(2):
        with pytest.raises(ClientError, match="ThrottlingException"):
            machine.start_execution(**started_with(1))
    assert machine.start_execution(**started_with(1)) == {"executionArn": "arn"}
    assert inner.started == [started_with(1)]


def test_a_start_whose_reply_is_lost_has_started():
    inner = Machine()
    machine = TroubledMachine(inner, deliveries(Delivery(start_reply_lost=True)))
    with pytest.raises(EndpointConnectionError):
        machine.start_execution(**started_with(1))
    assert len(inner.started) == 1


def test_an_outage_refuses_every_start():
    trouble = deliveries(Delivery())
    machine = TroubledMachine(Machine(), trouble)
    trouble.outage.set()
    for number in (2, 3):
        with pytest.raises(ClientError):
            machine.start_execution(**started_with(number))
    trouble.outage.clear()
    machine.start_execution(**started_with(2))
    assert trouble.counts["starts refused"] == 2
