"""The template deploys what the design promises: its figures, and who may do what.

The expected values are the design's, written out again by hand.
"""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sam_template import load_sam, translate

PROJECT = Path(__file__).resolve().parents[2]
SAM = load_sam(PROJECT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = SAM["Resources"]
TRANSLATED: dict[str, dict[str, Any]] = translate(SAM)["Resources"]
FOURTEEN_DAYS = 14 * 24 * 3600
PIPE_TARGET_TIMEOUT = 60  # seconds that the pipe may take to start an execution


def get_att(name: str, attribute: str = "Arn") -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


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
STEPS = ["AcceptBooking", "ReserveTicket", "WriteTicketImage", "MarkTicketReady", "SendEmail"]
STEPS.append("RecordEmailJob")
RECONCILING = ["CheckTickets", "WriteTicketImage", "MarkTicketReady", "ReportReconciliation"]
FUNCTIONS = [*dict.fromkeys([*STEPS, *RECONCILING]), "MyTickets"]
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


def properties(name: str) -> dict[str, Any]:
    found: dict[str, Any] = RESOURCES[name]["Properties"]
    return found


def of_type(kind: str) -> dict[str, dict[str, Any]]:
    return {
        name: resource.get("Properties", {})
        for name, resource in TRANSLATED.items()
        if resource["Type"] == kind
    }


def statements(role: str) -> list[dict[str, Any]]:
    return [
        statement
        for policy in TRANSLATED[role]["Properties"].get("Policies", [])
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def grants(role: str) -> list[tuple[set[str], Any, Any]]:
    return [
        (set(listed(statement["Action"])), statement["Resource"], statement.get("Condition"))
        for statement in statements(role)
    ]


# ---- The queue and the pipe


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


# ---- Who may do what


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


# ---- My tickets


def test_there_is_an_api_only_with_functions_and_an_identity_provider():
    conditions = SAM["Conditions"]
    both = [{"Condition": "Computes"}, {"Condition": "SignsIn"}]
    assert conditions["ServesHolders"] == {"Fn::And": both}
    assert conditions["SignsIn"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtIssuer"}, ""]}]}
    assert [SAM["Parameters"][name]["Default"] for name in ("JwtIssuer", "JwtAudience")] == ["", ""]
    serving = {name for name, r in TRANSLATED.items() if r.get("Condition") == "ServesHolders"}
    assert serving == {
        "MyTicketsApi", "MyTicketsApiApiGatewayDefaultStage", "MyTicketsApiMayInvoke",
        "MyTicketsFailuresAlarm",
    }  # fmt: skip
    assert SAM["Outputs"]["MyTicketsApiUrl"]["Condition"] == "ServesHolders"


def test_an_issuer_without_an_audience_is_refused():
    """API Gateway would take any token of the issuer's whose audience is an empty text."""
    (rule,) = SAM["Rules"].values()
    assert rule["RuleCondition"] == SAM["Conditions"]["SignsIn"]
    (assertion,) = rule["Assertions"]
    given = {"Fn::Not": [{"Fn::Equals": [{"Ref": "JwtAudience"}, ""]}]}
    assert assertion["Assert"] == given


def test_every_route_asks_for_a_token_of_the_issuer_for_the_audience():
    body = of_type("AWS::ApiGatewayV2::Api")["MyTicketsApi"]["Body"]
    assert {path: set(methods) for path, methods in body["paths"].items()} == {"/tickets": {"get"}}
    assert body["paths"]["/tickets"]["get"]["security"] == [{"IdentityProvider": []}]
    (scheme,) = body["components"]["securitySchemes"].values()
    assert scheme["x-amazon-apigateway-authorizer"] == {
        "type": "jwt",
        "identitySource": "$request.header.Authorization",
        "jwtConfiguration": {"issuer": {"Ref": "JwtIssuer"}, "audience": [{"Ref": "JwtAudience"}]},
    }
    integration = body["paths"]["/tickets"]["get"]["x-amazon-apigateway-integration"]
    assert integration["payloadFormatVersion"] == "2.0"
    assert "${MyTicketsFunction.Arn}" in integration["uri"]["Fn::Sub"]


def test_the_api_alone_may_call_the_function_and_by_that_route_only():
    permission = properties("MyTicketsApiMayInvoke")
    assert permission["FunctionName"] == {"Ref": "MyTicketsFunction"}
    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["SourceArn"]["Fn::Sub"].endswith(":${MyTicketsApi}/*/GET/tickets")


def test_the_api_is_throttled_and_its_log_tells_of_nobody():
    (stage,) = of_type("AWS::ApiGatewayV2::Stage").values()
    limits = stage["DefaultRouteSettings"]
    assert 0 < limits["ThrottlingRateLimit"] <= limits["ThrottlingBurstLimit"]
    logged = stage["AccessLogSettings"]
    assert logged["DestinationArn"] == get_att("MyTicketsApiLogGroup")
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
    used = set(re.findall(r"\$context\.([A-Za-z.]+)", logged["Format"]))
    assert used == set(re.findall(r"\$([A-Za-z.]+)", logged["Format"].replace("$context.", "$")))
    assert used == {
        "requestId", "requestTime", "routeKey", "status", "responseLength", "responseLatency",
        "error.responseType", "integrationStatus",
    }  # fmt: skip
    assert set(json.loads(logged["Format"])) >= {"requestId", "status", "error"}


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
