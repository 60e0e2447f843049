"""RUNBOOK.md, calls that were refused: each row takes a permission from a role of the stack.

Real: which role needs which action on which resource, as the template says it, and AWS's words.
Not real: policies of an organisation, of the bucket or of a key, which the local stack lacks.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from commands.processes import PROJECT
from sam_template import load_sam, translate
from workflow.grants import deployed_role, template_grants, without
from workflow.harness import Fulfilment, booking
from workflow.runbook import Operator, Row, fails, is_fulfilled, plays

pytestmark = pytest.mark.slow  # retries to their end

GRANTS = list(template_grants(translate(load_sam(PROJECT / "template.yaml"))))


def denied_then_mended(
    fulfilment: Fulfilment, operator: Operator, row: Row, role: str, denied, action: str
) -> None:
    message = booking()
    with denied:
        fails(fulfilment, message)
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    assert f"assumed-role/{deployed_role(fulfilment, role)}/" in operator.wrote
    assert action in operator.wrote
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


@plays("the tickets table is denied")
@pytest.mark.parametrize(
    ("role", "action"),
    [
        ("ReserveTicketRole", "dynamodb:PutItem"),
        ("WriteTicketImageRole", "dynamodb:GetItem"),
        ("MarkTicketReadyRole", "dynamodb:UpdateItem"),
    ],
)
def test_a_step_of_a_seat_that_may_not_use_the_tickets_table(
    fulfilment: Fulfilment, operator: Operator, row: Row, role: str, action: str
) -> None:
    denied = without(fulfilment, role, action)
    denied_then_mended(fulfilment, operator, row, role, denied, action)


@plays("the processed-jobs table is denied")
@pytest.mark.parametrize(
    ("role", "action"),
    [
        ("AcceptBookingRole", "dynamodb:PutItem"),
        ("SendEmailRole", "dynamodb:GetItem"),
        ("SendEmailRole", "dynamodb:PutItem"),
        ("RecordEmailJobRole", "dynamodb:PutItem"),
    ],
)
def test_a_step_that_may_not_use_the_processed_jobs_table(
    fulfilment: Fulfilment, operator: Operator, row: Row, role: str, action: str
) -> None:
    denied = without(fulfilment, role, action)
    denied_then_mended(fulfilment, operator, row, role, denied, action)


@plays("the bucket is denied")
def test_a_step_that_may_not_write_images(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    role, action = "WriteTicketImageRole", "s3:PutObject"
    denied = without(fulfilment, role, action)
    denied_then_mended(fulfilment, operator, row, role, denied, action)


@contextmanager
def wrong_table(fulfilment: Fulfilment, role: str, policy: str) -> Iterator[None]:
    """The role's policy names the table of a stage that is not there."""
    iam = fulfilment.stack.client("iam")
    name = {"RoleName": deployed_role(fulfilment, role), "PolicyName": policy}
    document = json.dumps(iam.get_role_policy(**name)["PolicyDocument"])
    wrong = document.replace("table/minitickets-dev-", "table/minitickets-other-")
    assert wrong != document
    iam.put_role_policy(**name, PolicyDocument=wrong)
    try:
        yield
    finally:
        iam.put_role_policy(**name, PolicyDocument=document)


@plays("a role has a wrong ARN")
def test_a_role_whose_policy_names_another_table(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    role = "ReserveTicketRole"
    (policy,) = {g.policy for g in GRANTS if (g.role, g.action) == (role, "dynamodb:PutItem")}
    denied = wrong_table(fulfilment, role, policy)
    asked_for = "dynamodb:PutItem on resource: arn:aws:dynamodb:eu-west-1:123456789012:table/"
    action = f"{asked_for}minitickets-dev-tickets"
    denied_then_mended(fulfilment, operator, row, role, denied, action)


@plays("the sender is denied")
def test_a_step_that_may_not_send_as_this_sender(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    role, action = "SendEmailRole", "ses:SendEmail"
    denied = without(fulfilment, role, action, "identity/")
    denied_then_mended(fulfilment, operator, row, role, denied, action)


@plays("the machine may not call a function")
def test_a_machine_that_may_not_call_its_first_function(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    role, action = "FulfilBookingRole", "lambda:InvokeFunction"
    denied = without(fulfilment, role, action, "accept-booking")
    denied_then_mended(fulfilment, operator, row, role, denied, action)
