"""Every grant of the template's roles, and how to take one away on the running stack."""

import functools
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from commands.processes import PROJECT
from sam_template import Document, load_sam, translate
from workflow.harness import Fulfilment

Statement = dict[str, Any]


@dataclass(frozen=True)
class TemplateGrant:
    """One action on one resource, by its place in the translated template.

    ``role`` is the role's logical id; the numbers count from 0.
    """

    role: str
    policy: str
    statement: int
    action: str
    resource: int
    resource_text: str

    def __str__(self) -> str:
        return f"{self.role}-{self.action}-{self.resource_text}"


def template_grants(template: Document) -> Iterator[TemplateGrant]:
    for role, resource in template["Resources"].items():
        if resource["Type"] != "AWS::IAM::Role":
            continue
        for policy in resource["Properties"].get("Policies", []):
            statements = listed(policy["PolicyDocument"]["Statement"])
            for number, statement in enumerate(statements):
                for action in listed(statement["Action"]):
                    for place, target in enumerate(listed(statement["Resource"])):
                        yield TemplateGrant(
                            role, policy["PolicyName"], number, action, place, _short(target)
                        )


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def deployed_role(fulfilment: Fulfilment, logical: str) -> str:
    """The name of the role that the shared stack has for that logical id."""
    found = fulfilment.stack.client("iam").list_roles()["Roles"]
    names = [each["RoleName"] for each in found]
    (name,) = [name for name in names if f"minitickets-dev-{logical}-" in name]
    return str(name)


def without(
    fulfilment: Fulfilment, role: str, action: str, resource: str = ""
) -> AbstractContextManager[str]:
    """Without that action of the role; ``resource`` is a part of the text of what it is for."""
    found = [g for g in _of_the_template() if (g.role, g.action) == (role, action)]
    grant = next(g for g in found if resource in g.resource_text)
    return taken_away(fulfilment, deployed_role(fulfilment, role), grant)


@functools.cache
def _of_the_template() -> tuple[TemplateGrant, ...]:
    return tuple(template_grants(translate(load_sam(PROJECT / "template.yaml"))))


@contextmanager
def taken_away(fulfilment: Fulfilment, role: str, grant: TemplateGrant) -> Iterator[str]:
    """Without the grant in the deployed role of this name; gives the ARN that it was for."""
    iam = fulfilment.stack.client("iam")
    name = {"RoleName": role, "PolicyName": grant.policy}
    document = iam.get_role_policy(**name)["PolicyDocument"]
    statements = listed(document["Statement"])
    rest = [
        *statements[: grant.statement],
        *_without(statements[grant.statement], grant),
        *statements[grant.statement + 1 :],
    ]
    if rest:
        _put(iam, name, document | {"Statement": rest})
    else:
        iam.delete_role_policy(**name)
    try:
        yield listed(statements[grant.statement]["Resource"])[grant.resource]
    finally:
        _put(iam, name, document)


def _without(statement: Statement, grant: TemplateGrant) -> Iterator[Statement]:
    """What is left of a statement: its other actions, and the action on its other resources."""
    resources = listed(statement["Resource"])
    left = [target for place, target in enumerate(resources) if place != grant.resource]
    others = [action for action in listed(statement["Action"]) if action != grant.action]
    if others:
        yield statement | {"Action": others}
    if left:
        yield statement | {"Action": grant.action, "Resource": left}


def _put(iam: Any, name: dict[str, str], document: Document) -> None:
    iam.put_role_policy(**name, PolicyDocument=json.dumps(document))


def _short(target: Any) -> str:
    """An id for the test: the logical id, or the end of the ARN."""
    match target:
        case {"Fn::GetAtt": [logical, *_]} | {"Ref": logical}:
            return str(logical)
        case {"Fn::Sub": text}:
            return str(text).rpartition(":")[2]
    return str(target)
