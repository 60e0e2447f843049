"""The template says who may do what, and grants no more.

The expected values are the design's, written out again by hand.
"""

from typing import Any

import pytest

from infrastructure.template import (
    FUNCTIONS,
    RECONCILING,
    STEPS,
    TRANSLATED,
    get_att,
    grants,
    listed,
    of_type,
    properties,
    statements,
)

JOBS, TICKETS = get_att("ProcessedJobsTable"), get_att("TicketsTable")
IMAGES = {"Fn::Sub": "${TicketImagesBucket.Arn}/tickets/*"}
IDENTITY = {
    "Fn::Sub": "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}"
    ":identity/${EmailIdentity}"
}
SET = {
    "Fn::Sub": "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}"
    ":configuration-set/${EmailConfigurationSet}"
}
# The third column of the design's table of steps: (actions, resource, condition).
MAY = {
    "AcceptBooking": [({"dynamodb:PutItem"}, JOBS, None)],
    "ReserveTicket": [({"dynamodb:PutItem"}, TICKETS, None)],
    "WriteTicketImage": [
        ({"dynamodb:GetItem"}, TICKETS, None),
        ({"s3:PutObject", "s3:GetObject"}, IMAGES, None),
    ],
    "MarkTicketReady": [({"dynamodb:UpdateItem"}, TICKETS, None)],
    "SendEmail": [
        ({"dynamodb:GetItem", "dynamodb:PutItem"}, JOBS, None),
        (
            {"ses:SendEmail"},
            [IDENTITY, SET],
            {"StringEquals": {"ses:FromAddress": {"Ref": "EmailFrom"}}},
        ),
    ],
    "RecordEmailJob": [({"dynamodb:PutItem"}, JOBS, None)],
    "CheckTickets": [
        ({"dynamodb:Query"}, {"Fn::Sub": "${TicketsTable.Arn}/index/by-event-date"}, None),
        ({"s3:GetObject"}, IMAGES, None),
        # Without it S3 answers 403 for an image that is missing:
        # https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
        ({"s3:ListBucket"}, get_att("TicketImagesBucket"), None),
    ],
    "ReportReconciliation": [],
    # A link that the function signs may what the function may.
    "MyTickets": [({"dynamodb:Query"}, TICKETS, None), ({"s3:GetObject"}, IMAGES, None)],
}
TRACES = {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}
# Actions for which AWS takes no other resource than `*`:
# https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html
# https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html
SAMPLING = {"xray:GetSamplingRules", "xray:GetSamplingTargets"}
LOG_DELIVERY = {
    "logs:CreateLogDelivery", "logs:DeleteLogDelivery", "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies", "logs:GetLogDelivery", "logs:ListLogDeliveries",
    "logs:PutResourcePolicy", "logs:UpdateLogDelivery",
}  # fmt: skip


def function_arn(step: str) -> dict[str, str]:
    name = properties(f"{step}Function")["FunctionName"]["Fn::Sub"]
    return {
        "Fn::Sub": f"arn:${{AWS::Partition}}:lambda:${{AWS::Region}}:${{AWS::AccountId}}"
        f":function:{name}"
    }


def own_log(log_group: str) -> tuple[set[str], Any, None]:
    return {"logs:CreateLogStream", "logs:PutLogEvents"}, get_att(log_group), None


@pytest.mark.parametrize("step", FUNCTIONS)
def test_the_function_may_do_what_its_step_does_and_write_its_own_log(step):
    assert grants(f"{step}Role") == [*MAY[step], own_log(f"{step}LogGroup"), (TRACES, "*", None)]


def test_the_machine_may_invoke_the_six_functions_and_write_its_log_and_traces():
    assert grants("FulfilBookingRole") == [
        ({"lambda:InvokeFunction"}, [function_arn(step) for step in STEPS], None),
        own_log("FulfilBookingLogGroup"),
        (LOG_DELIVERY, "*", None),
        (TRACES | SAMPLING, "*", None),
    ]


def test_the_reconciliation_may_invoke_its_functions_and_write_its_log_and_traces():
    assert grants("ReconcileTicketsRole") == [
        ({"lambda:InvokeFunction"}, [function_arn(step) for step in RECONCILING], None),
        own_log("ReconcileTicketsLogGroup"),
        (LOG_DELIVERY, "*", None),
        (TRACES | SAMPLING, "*", None),
    ]


def test_the_schedule_may_start_the_reconciliation_and_nothing_else():
    starting = ({"states:StartExecution"}, {"Ref": "ReconcileTicketsStateMachine"}, None)
    assert grants("ReconcileScheduleRole") == [starting]


def test_the_pipe_may_read_its_queue_and_start_its_machine():
    reading = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
    assert grants("BookingPipeRole") == [
        (reading, get_att("BookingQueue"), None),
        ({"states:StartExecution"}, {"Ref": "FulfilBookingStateMachine"}, None),
        own_log("BookingPipeLogGroup"),
    ]


def test_each_function_machine_and_starter_has_a_role_of_its_own():
    others = ["FulfilBookingRole", "ReconcileTicketsRole"]
    others += ["BookingPipeRole", "ReconcileScheduleRole"]
    roles = [*(f"{name}Role" for name in FUNCTIONS), *others]
    assert set(of_type("AWS::IAM::Role")) == set(roles)
    users = [
        *(properties(f"{name}Function")["Role"] for name in FUNCTIONS),
        properties("FulfilBookingStateMachine")["Role"],
        properties("ReconcileTicketsStateMachine")["Role"],
        properties("BookingPipe")["RoleArn"],
        properties("ReconcileSchedule")["Target"]["RoleArn"],
    ]
    assert users == [get_att(role) for role in roles]


@pytest.mark.parametrize("role", of_type("AWS::IAM::Role"))
def test_no_role_has_more_than_its_inline_policies_or_another_user_than_its_service(role):
    service = {
        "FulfilBookingRole": "states",
        "ReconcileTicketsRole": "states",
        "BookingPipeRole": "pipes",
        "ReconcileScheduleRole": "scheduler",
    }.get(role, "lambda")
    declared = TRANSLATED[role]["Properties"]
    (trust,) = declared["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": f"{service}.amazonaws.com"}
    assert trust["Action"] == "sts:AssumeRole"
    assert not declared.get("ManagedPolicyArns")
    assert {statement["Effect"] for statement in statements(role)} == {"Allow"}


@pytest.mark.parametrize("role", of_type("AWS::IAM::Role"))
def test_no_action_is_a_wildcard_and_no_resource_but_where_aws_takes_no_other(role):
    for actions, resource, _ in grants(role):
        assert not [action for action in actions if "*" in action]
        if "*" in listed(resource):
            assert actions <= TRACES | SAMPLING | LOG_DELIVERY


def test_nothing_else_grants_access():
    assert not {"AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"} & {
        resource["Type"] for resource in TRANSLATED.values()
    }
    # That of the one route to the one function; see My tickets, below.
    assert list(of_type("AWS::Lambda::Permission")) == ["MyTicketsApiMayInvoke"]
    policies = [
        declared["PolicyDocument"]
        for kind in ("AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy")
        for declared in of_type(kind).values()
    ]
    assert policies
    for policy in policies:
        assert {statement["Effect"] for statement in policy["Statement"]} == {"Deny"}
