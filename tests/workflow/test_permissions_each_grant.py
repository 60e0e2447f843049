"""Each grant of the template, taken away alone, stops the workflow at the step that needs it.

The grants, and which step needs which, are read from the template and from what it deployed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import pytest

from commands.processes import PROJECT
from sam_template import load_sam, translate
from workflow.aws_calls import aws_calls
from workflow.grants import TemplateGrant, deployed_role, taken_away, template_grants
from workflow.harness import Fulfilment, booking, statuses
from workflow.reconciling import (
    booked,
    ended,
    lose_images,
    new_date,
    reconcile,
    report,
    start,
    stop_halfway,
)
from workflow.tools import break_step

pytestmark = pytest.mark.slow  # a booking for each grant

TEMPLATE = translate(load_sam(PROJECT / "template.yaml"))
# The exceptions: services by whose grants AWS does what the local stack has no part in.
NOT_PLAYED = {
    "xray": "the local stack keeps no traces",
    "logs": "Step Functions and pipes deliver their logs by a service of their own",
    "states": "no schedule starts anything here; the pipe does",
}
# Those that no booking needs: a reconciliation does.
RECONCILING = ("CheckTicketsRole", "ReconcileTicketsRole", "ReportReconciliationRole")


def service_of(role: str) -> str:
    """Who assumes the role: ``lambda``, ``states``, ``pipes`` or ``scheduler``."""
    (trust,) = TEMPLATE["Resources"][role]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    return str(trust["Principal"]["Service"].removesuffix(".amazonaws.com"))


def played(grant: TemplateGrant) -> bool:
    service = grant.action.split(":")[0]
    plays = {("logs", "lambda"), ("states", "pipes")}
    return service not in NOT_PLAYED or (service, service_of(grant.role)) in plays


# Not a step of the workflow: test_my_tickets.py takes its grants away.
ELSEWHERE = "MyTicketsRole"
GRANTS = [g for g in template_grants(TEMPLATE) if played(g) and g.role != ELSEWHERE]


def test_each_exception_stands_for_a_grant_of_the_template():
    not_played = {g.action.split(":")[0] for g in template_grants(TEMPLATE) if not played(g)}
    assert not_played == NOT_PLAYED.keys()


def needed_by(service: str, *, logs: bool = False, reconciling: bool = False) -> Any:
    found = [
        grant
        for grant in GRANTS
        if service_of(grant.role) == service
        and grant.action.startswith("logs:") == logs
        and (grant.role in RECONCILING) == reconciling
    ]
    assert found
    return pytest.mark.parametrize("grant", found, ids=str)


@pytest.fixture(autouse=True)
def retries_without_waiting(fulfilment: Fulfilment) -> Iterator[None]:
    """AccessDenied is retried as whatever else may pass: nine times, here at once."""
    stack = fulfilment.stack
    usual = stack._time_scale
    stack._time_scale = 0
    stack.run_machines()
    yield
    stack._time_scale = usual
    stack.run_machines()


def roles_in_use(fulfilment: Fulfilment) -> dict[str, list[str]]:
    """Role names, each with the functions that have it."""
    stack = fulfilment.stack
    machines = [
        stack.client("stepfunctions").describe_state_machine(stateMachineArn=stack.output(name))
        for name in ("StateMachineArn", "ReconcileStateMachineArn")
    ]
    users = [*(machine["roleArn"] for machine in machines), stack.deployment.pipe.role]
    found: dict[str, list[str]] = {role.rpartition("/")[2]: [] for role in users}
    for function in stack.client("lambda").list_functions()["Functions"]:
        if function["FunctionName"] in stack.deployment.states:
            role = function["Role"].rpartition("/")[2]
            found.setdefault(role, []).append(function["FunctionName"])
    return found


@contextmanager
def without(fulfilment: Fulfilment, grant: TemplateGrant) -> Iterator[tuple[str, str]]:
    """The role's name and the resource's ARN, while the grant is gone."""
    role = deployed_role(fulfilment, grant.role)
    with taken_away(fulfilment, role, grant) as resource:
        yield role, resource


def failed_state(fulfilment: Fulfilment, execution: dict[str, Any]) -> str:
    """The state of the last task that failed: the last one entered on the way to it."""
    events = fulfilment.history(execution["executionArn"])
    by_id = {event["id"]: event for event in events}
    at = next(event for event in reversed(events) if event["type"] == "TaskFailed")
    while "stateEnteredEventDetails" not in at:
        at = by_id[at["previousEventId"]]
    return str(at["stateEnteredEventDetails"]["name"])


@needed_by("lambda")
def test_a_step_without_its_grant_fails_and_names_the_action(fulfilment, grant):
    message = booking(quantity=1)
    break_step(fulfilment, message["bookingId"], "Written", "lost-reply")  # writes twice
    with without(fulfilment, grant) as (role, resource):
        (execution,) = fulfilment.fulfil(message)
    assert execution["status"] == "FAILED"
    (function,) = roles_in_use(fulfilment)[role]
    assert failed_state(fulfilment, execution) == fulfilment.stack.deployment.states[function]
    assert "AccessDenied" in execution["cause"]
    assert grant.action in execution["cause"]
    assert resource.rstrip("*") in execution["cause"]


@pytest.fixture(scope="module")
def damaged(fulfilment: Fulfilment) -> date:
    """A date with a seat whose image was lost, and one that stopped halfway."""
    day = new_date()
    id_ = booked(fulfilment, day, 20)
    lose_images(fulfilment, id_, 1)
    stop_halfway(fulfilment, id_, 2)
    return day


@needed_by("lambda", reconciling=True)
def test_a_check_without_its_grant_ends_the_reconciliation_and_names_the_action(
    fulfilment, damaged, grant
):
    with without(fulfilment, grant), aws_calls() as calls:
        execution = ended(fulfilment, start(fulfilment, damaged))
    assert execution["status"] == "FAILED"
    assert failed_state(fulfilment, execution) == "CheckAgain"
    assert grant.action in execution["cause"]
    assert calls.writing() == []


@needed_by("states", reconciling=True)
def test_the_reconciliation_without_its_grant_fails_where_it_may_not_call_or_tells_the_seat(
    fulfilment, damaged, grant
):
    with without(fulfilment, grant) as (_, resource), aws_calls() as calls:
        execution = ended(fulfilment, start(fulfilment, damaged, mostRepairs=1))
    function = resource.rpartition(":")[2]
    denied = "Lambda.AWSLambdaException"
    if function.endswith(("-write-ticket-image", "-mark-ticket-ready")):
        assert [f["failed"] for f in report(execution)["failures"]] == [denied]
        assert "UpdateItem" not in calls.writing()
        return
    assert (execution["status"], execution["error"]) == ("FAILED", denied)
    # What cannot be called at all is not called for each date again.
    state = "SetAside" if function.endswith("-check-tickets") else "Report"
    assert failed_state(fulfilment, execution) == state
    assert (
        f"not authorized to perform: {grant.action} on resource: {resource}" in execution["cause"]
    )


@needed_by("states")
def test_the_machine_without_its_grant_fails_at_the_step_that_it_may_not_call(fulfilment, grant):
    assert grant.action == "lambda:InvokeFunction"
    with without(fulfilment, grant) as (role, resource):
        (execution,) = fulfilment.fulfil(booking(quantity=1))
    assert (execution["status"], execution["error"]) == ("FAILED", "Lambda.AWSLambdaException")
    function = resource.rpartition(":")[2]
    assert failed_state(fulfilment, execution) == fulfilment.stack.deployment.states[function]
    assert f":assumed-role/{role}/" in execution["cause"]
    assert (
        f"not authorized to perform: {grant.action} on resource: {resource}" in execution["cause"]
    )
    assert "Error Code: AccessDeniedException" in execution["cause"]


@needed_by("pipes")
def test_the_pipe_without_its_grant_says_so_and_loses_no_message(fulfilment, grant, short_queue):
    stack = fulfilment.stack
    message = booking(quantity=1)
    with without(fulfilment, grant) as (role, resource):
        stack.pipe.stop()
        stack.pipe.trouble = None
        stack.pipe.start()
        fulfilment.publish(message)
        trouble = fulfilment.wait_for(lambda: stack.pipe.trouble)
        assert "AccessDenied" in trouble
        assert f":assumed-role/{role}/" in trouble
        assert f"{grant.action} on resource: {resource}".lower() in trouble.lower()
        assert messages(fulfilment) == 1
    fulfilment.wait_for(lambda: messages(fulfilment) == 0)
    fulfilment.wait_for(
        lambda: all(e["status"] == "SUCCEEDED" for e in fulfilment.executions(message["bookingId"]))
    )
    assert fulfilment.tickets(message["bookingId"])[1]["status"] == "ready"


@pytest.fixture
def short_queue(fulfilment: Fulfilment) -> Iterator[None]:
    """A message that the pipe could not finish comes back after two seconds."""
    sqs, url = fulfilment.stack.client("sqs"), fulfilment.stack.output("BookingQueueUrl")
    name = "VisibilityTimeout"
    usual = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={name: "2"})
    yield
    sqs.set_queue_attributes(QueueUrl=url, Attributes=usual)


def messages(fulfilment: Fulfilment) -> int:
    """How many messages the booking queue holds, in flight or not."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = fulfilment.stack.client("sqs").get_queue_attributes(
        QueueUrl=fulfilment.stack.output("BookingQueueUrl"), AttributeNames=names
    )["Attributes"]
    return sum(int(attributes[name]) for name in names)


