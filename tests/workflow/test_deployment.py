"""What the template says is what stands in the local AWS: the tests run against the real thing."""

import json

import pytest

from commands.processes import PROJECT
from local_stack.aws import Credentials
from local_stack.deploy import stack_name
from local_stack.trimmed_template import NOT_HERE
from sam_template import load_sam, translate
from workflow.harness import booking

TEMPLATE = translate(load_sam(PROJECT / "template.yaml"))
ACCOUNT, REGION = "123456789012", "eu-west-1"
FOURTEEN_DAYS = 1_209_600
NAME = "minitickets-dev"
STEPS = {
    "accept-booking": ("AcceptBooking", 10, 256),
    "reserve-ticket": ("Creating", 10, 256),
    "write-ticket-image": ("Written", 15, 512),
    "mark-ticket-ready": ("Ready", 10, 256),
    "send-email": ("SendEmail", 10, 256),
    "record-email-job": ("RecordEmailJob", 8, 256),
}
RECONCILING = {
    "check-tickets": ("Check", 60, 1024),
    "report-reconciliation": ("Report", 10, 256),
}
# How often each function stands in the definitions of the two machines.
MACHINES = {
    "StateMachineArn": ("fulfil-booking", dict.fromkeys(STEPS, 1)),
    "ReconcileStateMachineArn": (
        "reconcile-tickets",
        {"check-tickets": 3, "write-ticket-image": 1, "mark-ticket-ready": 1,
         "report-reconciliation": 1},
    ),
}  # fmt: skip
FUNCTIONS = STEPS | RECONCILING


@pytest.fixture
def aws(fulfilment):
    return fulfilment.stack.client


def test_every_resource_is_created_but_those_that_the_local_stack_says_it_leaves_out(aws):
    found = aws("cloudformation").describe_stack_resources(StackName=stack_name("dev"))[
        "StackResources"
    ]
    assert {r["LogicalResourceId"]: r["ResourceType"] for r in found} == {
        name: resource["Type"]
        for name, resource in TEMPLATE["Resources"].items()
        if resource["Type"] not in NOT_HERE
    }


def test_every_output_has_a_value_that_names_the_stage(fulfilment):
    outputs = fulfilment.stack.deployment.outputs
    not_here = {"AlarmTopicArn", "DashboardConsole", "MyTicketsApiUrl"}
    assert set(outputs) == set(TEMPLATE["Outputs"]) - not_here
    assert all(NAME in value for value in outputs.values())


def test_the_functions_count_by_their_stage(fulfilment):
    mine = booking()
    fulfilment.fulfil(mine)
    lines = [json.loads(line) for line in fulfilment.log_text().splitlines() if '"_aws"' in line]
    counted = [line for line in lines if line.get("bookingId") == mine["bookingId"]]
    assert {line["service"] for line in counted} == {NAME}
    for line in counted:
        (metrics,) = line["_aws"]["CloudWatchMetrics"]
        assert (metrics["Namespace"], metrics["Dimensions"]) == ("MiniTickets", [["service"]])


