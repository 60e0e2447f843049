"""What the tests of the guarantees do to the running system, and how they read what it made."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import zxingcpp
from PIL import Image

from local_stack.lambda_service import Fault, FaultKind, FunctionSpec, LambdaService
from local_stack.results import rows
from local_stack.subjects import subject_of
from workflow.harness import PATIENCE, Fulfilment

Record = dict[str, Any]

# Read by every Python that starts with it in its path: the clock is moved, the code is not.
_MOVED_CLOCK = """
import sys
from datetime import timedelta
sys.path.insert(0, {functions!r})
import minitickets.clock as clock
_now = clock.utc_now
clock.utc_now = lambda: _now() + timedelta(days={days})
"""


def decoded(png: bytes) -> str:
    """The one code on the image, read by a reader that shares nothing with its writer."""
    (code,) = zxingcpp.read_barcodes(Image.open(io.BytesIO(png)))
    return str(code.text)


def payload(ticket: Record) -> str:
    """What the design says a ticket's code holds."""
    return f"MT1.{ticket['ticketId']}.{ticket['token']}"


def image_is_the_tickets(fulfilment: Fulfilment, ticket: Record) -> bool:
    return decoded(fulfilment.image(ticket["imageKey"])) == payload(ticket)


def tokens(fulfilment: Fulfilment, id_: str) -> dict[int, str]:
    return {seat: ticket["token"] for seat, ticket in fulfilment.tickets(id_).items()}


def message_ids(fulfilment: Fulfilment, id_: str) -> set[str]:
    return {email.message_id for email in fulfilment.emails(id_)}


def object_keys(fulfilment: Fulfilment, id_: str = "") -> dict[str, str]:
    """ETag and time of writing by key, of the booking's images or of all."""
    pages = fulfilment.stack.client("s3").get_paginator("list_objects_v2")
    bucket = fulfilment.stack.output("TicketImagesBucketName")
    prefix = f"tickets/{id_}/" if id_ else ""
    return {
        entry["Key"]: f"{entry['ETag']} {entry['LastModified']}"
        for page in pages.paginate(Bucket=bucket, Prefix=prefix)
        for entry in page.get("Contents", [])
    }


def everything(fulfilment: Fulfilment, id_: str = "") -> Record:
    """All that is durable, of one booking or of all: to be compared before and after."""
    tables = ("TicketsTableName", "ProcessedJobsTableName")
    records = [row for table in tables for row in rows(fulfilment.stack, table)]
    return {
        "records": sorted(repr(sorted(row.items())) for row in records if id_ in repr(row)),
        "images": object_keys(fulfilment, id_),
        "emails": [e for e in fulfilment.stack.outbox.sent if id_ in e.booking_id],
    }


def failures(history: list[Record]) -> list[tuple[str, str]]:
    """The state and the error name of each failed attempt."""
    by_id = {event["id"]: event for event in history}
    found = []
    for event in history:
        if event["type"] == "TaskFailed":
            entered = event
            while entered["type"] != "TaskStateEntered":
                entered = by_id[entered["previousEventId"]]
            state = entered["stateEnteredEventDetails"]["name"]
            found.append((state, event["taskFailedEventDetails"]["error"]))
    return found


def put(fulfilment: Fulfilment, table: str, record: Record) -> None:
    from minitickets.adapters.items import to_item

    name = fulfilment.stack.output(table)
    fulfilment.stack.client("dynamodb").put_item(TableName=name, Item=to_item(record))


def ticket_at(fulfilment: Fulfilment, key: Record) -> Record:
    """The ticket's record; ``key`` in DynamoDB's typed form."""
    from minitickets.adapters.items import from_item

    table = fulfilment.stack.output("TicketsTableName")
    dynamodb = fulfilment.stack.client("dynamodb")
    return from_item(dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"])


def delete_ticket(fulfilment: Fulfilment, user_id: str, id_: str) -> None:
    key = {"userId": {"S": user_id}, "ticketId": {"S": id_}}
    fulfilment.stack.client("dynamodb").delete_item(
        TableName=fulfilment.stack.output("TicketsTableName"), Key=key
    )


def invoke(fulfilment: Fulfilment, state: str, event: Record) -> Record:
    """Run one step in its real worker: its result, or its error."""
    names = {state: name for name, state in fulfilment.stack.deployment.states.items()}
    answer = fulfilment.stack.lambda_service.invoke(names[state], json.dumps(event).encode())
    found: Record = json.loads(answer.payload)
    return found


def on_step(fulfilment: Fulfilment, state: str, id_: str, act: Callable[[Record], object]) -> None:
    """Call ``act(event)`` ahead of each call of the booking's step; the step waits for it."""
    states = fulfilment.stack.deployment.states

    def observe(function: str, event: bytes) -> None:
        if states.get(function) == state and subject_of(event).booking == id_:
            act(json.loads(event))

    fulfilment.stack.lambda_service.on_invoke(observe)


def wait(event: threading.Event) -> None:
    assert event.wait(PATIENCE), "what was waited for did not happen"


def break_step(
    fulfilment: Fulfilment,
    id_: str,
    state: str,
    kind: str,
    times: int | None = 1,
    seat: int | None = None,
) -> None:
    fulfilment.stack.faults.add(Fault(state, seat, FaultKind(kind), times, booking=id_))


def mend(fulfilment: Fulfilment, id_: str) -> None:
    """Remove the booking's faults, and nobody else's."""
    plan = fulfilment.stack.faults
    with plan._lock:
        plan._faults = [fault for fault in plan._faults if fault.booking != id_]


@contextmanager
def days_later(fulfilment: Fulfilment, days: int, folder: Path) -> Iterator[None]:
    """The whole system with a later clock: new workers of the same functions, the same tables."""
    code = str(fulfilment.stack.deployment.functions[0].code_dir)
    (folder / "sitecustomize.py").write_text(_MOVED_CLOCK.format(functions=code, days=days))
    with other_functions(fulfilment, lambda f: with_environment(f, PYTHONPATH=str(folder))):
        yield


def with_environment(function: FunctionSpec, **variables: str) -> FunctionSpec:
    return replace(function, environment={**function.environment, **variables})


@contextmanager
def other_functions(
    fulfilment: Fulfilment, changed: Callable[[FunctionSpec], FunctionSpec]
) -> Iterator[None]:
    """Each function as ``changed`` makes it, in new workers; afterwards as before."""
    stack = fulfilment.stack
    usual = stack.lambda_service
    with LambdaService(
        [changed(function) for function in stack.deployment.functions],
        log_dir=fulfilment.out / "logs",
        workers_per_function=2,
        faults=stack.faults,
        states=stack.deployment.states,
        subject_of=subject_of,
    ) as service:
        stack.lambda_service = service
        try:
            yield
        finally:
            stack.lambda_service = usual
