"""The command's names are the template's, and its links lead to the right console."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from operations.context import operator
from operations.screen import Screen
from operations.target import Target

TEMPLATE = Path(__file__).resolve().parents[2] / "template.yaml"
ARN = "arn:x:states:r:1:execution:m:e"


class Session:
    """boto3's session, as far as a target looks at it."""

    def __init__(self, region: str, partition: str) -> None:
        self._meta = SimpleNamespace(region_name=region, partition=partition)

    def client(self, service: str, **_: object) -> SimpleNamespace:
        identity = {"Account": "111122223333"}
        return SimpleNamespace(meta=self._meta, get_caller_identity=lambda: identity)


@pytest.mark.parametrize(
    "name",
    ["fulfil-booking", "bookings", "bookings-dead-letters", "tickets", "processed-jobs"],
)
def test_each_name_is_given_by_the_template(name):
    target = Target(Session("eu-west-1", "aws"), "prod")
    in_template = target.named(name).replace("prod", "${Stage}")
    assert f"Name: !Sub {in_template}\n" in TEMPLATE.read_text()


def test_the_arns_are_those_of_the_account_that_the_credentials_belong_to():
    target = Target(Session("eu-west-1", "aws"), "prod")
    place = "states:eu-west-1:111122223333"
    assert target.state_machine_arn == (
        f"arn:aws:{place}:stateMachine:minitickets-prod-fulfil-booking"
    )
    assert target.execution_arn("e") == (
        f"arn:aws:{place}:execution:minitickets-prod-fulfil-booking:e"
    )


def test_aws_is_called_at_its_rates_and_the_local_stack_as_fast_as_it_answers():
    on_aws = operator(Target(Session("eu-west-1", "aws"), "prod"), Screen())
    local = operator(Target(Session("eu-west-1", "aws"), "dev", "http://x"), Screen())
    assert on_aws.executions.limits["ListExecutions"].per_second == 5
    assert local.executions.limits == {}


@pytest.mark.parametrize(
    ("region", "partition", "console"),
    [
        ("eu-west-1", "aws", "https://eu-west-1.console.aws.amazon.com/"),
        ("cn-north-1", "aws-cn", "https://cn-north-1.console.amazonaws.cn/"),
        ("us-gov-west-1", "aws-us-gov", "https://us-gov-west-1.console.amazonaws-us-gov.com/"),
    ],
)
def test_the_link_leads_to_the_executions_page(region, partition, console):
    link = Target(Session(region, partition), "prod").console_link(ARN)
    page = f"states/home?region={region}#/v2/executions/details/{ARN}"
    assert link == console + page


def test_the_local_stack_has_no_console():
    assert Target(Session("eu-west-1", "aws"), "dev", "http://x").console_link(ARN) is None
