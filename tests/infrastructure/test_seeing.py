"""What the template shows and tells: logs, traces, dashboard, alarms and the topic they end in."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from checks.template_rules import _wrong_command
from sam_template import load_sam, translate

PROJECT = Path(__file__).resolve().parents[2]
SAM = load_sam(PROJECT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = SAM["Resources"]
TRANSLATED: dict[str, dict[str, Any]] = translate(SAM)["Resources"]
STEPS = ("accept-booking", "reserve-ticket", "write-ticket-image", "mark-ticket-ready")
STEPS += ("send-email", "record-email-job", "check-tickets", "report-reconciliation")
FUNCTIONS = (*STEPS, "my-tickets")
# Metrics and the dimension by which each is looked up.
KNOWN = {
    # https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html
    ("AWS/States", "StateMachineArn"): {
        "ExecutionsStarted", "ExecutionsSucceeded", "ExecutionsFailed", "ExecutionsTimedOut",
        "ExecutionsAborted", "ExecutionsRedriven", "ExecutionThrottled", "ExecutionTime",
    },
    # https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
    ("AWS/SQS", "QueueName"): {
        "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesVisible",
    },
    # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-monitoring.html
    ("AWS/EventBridge/Pipes", "PipeName"): {
        "Invocations", "ExecutionFailed", "ExecutionThrottled",
    },
    # https://docs.aws.amazon.com/lambda/latest/dg/monitoring-metrics-types.html
    ("AWS/Lambda", "FunctionName"): {"Errors", "Throttles"},
    # https://docs.aws.amazon.com/scheduler/latest/UserGuide/monitoring-cloudwatch.html
    ("AWS/Scheduler", "ScheduleGroup"): {"InvocationDroppedCount"},
    # https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-metrics.html
    ("AWS/ApiGateway", "ApiId"): {"5xx"},
    # https://docs.aws.amazon.com/ses/latest/dg/event-publishing-add-event-destination-cloudwatch.html
    ("AWS/SES", "ses:configuration-set"): {
        "Bounce", "Complaint", "Reject", "Reputation.BounceRate", "Reputation.ComplaintRate",
    },
}  # fmt: skip


def properties(name: str) -> dict[str, Any]:
    found: dict[str, Any] = RESOURCES[name]["Properties"]
    return found


def own_metrics() -> set[str]:
    """Every name that the functions count by."""
    names: set[str] = set()
    for path in (PROJECT / "functions").rglob("*.py"):
        for call in re.findall(r"\bcount\((.*)\)", path.read_text(encoding="utf-8")):
            names |= set(re.findall(r'"([A-Z][A-Za-z]+)"', call))
    return names


def assert_known(namespace: str, metric: str, dimension: str) -> None:
    if namespace == "MiniTickets":
        assert (metric in own_metrics(), dimension) == (True, "service")
    else:
        assert metric in KNOWN[namespace, dimension]


ALARMS = {
    name: resource["Properties"]
    for name, resource in RESOURCES.items()
    if resource["Type"] == "AWS::CloudWatch::Alarm"
}


# ---- Logs and traces


@pytest.mark.parametrize("machine", ["FulfilBooking", "ReconcileTickets"])
def test_a_machine_logs_errors_without_what_customers_wrote(machine):
    assert properties(f"{machine}StateMachine")["Logging"] == {
        "Level": "ERROR",
        "IncludeExecutionData": False,
        "Destinations": [
            {
                "CloudWatchLogsLogGroup": {
                    "LogGroupArn": {"Fn::GetAtt": [f"{machine}LogGroup", "Arn"]}
                }
            }
        ],
    }
    name = properties(f"{machine}LogGroup")["LogGroupName"]["Fn::Sub"]
    assert name.startswith("/aws/vendedlogs/states/")


def test_the_pipe_logs_errors_without_the_message():
    assert properties("BookingPipe")["LogConfiguration"] == {
        "Level": "ERROR",
        "CloudwatchLogsLogDestination": {
            "LogGroupArn": {"Fn::GetAtt": ["BookingPipeLogGroup", "Arn"]}
        },
    }
    name = properties("BookingPipeLogGroup")["LogGroupName"]["Fn::Sub"]
    assert name == "/aws/vendedlogs/pipes/minitickets-${Stage}-bookings"


def test_the_machines_and_every_function_are_traced():
    for name in ("FulfilBookingStateMachine", "ReconcileTicketsStateMachine"):
        assert TRANSLATED[name]["Properties"]["TracingConfiguration"] == {"Enabled": True}
    functions = [r for r in TRANSLATED.values() if r["Type"] == "AWS::Lambda::Function"]
    assert len(functions) == len(FUNCTIONS)
    for function in functions:
        assert function["Properties"]["TracingConfig"] == {"Mode": "Active"}


def test_the_functions_need_no_tracing_library():
    requirements = (PROJECT / "functions" / "requirements.txt").read_text(encoding="utf-8")
    assert "xray" not in requirements


def test_the_functions_metrics_name_their_stage():
    variables = SAM["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["POWERTOOLS_SERVICE_NAME"] == {"Fn::Sub": "minitickets-${Stage}"}


# ---- The dashboard


def widgets() -> list[dict[str, Any]]:
    body = properties("Dashboard")["DashboardBody"]["Fn::Sub"]
    found: list[dict[str, Any]] = json.loads(re.sub(r"\$\{[^}]+\}", "some", body))["widgets"]
    return found


def shown() -> set[str]:
    return {metric[1] for widget in widgets() for metric in widget["properties"].get("metrics", [])}


def test_the_dashboard_shows_what_an_operator_asks_for():
    assert shown() >= {
        "ExecutionsStarted", "TicketsReady", "Errors", "ApproximateAgeOfOldestMessage",
        "ApproximateNumberOfMessagesVisible", "EmailsSent", "EmailsRejected", "Bounce",
        "Complaint", "ExecutionTime",
    }  # fmt: skip
    statistics = [
        metric[4]["stat"]
        for widget in widgets()
        for metric in widget["properties"].get("metrics", [])
        if metric[1] == "ExecutionTime"
    ]
    assert statistics == ["p50", "p90", "p99"]
    (seats,) = [w["properties"] for w in widgets() if "Seats" in w["properties"]["title"]]
    assert (seats["stat"], seats["period"]) == ("Sum", 60)


def test_every_metric_of_the_dashboard_exists():
    for widget in widgets():
        for metric in widget["properties"].get("metrics", []):
            assert_known(*metric[:3])


def test_the_widgets_lie_side_by_side():
    cells = [
        (x, y)
        for w in widgets()
        for x in range(w["x"], w["x"] + w["width"])
        for y in range(w["y"], w["y"] + w["height"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def test_failures_are_counted_by_name_from_every_function_s_log():
    (query,) = [w["properties"]["query"] for w in widgets() if w["type"] == "log"]
    for step in FUNCTIONS:
        assert query.count(f"SOURCE '/aws/lambda/minitickets-some-{step}'") == 1
    assert "by name" in query


# ---- Alarms


def test_there_is_an_alarm_for_everything_that_somebody_must_know():
    assert {alarm.get("MetricName") for alarm in ALARMS.values()} == {
        "ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted", "ExecutionThrottled",
        "ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage", "ExecutionFailed",
        "EmailsRejected", "Bounce", "Complaint", "Reputation.BounceRate",
        "Reputation.ComplaintRate", "InvocationDroppedCount", "TicketsRepaired", "Errors",
        "Throttles", "5xx", "TicketsUnreadable", None,
    }  # fmt: skip


@pytest.mark.parametrize("name", ALARMS)
def test_the_alarm_watches_a_metric_that_exists_and_tells_the_topic(name):
    alarm = ALARMS[name]
    assert alarm["AlarmActions"] == [{"Ref": "AlarmTopic"}]
    assert alarm["TreatMissingData"] == "notBreaching"
    if "MetricName" in alarm:
        (dimension,) = alarm["Dimensions"]
        assert_known(alarm["Namespace"], alarm["MetricName"], dimension["Name"])


@pytest.mark.parametrize(
    ("name", "metric"), [("FunctionErrorsAlarm", "Errors"), ("FunctionThrottlesAlarm", "Throttles")]
)
def test_each_step_is_watched_by_itself(name, metric):
    expression, *metrics = ALARMS[name]["Metrics"]
    assert expression["Expression"] == "MAX(METRICS())"
    assert [m["MetricStat"]["Metric"]["MetricName"] for m in metrics] == [metric] * len(STEPS)
    watched = {m["MetricStat"]["Metric"]["Dimensions"][0]["Value"]["Ref"] for m in metrics}
    functions = {n for n, r in RESOURCES.items() if r["Type"] == "AWS::Serverless::Function"}
    assert watched == functions - {"MyTicketsFunction"}  # it has alarms of its own: no retries
    assert all(m["ReturnData"] is False for m in metrics)


def test_somebody_knows_days_before_sqs_forgets_a_message():
    for name, queue, days in (
        ("BookingsNearLossAlarm", "BookingQueue", 3),
        ("DeadLettersNearLossAlarm", "BookingDeadLetterQueue", 1),
    ):
        assert ALARMS[name]["Threshold"] == days * 24 * 3600
        assert ALARMS[name]["Threshold"] < properties(queue)["MessageRetentionPeriod"]
        assert ALARMS[name]["Dimensions"][0]["Value"] == {"Fn::GetAtt": [queue, "QueueName"]}
        assert "Condition" not in RESOURCES[name]


def test_a_reconciliation_that_ends_in_any_other_way_than_well_is_told():
    expression, *metrics = ALARMS["ReconcileFailedAlarm"]["Metrics"]
    assert expression["Expression"] == "SUM(METRICS())"
    watched = [each["MetricStat"]["Metric"] for each in metrics]
    assert {metric["MetricName"] for metric in watched} == {
        "ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted",
    }  # fmt: skip
    for metric in watched:
        assert_known(metric["Namespace"], metric["MetricName"], metric["Dimensions"][0]["Name"])
        assert metric["Dimensions"][0]["Value"] == {"Ref": "ReconcileTicketsStateMachine"}
    assert "Condition" not in RESOURCES["ReconcileFailedAlarm"]


def test_more_repairs_in_a_day_than_usual_are_told():
    alarm = ALARMS["ManyRepairsAlarm"]
    assert (alarm["MetricName"], alarm["Statistic"], alarm["Period"]) == (
        "TicketsRepaired", "Sum", 24 * 3600,
    )  # fmt: skip
    assert alarm["Threshold"] == {"Ref": "ReconcileUsualRepairs"}


# ---- The topic


def statement(policy: dict[str, Any], sid: str) -> dict[str, Any]:
    (found,) = [s for s in policy["Statement"] if s["Sid"] == sid]
    return dict(found)


def test_whoever_publishes_may_use_the_topic_s_key():
    # https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
    policy = properties("AlarmKey")["KeyPolicy"]
    assert properties("AlarmTopic")["KmsMasterKeyId"] == {"Ref": "AlarmKey"}
    use = {"kms:Decrypt", "kms:GenerateDataKey*"}
    alarms = statement(policy, "AlarmsArePublished")
    assert alarms["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert set(alarms["Action"]) == use
    assert alarms["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    events = statement(policy, "EventsArePublished")
    assert events["Principal"] == {"Service": "events.amazonaws.com"}
    assert set(events["Action"]) == use
    assert "Condition" not in events  # EventBridge sends KMS nothing to match one


def test_this_stage_s_alarms_and_rules_may_publish_and_nobody_else():
    policy = properties("AlarmTopicPolicy")["PolicyDocument"]
    alarms = statement(policy, "AlarmsOfThisStage")
    assert alarms["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    pattern = alarms["Condition"]["ArnLike"]["aws:SourceArn"]["Fn::Sub"]
    assert pattern.endswith(":alarm:minitickets-${Stage}-*")
    for alarm in ALARMS.values():
        assert alarm["AlarmName"]["Fn::Sub"].startswith("minitickets-${Stage}-")
    events = statement(policy, "FailedExecutionsOfThisStage")
    assert events["Principal"] == {"Service": "events.amazonaws.com"}
    # https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html: for
    # EventBridge, a topic's policy supports no Condition.
    assert "Condition" not in events
    allowed = [s for s in policy["Statement"] if s["Effect"] == "Allow"]
    assert [s["Action"] for s in allowed] == ["sns:Publish", "sns:Publish"]


def test_nobody_is_subscribed_unless_an_address_is_given():
    assert RESOURCES["AlarmSubscription"]["Condition"] == "TellsSomebody"
    assert SAM["Conditions"]["TellsSomebody"] == {
        "Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmEmail"}, ""]}]
    }
    assert SAM["Parameters"]["AlarmEmail"]["Default"] == ""


# ---- The rule for executions that did not succeed


def test_every_end_but_success_of_these_machines_is_told():
    # https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
    assert properties("FailedExecutionRule")["EventPattern"] == {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {
            "stateMachineArn": [
                {"Ref": "FulfilBookingStateMachine"},
                {"Ref": "ReconcileTicketsStateMachine"},
            ],
            "status": ["FAILED", "TIMED_OUT", "ABORTED"],
        },
    }


EVENT = {
    "detail": {
        "executionArn": "arn:some:execution:e-1",
        "stateMachineArn": "arn:some:machine",
        "name": "e-1",
        "status": "FAILED",
        "input": '[{"body": "{\\"email\\": \\"kim@example.org\\", \\"userId\\": \\"usr_9\\"}"}]',
        "output": "kim@example.org",
        "error": "EmailRejected",
        "cause": "MessageRejected: kim@example.org",
    }
}


def told(event: dict[str, Any]) -> str:
    """What EventBridge makes of an event: each `<name>` is what its path finds."""
    (target,) = properties("FailedExecutionRule")["Targets"]
    assert target["Arn"] == {"Ref": "AlarmTopic"}
    text: str = target["InputTransformer"]["InputTemplate"]["Fn::Sub"]
    for name, path in target["InputTransformer"]["InputPathsMap"].items():
        root, *keys = path.split(".")
        assert root == "$"
        value: Any = event
        for key in keys:
            value = value[key]
        text = text.replace(f"<{name}>", value)
    assert "<" not in text
    return text.replace("${Stage}", "dev")


def test_what_is_told_names_the_execution_and_nobody():
    text = told(EVENT)
    for part in ("e-1", "FAILED", "EmailRejected", "arn:some:execution:e-1"):
        assert part in text
    for private in ("kim@example.org", "usr_9", "MessageRejected"):
        assert private not in text
    assert all(line[0] == line[-1] == '"' for line in text.splitlines())


def test_what_is_told_names_commands_that_exist():
    commands = re.findall(r"(minitickets [^\"]+)", told(EVENT))
    assert [command.split()[1] for command in commands] == ["executions", "show"]
    for command in commands:
        assert list(_wrong_command(command)) == []


# ---- Email


def test_every_email_is_counted_by_what_becomes_of_it():
    destination = properties("EmailEvents")["EventDestination"]
    assert destination["Enabled"] is True
    assert set(destination["MatchingEventTypes"]) == {"bounce", "complaint", "reject"}
    (dimension,) = destination["CloudWatchDestination"]["DimensionConfigurations"]
    assert dimension["DimensionName"] == "ses:configuration-set"
    options = properties("EmailConfigurationSet")["ReputationOptions"]
    assert options == {"ReputationMetricsEnabled": True}
    sender = properties("SendEmailFunction")["Environment"]["Variables"]
    assert sender["EMAIL_CONFIGURATION_SET"] == {"Ref": "EmailConfigurationSet"}


# ---- Outputs


@pytest.mark.parametrize(
    ("partition", "host"),
    [
        # https://docs.aws.amazon.com/general/latest/gr/aws-arns-and-namespaces.html
        ("aws", "console.aws.amazon.com"),
        ("aws-cn", "console.amazonaws.cn"),
        ("aws-us-gov", "console.amazonaws-us-gov.com"),
    ],
)
def test_the_links_lead_to_the_partition_s_console(partition, host):
    assert SAM["Mappings"]["Consoles"][partition]["Host"] == host
    for output in ("StateMachineConsole", "DashboardConsole"):
        text, values = SAM["Outputs"][output]["Value"]["Fn::Sub"]
        assert text.startswith("https://${Host}/")
        assert values["Host"] == {"Fn::FindInMap": ["Consoles", {"Ref": "AWS::Partition"}, "Host"]}


def test_every_output_that_people_need_is_there():
    assert set(SAM["Outputs"]) == {
        "AlarmTopicArn", "BookingDeadLetterQueueUrl", "BookingQueueUrl", "DashboardConsole",
        "MyTicketsApiUrl", "ProcessedJobsTableName", "ReconcileStateMachineArn", "StateMachineArn",
        "StateMachineConsole",
        "TicketImagesBucketName", "TicketsTableName",
    }  # fmt: skip
