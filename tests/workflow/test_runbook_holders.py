"""RUNBOOK.md, what holders see in My tickets: each row is played."""

import json
from typing import Any

import pytest

from workflow.grants import taken_away
from workflow.harness import Fulfilment, booking
from workflow.holder import fetch
from workflow.reconciling import lose_images, new_date
from workflow.runbook import Operator, Row, plays
from workflow.test_my_tickets import GRANTS, role_of

pytestmark = pytest.mark.slow  # with the others of the runbook


def fulfilled(fulfilment: Fulfilment, user: str) -> str:
    """A booking of two seats of that user; its id."""
    message = booking(userId=user)
    fulfilment.fulfil(message)
    return str(message["bookingId"])


def change(fulfilment: Fulfilment, user: str, ticket: str, **attributes: str) -> dict[str, Any]:
    """Write over attributes as somebody else would; what they were."""
    found: dict[str, Any] = fulfilment.stack.client("dynamodb").update_item(
        TableName=fulfilment.stack.output("TicketsTableName"),
        Key={"userId": {"S": user}, "ticketId": {"S": ticket}},
        UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in attributes),
        ExpressionAttributeNames={f"#{name}": name for name in attributes},
        ExpressionAttributeValues={f":{n}": {"S": value} for n, value in attributes.items()},
        ReturnValues="UPDATED_OLD",
    )["Attributes"]
    return {name: value["S"] for name, value in found.items()}


@plays("My tickets fails")
def test_my_tickets_without_its_grant(fulfilment: Fulfilment, operator: Operator, row: Row) -> None:
    fulfilled(fulfilment, "usr_r1")
    operator.about(USER="usr_r1")
    with taken_away(fulfilment, role_of(fulfilment), GRANTS["dynamodb:Query"]):
        operator.types(row.look, code=3)
        operator.sees(row)
    operator.types(row.fix)
    assert "2 of 2" in operator.wrote


@plays("a ticket stays creating")
def test_a_record_that_somebody_wrote_over(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    id_ = fulfilled(fulfilment, "usr_r2")
    ticket = f"{id_}-00002"
    before = change(fulfilment, "usr_r2", ticket, imageKey="tickets/other.png")
    operator.about(USER="usr_r2", BOOKING=id_)
    operator.types(row.look)
    operator.sees(row)
    assert "seat 2" in operator.wrote
    fulfilment.wait_for(lambda: f'"tickets":["{ticket}"]' in fulfilment.log_text())
    change(fulfilment, "usr_r2", ticket, **before)
    operator.types(row.fix)
    assert "2 of 2" in operator.wrote


@plays("a ticket's link opens nothing")
def test_an_image_that_is_missing(fulfilment: Fulfilment, operator: Operator, row: Row) -> None:
    day = new_date()
    message = booking(userId="usr_r3", quantity=10, startsAt=f"{day}T20:00:00+01:00")
    fulfilment.fulfil(message)
    lose_images(fulfilment, message["bookingId"], 2)
    operator.about(USER="usr_r3", DATE=str(day))
    status, refusal, _ = fetch(link(operator, row, seat=2))
    assert status == 403
    operator.sees(row, refusal.decode())
    operator.types(row.fix)
    assert fetch(link(operator, row, seat=2))[0] == 200


def link(operator: Operator, row: Row, seat: int) -> str:
    """The ticket's link, as the row's command gives it."""
    operator.wrote = ""
    operator.types(row.look)
    (held,) = json.loads(operator.wrote)["bookings"]
    return str(held["tickets"][seat - 1]["imageUrl"])
