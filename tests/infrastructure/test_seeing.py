"""The template shows what happens: logs, traces, dashboard, counted emails and outputs."""

import json
import re
from typing import Any

import pytest

from infrastructure.metrics import assert_known
from infrastructure.template import FUNCTIONS, PROJECT, SAM, TRANSLATED, properties

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
        name = properties(f"{step}Function")["FunctionName"]["Fn::Sub"].replace("${Stage}", "some")
        assert query.count(f"SOURCE '/aws/lambda/{name}'") == 1
    assert "by name" in query


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
