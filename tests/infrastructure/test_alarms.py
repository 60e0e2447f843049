"""The template tells: alarms, executions that did not succeed, and the topic they end in."""

import re
from typing import Any

import pytest

from checks.template_rules import _wrong_command
from infrastructure.metrics import ALARMS, assert_known
from infrastructure.template import FUNCTIONS, RESOURCES, SAM, properties

# ---- Alarms


def test_there_is_an_alarm_for_everything_that_somebody_must_know():
    assert {alarm.get("MetricName") for alarm in ALARMS.values()} == {
        "ExecutionsFailed", "ExecutionsTimedOut", "ExecutionsAborted", "ExecutionThrottled",
        "ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage", "ExecutionFailed",
        "EmailsRejected", "Bounce", "Complaint", "Reputation.BounceRate",
        "Reputation.ComplaintRate", "InvocationDroppedCount", "TicketsRepaired",
        "TicketsUnrepaired", "Errors", "Throttles", "5xx", "TicketsUnreadable", None,
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
    steps = {f"{step}Function" for step in FUNCTIONS} - {"MyTicketsFunction"}  # it has its own
    expression, *metrics = ALARMS[name]["Metrics"]
    assert expression["Expression"] == "MAX(METRICS())"
    assert [m["MetricStat"]["Metric"]["MetricName"] for m in metrics] == [metric] * len(steps)
    watched = {m["MetricStat"]["Metric"]["Dimensions"][0]["Value"]["Ref"] for m in metrics}
    assert watched == steps
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


def test_one_seat_that_a_reconciliation_could_not_mend_is_told():
    alarm = ALARMS["TicketsUnrepairedAlarm"]
    assert (alarm["MetricName"], alarm["Statistic"], alarm["Threshold"]) == (
        "TicketsUnrepaired", "Sum", 0,
    )  # fmt: skip
    assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
    assert "Condition" not in RESOURCES["TicketsUnrepairedAlarm"]


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
