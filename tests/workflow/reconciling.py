"""What the tests of reconciliation break, and how they have it mended.

Each works on event dates of its own, far from those of other tests on the shared stack.
"""

import itertools
import json
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

from execution_status import OPEN
from minitickets.clock import iso
from workflow.harness import Fulfilment, booking, statuses

Record = dict[str, Any]
_DATES = (date(2031, 1, 1) + timedelta(days=10 * n) for n in itertools.count())


def new_date() -> date:
    """Nobody else's, and neither are the nine after it."""
    return next(_DATES)


def booked(fulfilment: Fulfilment, day: date, quantity: int) -> str:
    """A fulfilled booking of an event on that date; its id."""
    message = booking(quantity=quantity, startsAt=f"{day}T20:00:00+01:00")
    executions = fulfilment.fulfil(message)
    assert statuses(executions) == ["SUCCEEDED"]
    return str(message["bookingId"])


def lose_images(fulfilment: Fulfilment, id_: str, *seats: int) -> dict[str, bytes]:
    """Delete the images of those seats; what they held, by key."""
    bucket, found = fulfilment.stack.output("TicketImagesBucketName"), {}
    for seat in seats:
        key = fulfilment.tickets(id_)[seat]["imageKey"]
        found[key] = fulfilment.image(key)
        fulfilment.stack.client("s3").delete_object(Bucket=bucket, Key=key)
    return found


def give_back(fulfilment: Fulfilment, images: dict[str, bytes]) -> None:
    bucket = fulfilment.stack.output("TicketImagesBucketName")
    for key, png in images.items():
        fulfilment.stack.client("s3").put_object(Bucket=bucket, Key=key, Body=png)


def stop_halfway(
    fulfilment: Fulfilment, id_: str, *seats: int, age: timedelta = timedelta(hours=1)
) -> None:
    """The seats as a booking leaves them that broke before their images, so long ago."""
    lose_images(fulfilment, id_, *seats)
    for seat in seats:
        change(
            fulfilment, id_, seat, "SET #status = :creating, createdAt = :then REMOVE readyAt",
            {":creating": "creating", ":then": iso(datetime.now(UTC) - age)},
        )  # fmt: skip


def change(
    fulfilment: Fulfilment, id_: str, seat: int, expression: str, values: dict[str, str]
) -> None:
    ticket = fulfilment.tickets(id_)[seat]
    fulfilment.stack.client("dynamodb").update_item(
        TableName=fulfilment.stack.output("TicketsTableName"),
        Key={name: {"S": ticket[name]} for name in ("userId", "ticketId")},
        UpdateExpression=expression,
        ExpressionAttributeNames={"#status": "status"} if "#status" in expression else {},
        ExpressionAttributeValues={name: {"S": value} for name, value in values.items()},
    )


def start(
    fulfilment: Fulfilment,
    first: date,
    days: int = 1,
    before: Callable[[str], object] = lambda _: None,
    **options: Any,
) -> str:
    """Its ARN, which ``before`` is given ahead of the start."""
    machine, name = fulfilment.stack.output("ReconcileStateMachineArn"), f"test-{uuid.uuid4()}"
    before(f"{machine.replace(':stateMachine:', ':execution:')}:{name}")
    dates = {"from": str(first), "to": str(first + timedelta(days=days - 1))}
    answer = fulfilment.stack.client("stepfunctions").start_execution(
        stateMachineArn=machine,
        name=name,
        input=json.dumps(dates | options),
    )
    return str(answer["executionArn"])


def ended(fulfilment: Fulfilment, arn: str) -> Record:
    """DescribeExecution after its end."""
    describe = fulfilment.stack.client("stepfunctions").describe_execution

    def done() -> Record | None:
        found: Record = describe(executionArn=arn)
        return None if found["status"] in OPEN else found

    found = fulfilment.wait_for(done)
    assert found is not None
    return found


def reconcile(fulfilment: Fulfilment, first: date, days: int = 1, **options: Any) -> Record:
    """Run one that succeeds; its report."""
    return report(ended(fulfilment, start(fulfilment, first, days, **options)))


def redrive(fulfilment: Fulfilment, arn: str) -> Record:
    """Redrive one that succeeds then; its report."""
    fulfilment.stack.client("stepfunctions").redrive_execution(executionArn=arn)
    return report(ended(fulfilment, arn))


def report(execution: Record) -> Record:
    assert execution["status"] == "SUCCEEDED", (execution.get("error"), execution.get("cause"))
    found: Record = json.loads(execution["output"])
    return found


def told(report: Record, *names: str) -> dict[str, int]:
    """Those of the report's figures that are not 0, or that are named."""
    return {
        name: value
        for name, value in report.items()
        if type(value) is int and (value or name in names)
    }


def reconciliations(fulfilment: Fulfilment) -> list[Record]:
    """DescribeExecution of every one."""
    client = fulfilment.stack.client("stepfunctions")
    pages = client.get_paginator("list_executions").paginate(
        stateMachineArn=fulfilment.stack.output("ReconcileStateMachineArn")
    )
    arns = [each["executionArn"] for page in pages for each in page["executions"]]
    return [client.describe_execution(executionArn=arn) for arn in arns]


def on_check(fulfilment: Fulfilment, arn: str, act: Callable[[int], object]) -> None:
    """Call ``act(n)`` ahead of that execution's n-th call of check_tickets, counted from 1."""
    states, numbers = fulfilment.stack.deployment.states, itertools.count(1)

    def observe(function: str, payload: bytes) -> None:
        if states.get(function) == "Check" and json.loads(payload)["execution"] == arn:
            act(next(numbers))

    fulfilment.stack.lambda_service.on_invoke(observe)