@needed_by("lambda", logs=True)
def test_a_function_that_may_not_write_its_log_does_its_work_and_its_lines_are_lost(
    fulfilment, grant
):
    lost, kept = booking(quantity=1), booking(quantity=1)
    with without(fulfilment, grant) as (role, _):
        (function,) = roles_in_use(fulfilment)[role]
        log = fulfilment.out / "logs" / f"{function}.log"
        writer = fulfilment.stack.lambda_service._logs[function]
        before = writer.lost
        (execution,) = fulfilment.fulfil(lost)
        fulfilment.wait_for(lambda: writer.lost > before)
    fulfilment.fulfil(kept)
    assert execution["status"] == "SUCCEEDED"
    fulfilment.wait_for(lambda: kept["bookingId"] in log.read_text())
    assert lost["bookingId"] not in log.read_text()


@needed_by("lambda", logs=True, reconciling=True)
def test_a_reconciliation_whose_function_may_not_write_its_log_does_its_work(
    fulfilment, damaged, grant
):
    with without(fulfilment, grant) as (role, _):
        (function,) = roles_in_use(fulfilment)[role]
        log = fulfilment.out / "logs" / f"{function}.log"
        before = log.read_text() if log.exists() else ""
        writer = fulfilment.stack.lambda_service._logs[function]
        lost = writer.lost
        told = report(ended(fulfilment, start(fulfilment, damaged, dryRun=True)))
        fulfilment.wait_for(lambda: writer.lost > lost)
    assert told["checked"] == 20
    assert (log.read_text() if log.exists() else "") == before


def test_every_grant_is_of_use_to_a_booking_that_is_retried_and_published_twice_and_then_mended(
    fulfilment, damaged
):
    """Least privilege: what no run of the workflow uses has no place in the template."""
    stack = fulfilment.stack
    message = booking()
    for state in ("Written", "RecordEmailJob"):
        break_step(fulfilment, message["bookingId"], state, "lost-reply")
    stack.pipe.stop()
    stack.guard.used.clear()
    stack.pipe.start()
    executions = fulfilment.fulfil(message, message)
    assert statuses(executions) == ["SUCCEEDED", "SUCCEEDED"]
    assert reconcile(fulfilment, damaged)["failed"] == 0

    asked = {(deployed_role(fulfilment, grant.role), grant.action) for grant in GRANTS}
    granted = {
        (role, grant)
        for role in roles_in_use(fulfilment)
        for grant in stack.guard.granted(role)
        if (role, grant.action) in asked
    }
    assert len(granted) == len(GRANTS)
    assert granted - stack.guard.used == set()
