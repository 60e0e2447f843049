"""The template deploys what the design promises: its figures.

The expected values are the design's, written out again by hand.
"""

import ast
import json
import re

import pytest

from infrastructure.template import (
    FUNCTIONS,
    PROJECT,
    RECONCILING,
    RESOURCES,
    SAM,
    STEPS,
    TRANSLATED,
    get_att,
    grants,
    of_type,
    properties,
)

FOURTEEN_DAYS = 14 * 24 * 3600
PIPE_TARGET_TIMEOUT = 60  # seconds that the pipe may take to start an execution


# ---- The queue, the pipe and the schedule


@pytest.mark.parametrize("queue", ["BookingQueue", "BookingDeadLetterQueue"])
def test_a_message_of_64_kib_is_kept_for_14_days_encrypted(queue):
    assert properties(queue)["MessageRetentionPeriod"] == FOURTEEN_DAYS
    assert properties(queue)["MaximumMessageSize"] == 64 * 1024
    assert properties(queue)["SqsManagedSseEnabled"] is True


def test_a_message_goes_to_the_dead_letters_after_five_deliveries():
    assert properties("BookingQueue")["RedrivePolicy"] == {
        "deadLetterTargetArn": get_att("BookingDeadLetterQueue"),
        "maxReceiveCount": 5,
    }


def test_a_message_stays_hidden_six_times_as_long_as_the_pipe_may_need():
    # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html
    assert properties("BookingQueue")["VisibilityTimeout"] >= 6 * PIPE_TARGET_TIMEOUT


def test_the_pipe_hands_every_message_on_one_by_one_and_waits_for_no_execution():
    pipe = properties("BookingPipe")
    assert pipe["Source"] == get_att("BookingQueue")
    assert pipe["Target"] == {"Ref": "FulfilBookingStateMachine"}
    # A filter would delete what it does not let through.
    assert pipe["SourceParameters"] == {"SqsQueueParameters": {"BatchSize": 1}}
    assert pipe["TargetParameters"] == {
        "StepFunctionStateMachineParameters": {"InvocationType": "FIRE_AND_FORGET"}
    }
    assert not {"Enrichment", "EnrichmentParameters"} & set(pipe)


def test_the_reconciliation_is_started_once_a_day_for_as_long_as_compute_is_on():
    schedule = properties("ReconcileSchedule")
    assert schedule["State"] == {"Fn::If": ["Computes", "ENABLED", "DISABLED"]}
    assert re.fullmatch(r"cron\(\d+ \d+ \* \* \? \*\)", schedule["ScheduleExpression"])
    target = schedule["Target"]
    assert target["Arn"] == {"Ref": "ReconcileTicketsStateMachine"}
    assert json.loads(target["Input"]) == {}
    # What could not be started is given up well before the next one.
    window = 60 * schedule["FlexibleTimeWindow"]["MaximumWindowInMinutes"]
    assert window + target["RetryPolicy"]["MaximumEventAgeInSeconds"] < 24 * 3600
    condition, while_computing, _ = schedule["Description"]["Fn::If"]
    assert condition == "Computes"
    for step in RECONCILING:
        assert f"${{{step}Function}}" in while_computing["Fn::Sub"]


# ---- The machine and the functions


def test_the_machines_are_standard_ones_since_only_those_are_redriven_and_exactly_once():
    machines = of_type("AWS::StepFunctions::StateMachine")
    assert set(machines) == {"FulfilBookingStateMachine", "ReconcileTicketsStateMachine"}
    for machine in machines.values():
        assert machine["StateMachineType"] == "STANDARD"


def test_each_step_and_my_tickets_have_a_function_on_python_3_13_and_arm64():
    functions = of_type("AWS::Lambda::Function")
    assert set(functions) == {f"{name}Function" for name in FUNCTIONS}
    for function in functions.values():
        assert function["Runtime"] == "python3.13"
        assert function["Architectures"] == ["arm64"]


@pytest.mark.parametrize("step", FUNCTIONS)
def test_the_handler_exists_and_takes_what_lambda_passes(step):
    module, name = properties(f"{step}Function")["Handler"].split(".")
    tree = ast.parse((PROJECT / "functions" / f"{module}.py").read_text(encoding="utf-8"))
    (handler,) = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name]
    frame = "endpoint" if step == "MyTickets" else "step"
    assert [d.id for d in handler.decorator_list if isinstance(d, ast.Name)] == [frame]


@pytest.mark.parametrize("step", FUNCTIONS)
def test_the_function_is_given_each_variable_it_needs_and_no_other(step):
    function = properties(f"{step}Function")
    module = function["Handler"].split(".")[0]
    tree = ast.parse((PROJECT / "functions" / f"{module}.py").read_text(encoding="utf-8"))
    needed = {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("required", "required_seconds", "required_whole")
        and isinstance(call.args[0], ast.Constant)
    }
    assert needed or step == "ReportReconciliation"  # which asks nobody
    assert set(function.get("Environment", {}).get("Variables", {})) == needed


def test_one_module_reads_the_environment():
    readers = {
        path.name
        for path in (PROJECT / "functions").rglob("*.py")
        if "os.environ" in (source := path.read_text(encoding="utf-8")) or "getenv" in source
    }
    assert readers == {"settings.py"}


