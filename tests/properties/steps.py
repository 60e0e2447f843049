"""The real handlers of the steps, one after the other, in front of services that only remember.

Between two steps everything goes through JSON, as it does through Step Functions.
"""

import functools
import importlib.util
import io
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

from minitickets.adapters.image_bucket import ImageBucket
from minitickets.adapters.jobs_table import JobsTable
from minitickets.adapters.mailer import Mailer
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.drawing.ticket_image import TicketFace, TicketImage
from minitickets.observability import logger
from properties.messages import MESSAGE_ID

FUNCTIONS = Path(__file__).parents[2] / "functions"
STEPS = (
    "accept_booking",
    "reserve_ticket",
    "write_ticket_image",
    "send_email",
    "record_email_job",
)
EXECUTION = "arn:aws:states:eu-west-1:123456789012:execution:fulfil-booking:e1"
MY_TICKETS_URL = "https://tickets.example/mine"
SETTINGS = {
    "PROCESSED_JOBS_TABLE": "jobs",
    "TICKETS_TABLE": "tickets",
    "TICKETS_BUCKET": "images",
    "EMAIL_FROM": "tickets@example.com",
    "EMAIL_CONFIGURATION_SET": "minitickets",
    "EMAIL_LEASE_SECONDS": "300",
    "MY_TICKETS_URL": MY_TICKETS_URL,
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
}


class Items:
    """The two calls that a table needs here; every item is kept as it would be sent."""

    def __init__(self) -> None:
        self.put: list[dict[str, Any]] = []

    def put_item(self, **request: Any) -> None:
        self.put.append(json.loads(json.dumps(request["Item"])))

    def get_item(self, **request: Any) -> dict[str, Any]:
        key = request["Key"].items()
        found = [item for item in self.put if key <= item.items()] if self.put else []
        return {"Item": found[-1]} if found else {}

    def records(self) -> list[dict[str, Any]]:
        return [
            {name: int(value["N"]) if "N" in value else value["S"] for name, value in item.items()}
            for item in self.put
        ]


class Ses:
    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send_email(self, **request: Any) -> dict[str, str]:
        self.sent.append(json.loads(json.dumps(request)))
        return {"MessageId": "m-1"}


class S3:
    def __init__(self) -> None:
        self.put: list[dict[str, Any]] = []

    def put_object(self, **request: Any) -> None:
        self.put.append(request)


class Outcome(NamedTuple):
    """What came of one booking and one of its seats."""

    accepted: dict[str, Any]
    record: dict[str, Any]
    face: TicketFace
    image_key: str
    email: dict[str, Any]
    job_keys: list[str]  # of the claim, the email's lease and the email's record
    log: str


def accept(records: object) -> dict[str, Any]:
    """AcceptBooking alone, on whatever the pipe may have handed over."""
    module = step("accept_booking")
    with _log_to(io.StringIO()), mock.patch.object(module, "JOBS", JobsTable(Items(), "jobs")):
        return _call(module, {"records": records})


def sqs_records(body: object) -> list[dict[str, Any]]:
    return [{"messageId": MESSAGE_ID, "body": body, "eventSource": "aws:sqs", "attributes": {}}]


def fulfil(body: str, seat: int = 1) -> Outcome:
    """Run the booking's steps for one seat and for the email; whatever a step raises escapes."""
    jobs, tickets, ses, s3, log = Items(), Items(), Ses(), S3(), io.StringIO()
    draw = mock.Mock(return_value=TicketImage(b"", ()))
    services = {
        "JOBS": JobsTable(jobs, "jobs"),
        "TICKETS": TicketsTable(tickets, "tickets"),
        "IMAGES": ImageBucket(s3, "images"),
        "MAILER": Mailer(ses, "tickets@example.com", "minitickets"),
        "draw_ticket": draw,
    }
    with ExitStack() as stack:
        stack.enter_context(_log_to(log))
        for name, service in services.items():
            for module in map(step, STEPS):
                if hasattr(module, name):
                    stack.enter_context(mock.patch.object(module, name, service))
        accepted = _call(step("accept_booking"), {"records": sqs_records(body)})
        booking = accepted["booking"]
        ref = {"userId": booking["userId"], "bookingId": booking["bookingId"], "seatNumber": seat}
        _call(step("reserve_ticket"), {"booking": booking, "seatNumber": seat})
        _call(step("write_ticket_image"), ref)
        sent = _call(step("send_email"), accepted)
        _call(step("record_email_job"), {"bookingId": booking["bookingId"], **sent})
    (record,), (email,), (image,) = tickets.records(), ses.sent, s3.put
    return Outcome(
        accepted=accepted,
        record=record,
        face=draw.call_args.args[0],
        image_key=image["Key"],
        email=email,
        job_keys=[job["jobKey"] for job in jobs.records()],
        log=log.getvalue(),
    )


@contextmanager
def _log_to(stream: io.StringIO) -> Iterator[None]:
    """The steps' log goes there, and not into pytest's, which would keep every line."""
    before = logger.registered_handler.setStream(stream)
    try:
        with mock.patch.object(logger._logger, "propagate", False):
            yield
    finally:
        logger.registered_handler.setStream(before)


@functools.cache
def step(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_of_properties", FUNCTIONS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with mock.patch.dict(os.environ, SETTINGS):
        spec.loader.exec_module(module)
    return module


def _call(module: ModuleType, event: dict[str, Any]) -> dict[str, Any]:
    event = json.loads(json.dumps({**event, "execution": EXECUTION}))
    answer: dict[str, Any] = json.loads(json.dumps(module.handler(event, None)))
    return answer
