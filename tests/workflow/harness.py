"""A local stack as the tests drive it: publish, wait with a bound, look at what is durable."""

import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from execution_status import OPEN
from local_stack.emails import SentEmail
from local_stack.results import list_executions, rows
from local_stack.stack import LocalStack
from local_stack.subjects import booking_of

PATIENCE = 90  # seconds, after which a wait fails the test
_POLL_SECONDS = 0.05
_numbers = itertools.count(1)

T = TypeVar("T")


def booking(**changes: Any) -> dict[str, Any]:
    """A booking of 2 seats under an id of its own."""
    return {
        "type": "booking.confirmed",
        "bookingId": f"bk_t{next(_numbers):04d}",
        "userId": "usr_t",
        "email": "kim@example.org",
        "eventId": "evt_t",
        "eventName": "Held Back",
        "startsAt": "2027-03-01T20:00:00+01:00",
        "timeZone": "Europe/Berlin",
        "quantity": 2,
        "venue": "Tempodrom",
    } | changes


@dataclass
class Fulfilment:
    stack: LocalStack
    out: Any
    _inputs: dict[str, Any] = field(default_factory=dict)

    def publish(self, *messages: dict[str, Any] | str) -> None:
        queue = self.stack.output("BookingQueueUrl")
        for message in messages:
            body = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
            self.stack.client("sqs").send_message(QueueUrl=queue, MessageBody=body)

    def fulfil(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        """Publish, and wait for as many more finished executions of these bookings."""
        ids = [message["bookingId"] for message in messages]
        before = self._finished()
        self.publish(*messages)
        wanted = Counter(ids)
        self.wait_for(lambda: wanted <= self._finished() - before)
        return [found for id_ in dict.fromkeys(ids) for found in self.executions(id_)]

    def executions(self, id_: str) -> list[dict[str, Any]]:
        """DescribeExecution of each execution of the booking, oldest first."""
        return [
            self._describe(listed["executionArn"])
            for listed in list_executions(self.stack)
            if self._booking(listed["executionArn"]) == id_
        ]

    def all_executions(self) -> list[dict[str, Any]]:
        """DescribeExecution of every execution, oldest first."""
        return [self._describe(listed["executionArn"]) for listed in list_executions(self.stack)]

    def by_message(self) -> list[tuple[str, dict[str, Any]]]:
        """The SQS message id of every execution, and the execution as it is listed."""
        return [
            (self._input(listed["executionArn"])[0]["messageId"], listed)
            for listed in list_executions(self.stack)
        ]

    def finished(self, id_: str) -> int:
        return self._finished()[id_]

    def _finished(self) -> Counter[str | None]:
        """How many executions have ended, by booking."""
        return Counter(
            self._booking(listed["executionArn"])
            for listed in list_executions(self.stack)
            if listed["status"] not in OPEN
        )

    def _booking(self, arn: str) -> str | None:
        return booking_of(self._input(arn))

    def _input(self, arn: str) -> Any:
        # Kept: many executions live on the shared stack, and waits look at all of them often.
        if arn not in self._inputs:
            self._inputs[arn] = json.loads(self._describe(arn)["input"])
        return self._inputs[arn]

    def _describe(self, arn: str) -> dict[str, Any]:
        found: dict[str, Any] = self.stack.client("stepfunctions").describe_execution(
            executionArn=arn
        )
        return found

    def tickets(self, id_: str) -> dict[int, dict[str, Any]]:
        """The booking's records by seat number."""
        found = [row for row in rows(self.stack, "TicketsTableName") if row["bookingId"] == id_]
        return {int(row["seatNumber"]): row for row in found}

    def job(self, key: str) -> dict[str, Any] | None:
        jobs = {row["jobKey"]: row for row in rows(self.stack, "ProcessedJobsTableName")}
        return jobs.get(key)

    def emails(self, id_: str) -> list[SentEmail]:
        return [email for email in self.stack.outbox.sent if email.booking_id == id_]

    def image(self, key: str) -> bytes:
        bucket = self.stack.output("TicketImagesBucketName")
        body = self.stack.client("s3").get_object(Bucket=bucket, Key=key)["Body"]
        return bytes(body.read())

    def history(self, execution_arn: str) -> list[dict[str, Any]]:
        pages = self.stack.client("stepfunctions").get_paginator("get_execution_history")
        return [e for page in pages.paginate(executionArn=execution_arn) for e in page["events"]]

    def log_text(self) -> str:
        return "".join(file.read_text() for file in sorted((self.out / "logs").glob("*.log")))

    def wait_for(self, holds: Callable[[], T], seconds: float = PATIENCE) -> T:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            result = holds()
            if result:
                return result
            time.sleep(_POLL_SECONDS)
        raise AssertionError(f"not reached within {seconds} s: {holds}")


def statuses(executions: Iterable[dict[str, Any]]) -> list[str]:
    return [execution["status"] for execution in executions]
