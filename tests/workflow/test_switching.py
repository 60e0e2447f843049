"""Compute can be switched off and on, and stages stand side by side: nothing kept is touched."""

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_stack import interpreter
from local_stack.deploy import Deployment, deploy, stack_name
from local_stack.lambda_service import Invocation, LambdaService
from local_stack.results import rows
from local_stack.subjects import subject_of
from workflow.conftest import TIME_SCALE
from workflow.harness import Fulfilment, booking, statuses
from workflow.tools import break_step, mend, tokens

pytestmark = pytest.mark.slow  # a failed booking, and a second stage


def waiting_messages(fulfilment: Fulfilment) -> int:
    attributes = fulfilment.stack.client("sqs").get_queue_attributes(
        QueueUrl=fulfilment.stack.output("BookingQueueUrl"),
        AttributeNames=["ApproximateNumberOfMessages"],
    )
    return int(attributes["Attributes"]["ApproximateNumberOfMessages"])


def stored_images(fulfilment: Fulfilment) -> dict[str, str]:
    """The hash of each image in the bucket, by its key."""
    pages = fulfilment.stack.client("s3").get_paginator("list_objects_v2")
    bucket = fulfilment.stack.output("TicketImagesBucketName")
    return {
        each["Key"]: each["ETag"]
        for page in pages.paginate(Bucket=bucket)
        for each in page.get("Contents", [])
    }


def start(fulfilment: Fulfilment, machine: str, message: dict[str, Any]) -> str:
    """Start an execution as the pipe would; return its ARN."""
    record = {"messageId": str(uuid.uuid4()), "body": json.dumps(message)}
    started = fulfilment.stack.client("stepfunctions").start_execution(
        stateMachineArn=machine, name=str(uuid.uuid4()), input=json.dumps([record])
    )
    return str(started["executionArn"])


def ended(fulfilment: Fulfilment, arn: str) -> dict[str, Any]:
    describe = fulfilment.stack.client("stepfunctions").describe_execution
    fulfilment.wait_for(lambda: describe(executionArn=arn)["status"] != "RUNNING")
    return dict(describe(executionArn=arn))


@pytest.fixture
def failed(fulfilment: Fulfilment) -> Iterator[dict[str, Any]]:
    """A failed execution whose cause is mended after the test."""
    broken = booking()
    break_step(fulfilment, broken["bookingId"], "Written", "error", None, seat=2)
    (execution,) = fulfilment.fulfil(broken)
    assert execution["status"] == "FAILED"
    yield execution | {"bookingId": broken["bookingId"]}
    mend(fulfilment, broken["bookingId"])


@pytest.fixture
def compute_off(fulfilment: Fulfilment) -> Iterator[None]:
    fulfilment.stack.switch_compute(on=False)
    yield
    if not fulfilment.stack.deployment.functions:
        fulfilment.stack.switch_compute(on=True)


def test_off_and_on_keeps_tickets_jobs_messages_and_what_can_be_redriven(
    fulfilment: Fulfilment, failed: dict[str, Any]
) -> None:
    stack = fulfilment.stack
    machine = stack.output("StateMachineArn")
    kept = {
        table: list(rows(stack, table)) for table in ("TicketsTableName", "ProcessedJobsTableName")
    }
    images = stored_images(fulfilment)
    token = tokens(fulfilment, failed["bookingId"])
    assert kept["TicketsTableName"]
    assert images

    stack.switch_compute(on=False)
    try:
        assert stack.deployment.functions == ()
        waiting, by_hand = booking(), booking()
        fulfilment.publish(waiting)
        end = ended(fulfilment, start(fulfilment, machine, by_hand))
        assert (end["status"], end["error"]) == ("FAILED", "Lambda.ResourceNotFoundException")
        assert fulfilment.executions(waiting["bookingId"]) == []
        assert waiting_messages(fulfilment) == 1
        assert stack.output("StateMachineArn") == machine
        for table, before in kept.items():
            assert list(rows(stack, table)) == before
    finally:
        stack.switch_compute(on=True)

    for table, before in kept.items():
        assert [row for row in rows(stack, table) if row in before] == before
    assert stored_images(fulfilment).items() >= images.items()
    fulfilment.wait_for(lambda: fulfilment.finished(waiting["bookingId"]))
    assert statuses(fulfilment.executions(waiting["bookingId"])) == ["SUCCEEDED"]
    mend(fulfilment, failed["bookingId"])
    stack.client("stepfunctions").redrive_execution(executionArn=failed["executionArn"])
    assert ended(fulfilment, failed["executionArn"])["status"] == "SUCCEEDED"
    assert tokens(fulfilment, failed["bookingId"]) == token


