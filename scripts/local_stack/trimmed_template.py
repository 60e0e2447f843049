"""The template as moto is given it: what one machine has a use for, and no conditions.

Conditions are decided here: moto's ``update_stack`` compares resources and never looks at a
condition that changed, so it would leave the functions where they are when compute is switched off.
"""

import json
from collections.abc import Mapping
from typing import Any

from sam_template import BadTemplate

Document = dict[str, Any]

# Left out here, and why. All of it is checked as text by tests/infrastructure and scripts/check.
NOT_HERE = {
    "AWS::ApiGatewayV2::Api": "moto cannot make one of a definition; local_stack.holder_api serves",
    "AWS::ApiGatewayV2::Stage": "goes with its API",
    "AWS::CloudWatch::Alarm": "nothing measures here",
    "AWS::CloudWatch::Dashboard": "nothing measures here",
    "AWS::Events::Rule": "moto's machines send no events",
    "AWS::Lambda::Permission": "the API that it permits is not here",
    "AWS::KMS::Key": "encrypts the alarm topic only",
    "AWS::S3::BucketPolicy": "refuses what is not TLS, which nothing is here",
    "AWS::SES::ConfigurationSetEventDestination": "no email bounces here",
    "AWS::Scheduler::Schedule": "a reconciliation is started on demand here",
    "AWS::Scheduler::ScheduleGroup": "a reconciliation is started on demand here",
    "AWS::SNS::Subscription": "nothing publishes to the alarm topic here",
    "AWS::SNS::Topic": "nothing publishes to the alarm topic here",
    "AWS::SNS::TopicPolicy": "nothing publishes to the alarm topic here",
    "AWS::SQS::QueuePolicy": "refuses what is not TLS, which nothing is here",
}


def trim(template: Document, parameters: Mapping[str, str]) -> Document:
    """Give the resources and outputs that ``parameters`` and this machine leave of a template.

    ``parameters`` go before the template's defaults. The template is left as it was.
    Raises BadTemplate for a condition of another kind than Equals, Not and And.
    """
    defaults = {name: p.get("Default") for name, p in template["Parameters"].items()}
    values = {**defaults, **parameters}
    conditions = template["Conditions"]
    holds = {name: _holds({"Condition": name}, conditions, values) for name in conditions}
    resources = {
        name: {key: value for key, value in resource.items() if key != "Condition"}
        for name, resource in template["Resources"].items()
        if resource["Type"] not in NOT_HERE and holds.get(resource.get("Condition"), True)
    }
    gone = template["Resources"].keys() - resources.keys()
    outputs = {
        name: {key: value for key, value in output.items() if key != "Condition"}
        for name, output in template["Outputs"].items()
        if not any(_refers(output, missing) for missing in gone)
    }
    decided: Document = _decide(template | {"Resources": resources, "Outputs": outputs}, holds)
    for judged in ("Conditions", "Rules"):
        decided.pop(judged, None)
    return decided


def _refers(node: Any, resource: str) -> bool:
    text = json.dumps(node)
    return f'"{resource}"' in text or f"${{{resource}}}" in text


def _holds(condition: Document, named: Document, values: Mapping[str, Any]) -> bool:
    ((operator, arguments),) = condition.items()
    if operator == "Condition":
        return _holds(named[arguments], named, values)
    if operator == "Fn::Not":
        return not _holds(arguments[0], named, values)
    if operator == "Fn::And":
        return all(_holds(each, named, values) for each in arguments)
    if operator != "Fn::Equals":
        raise BadTemplate(f"the local stack knows no condition {operator}")
    one, other = (values[a["Ref"]] if isinstance(a, dict) else a for a in arguments)
    return bool(one == other)


def _decide(node: Any, holds: Mapping[str, bool]) -> Any:
    """Put one side of each Fn::If in its place."""
    if isinstance(node, dict):
        if node.keys() == {"Fn::If"}:
            condition, yes, no = node["Fn::If"]
            return _decide(yes if holds[condition] else no, holds)
        return {key: _decide(value, holds) for key, value in node.items()}
    if isinstance(node, list):
        return [_decide(item, holds) for item in node]
    return node