@pytest.mark.parametrize("output", ["BookingQueueUrl", "BookingDeadLetterQueueUrl"])
def test_the_queues_keep_messages_of_64_kib_for_14_days(aws, fulfilment, output):
    url = fulfilment.stack.output(output)
    attributes = aws("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert int(attributes["MessageRetentionPeriod"]) == FOURTEEN_DAYS
    assert int(attributes["MaximumMessageSize"]) == 65_536


def test_the_booking_queue_gives_up_a_message_to_the_dead_letters(aws, fulfilment):
    url = fulfilment.stack.output("BookingQueueUrl")
    attributes = aws("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert int(attributes["VisibilityTimeout"]) == 360
    policy = json.loads(attributes["RedrivePolicy"])
    assert int(policy["maxReceiveCount"]) == 5
    dead = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{NAME}-bookings-dead-letters"
    assert policy["deadLetterTargetArn"] == dead


def test_the_pipe_leads_from_the_queue_to_the_machine_under_its_role(fulfilment):
    pipe = fulfilment.stack.deployment.pipe
    assert pipe.source == f"arn:aws:sqs:{REGION}:{ACCOUNT}:{NAME}-bookings"
    assert pipe.target == fulfilment.stack.output("StateMachineArn")
    assert ":role/" in pipe.role


def keys(schema):
    return {key["KeyType"]: key["AttributeName"] for key in schema}


def test_the_tickets_table_has_its_keys_and_its_index(aws):
    table = aws("dynamodb").describe_table(TableName=f"{NAME}-tickets")["Table"]
    assert keys(table["KeySchema"]) == {"HASH": "userId", "RANGE": "ticketId"}
    (index,) = table["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "by-event-date"
    assert keys(index["KeySchema"]) == {"HASH": "eventDate", "RANGE": "eventDateKey"}
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_the_jobs_table_forgets_by_expires_at(aws):
    table = aws("dynamodb").describe_table(TableName=f"{NAME}-processed-jobs")["Table"]
    assert keys(table["KeySchema"]) == {"HASH": "jobKey"}
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    ttl = aws("dynamodb").describe_time_to_live(TableName=f"{NAME}-processed-jobs")
    assert ttl["TimeToLiveDescription"] == {
        "AttributeName": "expiresAt",
        "TimeToLiveStatus": "ENABLED",
    }
    ttl = aws("dynamodb").describe_time_to_live(TableName=f"{NAME}-tickets")
    assert ttl["TimeToLiveDescription"]["TimeToLiveStatus"] == "DISABLED"


def test_the_bucket_is_closed_to_the_public(aws, fulfilment):
    bucket = fulfilment.stack.output("TicketImagesBucketName")
    block = aws("s3").get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    assert block == dict.fromkeys(
        ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"), True
    )
    rules = aws("s3").get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"]["Rules"]
    assert rules == [{"ObjectOwnership": "BucketOwnerEnforced"}]


@pytest.mark.parametrize("output", MACHINES)
def test_the_machine_is_the_template_s_with_every_name_filled_in(aws, fulfilment, output):
    machine = aws("stepfunctions").describe_state_machine(
        stateMachineArn=fulfilment.stack.output(output)
    )
    name, used = MACHINES[output]
    assert machine["name"] == f"{NAME}-{name}"
    assert machine["type"] == "STANDARD"
    assert "${" not in machine["definition"]
    for step, times in used.items():
        arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{NAME}-{step}"
        assert machine["definition"].count(json.dumps(arn)) == times


@pytest.mark.parametrize("step", FUNCTIONS)
def test_the_function_has_its_limits_and_its_workers_have_the_same(aws, fulfilment, step):
    state, timeout, memory = FUNCTIONS[step]
    name = f"{NAME}-{step}"
    function = aws("lambda").get_function_configuration(FunctionName=name)
    assert (function["Timeout"], function["MemorySize"]) == (timeout, memory)
    assert function["Runtime"] == "python3.13"
    assert function["Handler"] == f"{step.replace('-', '_')}.handler"
    (spec,) = [s for s in fulfilment.stack.deployment.functions if s.name == name]
    assert (spec.timeout_seconds, spec.memory_mb) == (timeout, memory)
    variables = {k: str(v) for k, v in function["Environment"]["Variables"].items()}
    assert {key: spec.environment[key] for key in variables} == variables
    assert fulfilment.stack.deployment.states[name] == state


@pytest.mark.parametrize("step", FUNCTIONS)
def test_the_functions_workers_are_their_own_role_to_aws(aws, fulfilment, step):
    function = aws("lambda").get_function_configuration(FunctionName=f"{NAME}-{step}")
    (spec,) = [
        s for s in fulfilment.stack.deployment.functions if s.name == function["FunctionName"]
    ]
    given = (f"AWS_{key}" for key in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN"))
    worker = Credentials(*(spec.environment[name] for name in given))
    caller = fulfilment.stack.endpoint.client("sts", worker).get_caller_identity()
    role = function["Role"].rsplit("/", 1)[1]
    assert f":assumed-role/{role}/" in caller["Arn"]


def test_each_role_has_the_policies_that_the_template_gives_it(aws):
    iam = aws("iam")
    resources = aws("cloudformation").describe_stack_resources(StackName=stack_name("dev"))[
        "StackResources"
    ]
    roles = {
        r["LogicalResourceId"]: r["PhysicalResourceId"]
        for r in resources
        if r["ResourceType"] == "AWS::IAM::Role"
    }
    starters = ("BookingPipeRole", "ReconcileScheduleRole")
    assert len(roles) == len(FUNCTIONS) + len(MACHINES) + len(starters) + 1  # of My tickets
    for logical, role in roles.items():
        declared = TEMPLATE["Resources"][logical]["Properties"]["Policies"]
        names = iam.list_role_policies(RoleName=role)["PolicyNames"]
        assert sorted(names) == sorted(policy["PolicyName"] for policy in declared)


def test_the_sender_is_verified(aws):
    identities = aws("sesv2").list_email_identities()["EmailIdentities"]
    assert [identity["IdentityName"] for identity in identities] == ["minitickets.example"]