@pytest.mark.parametrize("step", FUNCTIONS)
def test_a_table_or_bucket_is_named_by_reference_to_the_very_one_that_the_role_may_use(step):
    variables = properties(f"{step}Function").get("Environment", {}).get("Variables", {})
    referred = {value["Ref"] for value in variables.values() if isinstance(value, dict)}
    stores = referred & {"TicketsTable", "ProcessedJobsTable", "TicketImagesBucket"}
    granted = str(grants(f"{step}Role"))
    for store in ("TicketsTable", "ProcessedJobsTable", "TicketImagesBucket"):
        assert (store in granted) == (store in stores)


# ---- What ComputeEnabled=false takes away


def test_without_compute_the_functions_and_their_alarms_go_and_all_else_stays():
    gone = {name for name, r in TRANSLATED.items() if r.get("Condition") == "Computes"}
    assert gone == {f"{name}Function" for name in FUNCTIONS} | {
        "BookingsWaitAlarm", "EmailsRejectedAlarm", "FunctionErrorsAlarm",
        "FunctionThrottlesAlarm", "PipeFailedAlarm", "MyTicketsErrorsAlarm",
        "MyTicketsThrottlesAlarm", "TicketsUnreadableAlarm",
    }  # fmt: skip
    assert SAM["Conditions"]["Computes"] == {"Fn::Equals": [{"Ref": "ComputeEnabled"}, "true"]}
    assert properties("BookingPipe")["DesiredState"] == {
        "Fn::If": ["Computes", "RUNNING", "STOPPED"]
    }


def test_what_stays_refers_to_no_function_that_may_be_gone():
    for name, resource in RESOURCES.items():
        starters = ("BookingPipe", "ReconcileSchedule")
        if resource.get("Condition") in ("Computes", "ServesHolders") or name in starters:
            continue
        text = json.dumps(resource)
        for step in FUNCTIONS:
            assert f'"{step}Function"' not in text
            assert f"${{{step}Function}}" not in text


def test_the_pipe_starts_after_the_functions_it_leads_to():
    condition, while_computing, _ = properties("BookingPipe")["Description"]["Fn::If"]
    assert condition == "Computes"
    for step in STEPS:
        assert f"${{{step}Function}}" in while_computing["Fn::Sub"]


# ---- What is kept


@pytest.mark.parametrize("table", ["TicketsTable", "ProcessedJobsTable"])
def test_the_tables_are_paid_by_request_and_outlive_the_stack(table):
    assert properties(table)["BillingMode"] == "PAY_PER_REQUEST"
    assert RESOURCES[table]["DeletionPolicy"] == "RetainExceptOnCreate"
    assert RESOURCES[table]["UpdateReplacePolicy"] == "Retain"


@pytest.mark.parametrize("table", ["TicketsTable", "ProcessedJobsTable"])
def test_production_can_restore_a_table_and_cannot_delete_it(table):
    in_production = {"Fn::If": ["IsProduction", True, False]}
    declared = properties(table)
    assert declared["DeletionProtectionEnabled"] == in_production
    recovery = declared["PointInTimeRecoverySpecification"]
    assert recovery == {"PointInTimeRecoveryEnabled": in_production}
    assert SAM["Conditions"]["IsProduction"] == {"Fn::Equals": [{"Ref": "Stage"}, "prod"]}


def keys(schema: list[dict[str, str]]) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in schema}


def test_a_ticket_is_found_by_its_user_and_by_its_events_date():
    table = properties("TicketsTable")
    assert keys(table["KeySchema"]) == {"HASH": "userId", "RANGE": "ticketId"}
    (index,) = table["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "by-event-date"
    assert keys(index["KeySchema"]) == {"HASH": "eventDate", "RANGE": "eventDateKey"}
    assert index["Projection"] == {"ProjectionType": "ALL"}
    assert "TimeToLiveSpecification" not in table


def test_a_job_is_found_by_its_key_and_forgotten_after_expires_at():
    table = properties("ProcessedJobsTable")
    assert keys(table["KeySchema"]) == {"HASH": "jobKey"}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expiresAt", "Enabled": True}


def test_the_images_are_private_and_outlive_the_stack():
    bucket = properties("TicketImagesBucket")
    assert bucket["PublicAccessBlockConfiguration"] == {
        "BlockPublicAcls": True,
        "BlockPublicPolicy": True,
        "IgnorePublicAcls": True,
        "RestrictPublicBuckets": True,
    }
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert bucket["BucketEncryption"] == {
        "ServerSideEncryptionConfiguration": [
            {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
        ]
    }
    assert RESOURCES["TicketImagesBucket"]["DeletionPolicy"] == "RetainExceptOnCreate"


def test_every_name_carries_the_stage_so_that_stages_live_side_by_side():
    naming = (
        "AlarmName", "BucketName", "DashboardName", "FunctionName", "LogGroupName", "Name",
        "QueueName", "TableName", "TopicName",
    )  # fmt: skip
    for logical, resource in RESOURCES.items():
        for name in naming:
            value = resource.get("Properties", {}).get(name)
            if value is not None and "Ref" not in value:  # which names another resource
                assert "${Stage}" in str(value), logical


def test_what_differs_between_accounts_is_a_parameter():
    assert set(SAM["Parameters"]) == {
        "AlarmEmail", "ComputeEnabled", "EmailFrom", "EmailIdentity", "JwtAudience", "JwtIssuer",
        "MyTicketsUrl", "ReconcileAllowMissing", "ReconcileHorizonDays", "ReconcileUsualRepairs",
        "Stage",
    }  # fmt: skip
