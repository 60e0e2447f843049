"""The metrics that there are, and the alarms on them."""

import re

from infrastructure.template import PROJECT, RESOURCES

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
