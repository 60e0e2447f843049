"""What a role of the template may not be given: more than can be named.

A rule takes the translated template and gives a sentence for each finding.
"""

from collections.abc import Iterator
from typing import Any

Document = dict[str, Any]

_LOG_DELIVERY = (
    "https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html#cloudwatch-iam-policy"
)
_TRACES = "https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html"
# The actions for which AWS knows no resource but `*`, each with where it says so.
TAKES_NO_RESOURCE = {
    "logs:CreateLogDelivery": _LOG_DELIVERY,
    "logs:DeleteLogDelivery": _LOG_DELIVERY,
    "logs:DescribeLogGroups": _LOG_DELIVERY,
    "logs:DescribeResourcePolicies": _LOG_DELIVERY,
    "logs:GetLogDelivery": _LOG_DELIVERY,
    "logs:ListLogDeliveries": _LOG_DELIVERY,
    "logs:PutResourcePolicy": _LOG_DELIVERY,
    "logs:UpdateLogDelivery": _LOG_DELIVERY,
    "xray:GetSamplingRules": _TRACES,
    "xray:GetSamplingTargets": _TRACES,
    "xray:PutTelemetryRecords": _TRACES,
    "xray:PutTraceSegments": _TRACES,
}


def names_what_it_grants(template: Document) -> Iterator[str]:
    """A role names each action, and each resource where AWS knows any."""
    for role, declared in _roles(template):
        if declared.get("ManagedPolicyArns"):
            yield f"{role} takes a managed policy, whose grants the template does not name"
        for policy in declared.get("Policies", []):
            for statement in _listed(policy["PolicyDocument"]["Statement"]):
                yield from (f"{role} {wrong}" for wrong in _too_wide(statement))


def _too_wide(statement: Document) -> Iterator[str]:
    if statement["Effect"] != "Allow":
        return
    for element in ("NotAction", "NotResource"):
        if element in statement:
            yield f"grants by {element}, which names what is not granted"
    actions = _listed(statement.get("Action", []))
    for action in actions:
        if "*" in action or "?" in action:
            yield f"grants the action {action}: name each that is needed"
    if "*" in _listed(statement.get("Resource", [])):
        for action in actions:
            if action not in TAKES_NO_RESOURCE:
                yield f"grants {action} on every resource: name those that are needed"


def _roles(template: Document) -> Iterator[tuple[str, Document]]:
    for name, resource in template["Resources"].items():
        if resource["Type"] == "AWS::IAM::Role":
            yield name, resource["Properties"]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