def test_with_compute_off_the_functions_are_gone_for_aws_as_well(
    fulfilment: Fulfilment, compute_off: None
) -> None:
    with pytest.raises(ClientError, match="ResourceNotFound"):
        fulfilment.stack.client("lambda").get_function(
            FunctionName="minitickets-dev-accept-booking"
        )
    assert fulfilment.stack.deployment.pipe.runs is False


def test_a_stage_can_be_made_without_compute(fulfilment: Fulfilment) -> None:
    made = deploy(fulfilment.stack.endpoint, TIME_SCALE, stage="idle", compute_enabled=False)
    assert (made.functions, made.pipe.runs) == ((), False)
    assert made.outputs.keys() == fulfilment.stack.deployment.outputs.keys()
    machine = fulfilment.stack.client("stepfunctions").describe_state_machine(
        stateMachineArn=made.outputs["StateMachineArn"]
    )
    assert "function:minitickets-idle-accept-booking" in machine["definition"]
    fulfilment.stack.client("cloudformation").delete_stack(StackName=stack_name("idle"))


@pytest.fixture
def other(fulfilment: Fulfilment) -> Iterator[Deployment]:
    """A second stage in the same local AWS, its functions run by a service of their own."""
    stack = fulfilment.stack
    deployment = deploy(stack.endpoint, TIME_SCALE, stage="other")
    with LambdaService(
        deployment.functions,
        log_dir=fulfilment.out / "logs",
        workers_per_function=2,
        states=deployment.states,
        subject_of=subject_of,
    ) as service:

        def invoke(function: str, payload: bytes) -> Invocation:
            if function in deployment.states:
                return service.invoke(function, payload)
            return stack._invoke(function, payload)

        interpreter.install(invoke, TIME_SCALE)
        yield deployment
        stack.run_machines()
    stack.client("cloudformation").delete_stack(StackName=stack_name("other"))


def test_two_stages_in_one_account_do_not_see_each_other(
    fulfilment: Fulfilment, other: Deployment
) -> None:
    here = fulfilment.stack.deployment
    assert here.outputs.keys() == other.outputs.keys()
    assert not set(here.outputs.values()) & set(other.outputs.values())
    assert not {f.name for f in here.functions} & {f.name for f in other.functions}
    assert len(other.functions) == len(here.functions)
    for end in ("name", "source", "target", "role"):
        assert getattr(here.pipe, end) != getattr(other.pipe, end)

    message = booking()
    execution = start(fulfilment, other.outputs["StateMachineArn"], message)
    assert ended(fulfilment, execution)["status"] == "SUCCEEDED"
    assert fulfilment.tickets(message["bookingId"]) == {}

    fulfilment.fulfil(message)
    table = fulfilment.stack.client("dynamodb").scan(TableName=other.outputs["TicketsTableName"])
    theirs = {item["token"]["S"] for item in table["Items"]}
    ours = set(tokens(fulfilment, message["bookingId"]).values())
    assert len(theirs) == len(ours) == message["quantity"]
    assert not theirs & ours
    assert len(fulfilment.emails(message["bookingId"])) == 2
