"""RUNBOOK.md, executions that failed at a step: each row's symptom is made, seen and mended."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from asl_walk import tasks
from local_stack.lambda_service import FunctionSpec
from workflow.harness import Fulfilment, booking
from workflow.runbook import (
    Definition,
    Operator,
    Row,
    a_file,
    fails,
    is_fulfilled,
    other_definition,
    plays,
)
from workflow.tools import (
    break_step,
    delete_ticket,
    mend,
    on_step,
    other_functions,
    put,
    tokens,
    wait,
    with_environment,
)

pytestmark = pytest.mark.slow  # retries to their end, and two graces


@plays("InvalidBooking")
def test_a_message_that_breaks_the_contract(
    fulfilment: Fulfilment, operator: Operator, row: Row, tmp_path: Path
) -> None:
    good = booking()
    fails(fulfilment, good | {"quantity": 0, "userId": ""})
    operator.about(BOOKING=good["bookingId"], FILE=a_file(tmp_path, good))
    operator.types(row.look)
    operator.sees(row)
    assert "quantity" in operator.wrote
    assert "userId" in operator.wrote
    operator.types(row.fix)
    is_fulfilled(fulfilment, good["bookingId"])


@plays("BookingConflict")
def test_a_booking_that_is_known_with_another_owner(
    fulfilment: Fulfilment, operator: Operator, row: Row, tmp_path: Path
) -> None:
    known = booking()
    fulfilment.fulfil(known)
    before = fulfilment.tickets(known["bookingId"])
    *_, refused = fulfilment.fulfil(known | {"userId": "usr_other"})
    own = known | {"userId": "usr_other", "bookingId": booking()["bookingId"]}
    operator.about(BOOKING=known["bookingId"], NAME=refused["name"], FILE=a_file(tmp_path, own))
    operator.types(row.look)
    operator.sees(row)
    assert "SUCCEEDED" in operator.wrote
    assert fulfilment.tickets(known["bookingId"]) == before
    operator.types(row.fix)
    is_fulfilled(fulfilment, own["bookingId"])


@plays("TicketConflict")
def test_another_bookings_record_at_the_seats_key(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    other, message = booking(quantity=1), booking()
    fulfilment.fulfil(other)
    ticket = f"{message['bookingId']}-00002"
    put(
        fulfilment,
        "TicketsTableName",
        fulfilment.tickets(other["bookingId"])[1] | {"ticketId": ticket},
    )
    failed = fails(fulfilment, message)
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    found = fulfilment.stack.client("dynamodb").get_item(
        TableName=fulfilment.stack.output("TicketsTableName"),
        Key={"userId": {"S": message["userId"]}, "ticketId": {"S": ticket}},
        ProjectionExpression="bookingId,seatNumber,createdAt",
    )["Item"]
    assert found["bookingId"] == {"S": other["bookingId"]}
    assert failed["error"] == row.key
    delete_ticket(fulfilment, message["userId"], ticket)
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


@plays("TicketMissing")
def test_a_record_that_was_deleted_while_the_booking_ran(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    message = booking()
    id_ = message["bookingId"]
    gone: list[str] = []

    def delete_once(event: dict) -> None:
        if event["seatNumber"] == 2 and len(gone) < 2:  # the attempt, and the one after the grace
            gone.append(f"{id_}-00002")
            delete_ticket(fulfilment, message["userId"], gone[0])

    on_step(fulfilment, "Written", id_, delete_once)
    fails(fulfilment, message)
    operator.about(BOOKING=id_)
    operator.types(row.look)
    operator.sees(row)
    assert "seat 2" in operator.wrote
    operator.types("`scripts/minitickets redrive BOOKING`", code=1)
    operator.types(row.fix)
    is_fulfilled(fulfilment, id_)


@plays("Runtime.ExitError")
def test_a_function_whose_process_dies(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: a worker killed after its work. Not real: why; here the local stack kills it."""
    broken_then_redriven(fulfilment, operator, row, "Ready", "crash")


@plays("Lambda.TooManyRequestsException")
def test_a_function_that_lambda_refuses_to_run(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: the Lambda service's answer. Not real: the account's quota that was used up."""
    broken_then_redriven(fulfilment, operator, row, "Creating", "throttle")


@plays("another error")
def test_an_error_without_a_name_of_its_own(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: boto3's error where nothing answers. The function's endpoint is moved there."""

    def cut_off(function: FunctionSpec) -> FunctionSpec:
        if fulfilment.stack.deployment.states.get(function.name) != "Written":
            return function
        return with_environment(function, AWS_ENDPOINT_URL="http://127.0.0.1:1")

    message = booking()
    with other_functions(fulfilment, cut_off):
        fails(fulfilment, message)
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


def broken_then_redriven(
    fulfilment: Fulfilment, operator: Operator, row: Row, state: str, kind: str
) -> None:
    message = booking()
    id_ = message["bookingId"]
    break_step(fulfilment, id_, state, kind, times=None, seat=2)
    failed = fails(fulfilment, message)
    before = tokens(fulfilment, id_)
    operator.about(BOOKING=id_)
    operator.types(row.look)
    operator.sees(row)
    assert failed["error"] == row.key
    assert f"{state} of seat 2 after 9 attempts" in operator.wrote
    mend(fulfilment, id_)
    operator.types(row.fix)
    is_fulfilled(fulfilment, id_)
    assert before.items() <= tokens(fulfilment, id_).items()


@plays("Sandbox.Timedout")
def test_a_function_that_runs_to_its_timeout(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """With a timeout of 1 second instead of the template's, nine times over."""
    message = booking(quantity=1)
    id_ = message["bookingId"]
    break_step(fulfilment, id_, "Written", "hang", times=None)
    with other_functions(fulfilment, lambda function: replace(function, timeout_seconds=1)):
        failed = fails(fulfilment, message)
    assert failed["error"] == row.key
    operator.about(BOOKING=id_)
    operator.types(row.look)
    operator.sees(row)
    mend(fulfilment, id_)
    operator.types(row.fix)
    is_fulfilled(fulfilment, id_, quantity=1)


def short_timeout(definition: Definition) -> None:
    dict(tasks(definition))["Written"]["TimeoutSeconds"] = 1


@plays("States.Timeout")
def test_a_step_that_outlasts_its_own_timeout(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """The definition with a timeout of 1 second at Written, deployed and then put right."""
    message = booking(quantity=1)
    id_ = message["bookingId"]
    go_on = threading.Event()
    on_step(fulfilment, "Written", id_, lambda _: wait(go_on))
    with other_definition(fulfilment, short_timeout):
        failed = fails(fulfilment, message)
    go_on.set()
    assert failed["error"] == row.key
    operator.about(BOOKING=id_)
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    is_fulfilled(fulfilment, id_, quantity=1)
