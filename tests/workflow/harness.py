"""A local stack as the tests drive it: publish, wait with a bound, look at what is durable."""

import itertools
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from local_stack.emails import SentEmail
from local_stack.results import OPEN_STATUSES, list_executions, rows
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
    _published: list[str] = field(default_factory=list)

    def publish(self, *messages: dict[str, Any] | str) -> None:
        queue = self.stack.output("BookingQueueUrl")
        for message in messages:
            body = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
            self.stack.client("sqs").send_message(QueueUrl=queue, MessageBody=body)

    def fulfil(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        """Publish, and wait for as many more finished executions of these bookings."""
        ids = [message["bookingId"] for message in messages]
        before = {id_: len(self.executions(id_)) for id_ in ids}
        self.publish(*messages)
        wanted = {id_: before[id_] + ids.count(id_) for id_ in ids}
        self.wait_for(lambda: all(self.finished(id_) >= wanted[id_] for id_ in wanted))
        return [found for id_ in dict.fromkeys(ids) for found in self.executions(id_)]

    def executions(self, id_: str) -> list[dict[str, Any]]:
        """DescribeExecution of each execution of the booking, oldest first."""
        describe = self.stack.client("stepfunctions").describe_execution
        found = [describe(executionArn=e["executionArn"]) for e in list_executions(self.stack)]
        return [each for each in found if booking_of(json.loads(each["input"])) == id_]

    def finished(self, id_: str) -> int:
        return sum(e["status"] not in OPEN_STATUSES for e in self.executions(id_))

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
