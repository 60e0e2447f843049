"""What the template promises beside what linters know: each rule finds what breaks it.

A rule takes the translated template and gives a sentence for each finding. Values may be
CloudFormation's functions in their long form.
"""

import importlib
import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sam_template import load_sam, translate

Document = dict[str, Any]
Rule = Callable[[Document], Iterator[str]]

REGION = "eu-west-1"
STATEFUL = {"AWS::DynamoDB::Table": "TableName", "AWS::S3::Bucket": "BucketName"}
# What may be asked over the network, and the policy that can refuse what is not TLS.
ASKED = {
    "AWS::S3::Bucket": "AWS::S3::BucketPolicy",
    "AWS::SNS::Topic": "AWS::SNS::TopicPolicy",
    "AWS::SQS::Queue": "AWS::SQS::QueuePolicy",
}
_LITERALS = {
    "partition": re.compile(r"arn:aws\b"),
    "region": re.compile(r"\b(?:af|ap|ca|cn|eu|il|me|mx|sa|us)(?:-gov)?-[a-z]+-\d\b"),
    "account": re.compile(r"\b\d{12}\b"),
}
_COMMAND = re.compile(r"`(minitickets [^`]+)`")


def check_rules(path: Path) -> list[str]:
    """What breaks a rule in a SAM template; raises what sam_template raises."""
    sam = load_sam(path)
    template = translate(sam, REGION)
    return [*names_no_place(sam), *(finding for rule in RULES for finding in rule(template))]


def names_no_place(sam: Document) -> Iterator[str]:
    """The same template serves every partition, region and account. Reads the untranslated one."""
    for text in _texts(sam):
        for what, literal in _LITERALS.items():
            if literal.search(text):
                yield f"{text!r} names a {what}; take it from AWS::{what.capitalize()}"


def is_tagged(template: Document) -> Iterator[str]:
    """Whatever takes tags says whose it is and of which stage."""
    for name, resource in template["Resources"].items():
        keys = _tags(resource.get("Properties", {}))
        if _takes_tags(resource["Type"]) and not {"Application", "Stage"} <= keys:
            yield f"{name} lacks a tag Application or Stage"


def is_kept(template: Document) -> Iterator[str]:
    """What holds tickets outlives the stack, and no update can replace it unseen."""
    for kind, fixed_name in STATEFUL.items():
        for name, resource in _of_type(template, kind):
            if resource.get("DeletionPolicy") not in ("Retain", "RetainExceptOnCreate"):
                yield f"{name} is deleted with the stack"
            if resource.get("UpdateReplacePolicy") != "Retain":
                yield f"{name} is deleted when an update replaces it"
            if fixed_name not in resource["Properties"]:
                yield f"{name} has no {fixed_name}, so an update could replace it"


def forgets_its_logs(template: Document) -> Iterator[str]:
    for name, resource in _of_type(template, "AWS::Logs::LogGroup"):
        if "RetentionInDays" not in resource["Properties"]:
            yield f"{name} keeps its lines for ever"


def refuses_plain_text(template: Document) -> Iterator[str]:
    """Queues, buckets and topics answer over TLS only."""
    for kind, policy_kind in ASKED.items():
        refusing = [
            json.dumps(statement["Resource"])
            for _, policy in _of_type(template, policy_kind)
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]
            if _refuses_plain_text(statement)
        ]
        for name, _ in _of_type(template, kind):
            if not any(f'"{name}"' in resources for resources in refusing):
                yield f"no {policy_kind} refuses requests to {name} that are not TLS"


def alarm_says_what_to_do(template: Document) -> Iterator[str]:
    """Somebody is told, in a sentence that names a command which exists."""
    for name, resource in _of_type(template, "AWS::CloudWatch::Alarm"):
        alarm = resource["Properties"]
        description = alarm.get("AlarmDescription", "")
        if not alarm.get("AlarmActions") or alarm.get("ActionsEnabled") is False:
            yield f"{name} tells nobody"
        if len(description) <= 30:
            yield f"{name} does not say what to do"
        if "TreatMissingData" not in alarm:
            yield f"{name} leaves open what no data means"
        commands = _COMMAND.findall(description)
        if not commands:
            yield f"{name} names no command of minitickets"
        for command in commands:
            yield from (f"{name}: {wrong}" for wrong in _wrong_command(command))


RULES: tuple[Rule, ...] = (
    is_tagged,
    is_kept,
    forgets_its_logs,
    refuses_plain_text,
    alarm_says_what_to_do,
)


def _wrong_command(line: str) -> Iterator[str]:
    """What is wrong with a command line of minitickets: its command or its options."""
    _, name, *rest = shlex.split(line)
    module = name.replace("-", "_")
    try:
        command = getattr(importlib.import_module(f"operations.commands.{module}"), module)
    except ModuleNotFoundError:
        yield f"there is no command minitickets {name}"
        return
    known = {option for parameter in command.params for option in parameter.opts}
    for option in (word for word in rest if word.startswith("--")):
        if option not in known:
            yield f"minitickets {name} has no option {option}"


def _refuses_plain_text(statement: Document) -> bool:
    secure = statement.get("Condition", {}).get("Bool", {}).get("aws:SecureTransport")
    return (
        statement["Effect"] == "Deny"
        and statement["Principal"] == "*"
        and str(secure).lower() == "false"
    )


def _tags(properties: Document) -> set[str]:
    """The keys; those of an HTTP API may stand in its definition, where SAM puts them."""
    if "Body" in properties:
        return {tag["name"] for tag in properties["Body"].get("tags", [])}
    tags = properties.get("Tags", [])
    return set(tags) if isinstance(tags, dict) else {tag["Key"] for tag in tags}


def _takes_tags(kind: str) -> bool:
    from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(REGION, kind).schema
    return bool(schema.get("tagging", {}).get("taggable", "Tags" in schema["properties"]))


def _of_type(template: Document, kind: str) -> Iterator[tuple[str, Document]]:
    return ((n, r) for n, r in template["Resources"].items() if r["Type"] == kind)


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _texts(value)
            yield str(key)
    elif isinstance(node, list):
        for item in node:
            yield from _texts(item)
    else:
        yield str(node)
