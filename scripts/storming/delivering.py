"""What stands between the queue, the pipe and StartExecution in a storm.

The stack's own pipe runs; its two clients are these. They do to each message what its
:class:`storming.plan.Delivery` says, once, and pass everything else on. Only the pipe's thread
calls them.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from botocore.exceptions import ClientError, EndpointConnectionError

from storming.plan import Delivery

NUMBER = "publication"
"""The message attribute that bears the publication's number. It stays with the message when a dead
letter is sent back, which gives it another message id."""


_REFUSAL: Any = {"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}}


def attributes(number: int) -> dict[str, Any]:
    return {NUMBER: {"DataType": "Number", "StringValue": str(number)}}


def number_of(message_attributes: dict[str, Any]) -> int | None:
    """The publication's number: as SQS gives it, or as the pipe hands it to an execution."""
    found = message_attributes.get(NUMBER, {})
    text = found.get("StringValue") or found.get("stringValue")
    return int(text) if text else None


class Deliveries:
    """What is left of each message's troubles, and counts of what was done."""

    def __init__(self, of: Callable[[int], Delivery]) -> None:
        self._of = of
        self._done: set[tuple[str, int]] = set()
        self._refused: Counter[int] = Counter()
        self.counts: Counter[str] = Counter()
        self.outage = threading.Event()
        self.killed = threading.Event()
        self.calm = threading.Event()

    def of(self, number: int | None) -> Delivery:
        """Once it is calm only the pipe's death is left, whose message may be a dead letter yet."""
        planned = Delivery() if number is None else self._of(number)
        return Delivery(kills_pipe=planned.kills_pipe) if self.calm.is_set() else planned

    def once(self, what: str, number: int | None) -> bool:
        """Whether this is the first time for that message."""
        if number is None or (what, number) in self._done:
            return False
        self._done.add((what, number))
        self.counts[what] += 1
        return True

    def refuse(self, number: int | None) -> bool:
        if self.outage.is_set():
            self.counts["starts refused"] += 1
            return True
        if number is None or self._refused[number] >= self.of(number).refusals:
            return False
        self._refused[number] += 1
        self.counts["starts refused"] += 1
        return True


class TroubledQueue:
    """The pipe's SQS client."""

    def __init__(self, sqs: Any, deliveries: Deliveries) -> None:
        self._sqs = sqs
        self._deliveries = deliveries
        self._receipts = 0
        self._again: list[tuple[int, dict[str, Any]]] = []
        self._numbers: dict[str, int | None] = {}

    def get_queue_attributes(self, **asked: Any) -> Any:
        return self._sqs.get_queue_attributes(**asked)

    @property
    def owed(self) -> int:
        """How many messages are still to be given out again."""
        return len(self._again)

    def receive_message(self, **asked: Any) -> dict[str, Any]:
        received = self._sqs.receive_message(**asked).get("Messages", [])
        return {"Messages": [*received, *self._repeated(received), *self._due()]}

    def _repeated(self, received: list[dict[str, Any]]) -> list[dict[str, Any]]:
        twice = []
        for message in received:
            self._receipts += 1
            number = number_of(message.get("MessageAttributes", {}))
            self._numbers[message["ReceiptHandle"]] = number
            delivery = self._deliveries.of(number)
            if delivery.again_after and self._deliveries.once("delivered again late", number):
                self._again.append((self._receipts + delivery.again_after, message))
            if delivery.twice and self._deliveries.once("delivered twice at once", number):
                twice.append(message)
        return twice

    def _due(self) -> list[dict[str, Any]]:
        over = self._deliveries.calm.is_set()
        due = [message for at, message in self._again if over or at <= self._receipts]
        self._again = [(at, m) for at, m in self._again if not (over or at <= self._receipts)]
        return due

    def delete_message(self, **asked: Any) -> None:
        number = self._numbers.get(asked["ReceiptHandle"])
        delivery = self._deliveries.of(number)
        if delivery.kills_pipe and self._deliveries.once("pipe killed", number):
            self._deliveries.killed.set()
            raise SystemExit  # ends the pipe's thread there and then, without a word
        if delivery.delete_lost and self._deliveries.once("deletion lost", number):
            raise EndpointConnectionError(endpoint_url="the queue")
        self._sqs.delete_message(**asked)


class TroubledMachine:
    """The pipe's Step Functions client."""

    def __init__(self, stepfunctions: Any, deliveries: Deliveries) -> None:
        self._stepfunctions = stepfunctions
        self._deliveries = deliveries

    def start_execution(self, **asked: Any) -> Any:
        number = number_of(json.loads(asked["input"])[0]["messageAttributes"])
        if self._deliveries.refuse(number):
            raise ClientError(_REFUSAL, "StartExecution")
        answer = self._stepfunctions.start_execution(**asked)
        lost = self._deliveries.of(number).start_reply_lost
        if lost and self._deliveries.once("start's reply lost", number):
            raise EndpointConnectionError(endpoint_url="Step Functions")
        return answer
