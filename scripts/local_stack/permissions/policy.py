"""An IAM policy's text, and what it says of a request.

Nothing is allowed unless a statement allows it, and a Deny wins over every Allow:
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html. What this
module does not know in a policy it refuses, so that nothing is allowed by mistake.
"""

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from local_stack.permissions.conditions import KEYS, OPERATORS, Condition, Context, holds
from local_stack.permissions.patterns import action_matches, arn_matches, is_arn

_VERSION = "2012-10-17"
_POLICY_ELEMENTS = {"Version", "Id", "Statement"}
_STATEMENT_ELEMENTS = {"Sid", "Effect", "Action", "Resource", "Condition"}


class PolicyError(ValueError):
    """A policy that the local stack cannot judge by; the message is a sentence that says why."""


@dataclass(frozen=True)
class Need:
    """What a request needs to be allowed: one action on one resource, in its context."""

    action: str
    resource: str
    context: Context = ()


@dataclass(frozen=True)
class Grant:
    """An action with a resource, as a statement that allows them writes them."""

    action: str
    resource: str


@dataclass(frozen=True)
class Verdict:
    """``grants`` are those that allow the need; ``denied`` says that a statement denies it."""

    grants: tuple[Grant, ...]
    denied: bool

    @property
    def allowed(self) -> bool:
        return bool(self.grants) and not self.denied


@dataclass(frozen=True)
class Statement:
    allows: bool
    actions: tuple[str, ...]
    resources: tuple[str, ...]
    condition: Condition

    def grants(self) -> Iterable[Grant]:
        return (Grant(action, resource) for action in self.actions for resource in self.resources)

    def matching(self, need: Need) -> list[Grant]:
        """Its pairs of action and resource that fit the need."""
        if not holds(self.condition, need.context):
            return []
        return [
            grant
            for grant in self.grants()
            if action_matches(grant.action, need.action)
            and arn_matches(grant.resource, need.resource)
        ]


@functools.lru_cache(maxsize=8192)
def judge(policies: tuple[str, ...], need: Need) -> Verdict:
    """What the policies' texts together say of the need. Raises PolicyError."""
    fitting = [
        (statement.allows, grant)
        for policy in policies
        for statement in read_policy(policy)
        for grant in statement.matching(need)
    ]
    return Verdict(
        grants=tuple(grant for allows, grant in fitting if allows),
        denied=not all(allows for allows, _ in fitting),
    )


@functools.cache
def read_policy(text: str) -> tuple[Statement, ...]:
    """The statements of a policy. Raises PolicyError for what this module does not know."""
    policy = json.loads(text)
    _refuse_unknown("a policy", policy.keys() - _POLICY_ELEMENTS)
    if policy.get("Version") != _VERSION:
        raise PolicyError(f"it is of the version {policy.get('Version')}, not of {_VERSION}")
    statements = policy["Statement"]
    return tuple(
        _statement(each) for each in ([statements] if isinstance(statements, dict) else statements)
    )


def _statement(given: dict[str, Any]) -> Statement:
    _refuse_unknown("a statement", given.keys() - _STATEMENT_ELEMENTS)
    missing = {"Effect", "Action", "Resource"} - given.keys()
    if missing:
        raise PolicyError(f"a statement has no {', '.join(sorted(missing))}")
    if given["Effect"] not in ("Allow", "Deny"):
        raise PolicyError(f"a statement has the Effect {given['Effect']!r}")
    resources = _listed(given["Resource"])
    for resource in resources:
        if resource != "*" and not is_arn(resource):
            raise PolicyError(f"the Resource {resource!r} is no whole ARN")
    return Statement(
        allows=given["Effect"] == "Allow",
        actions=_listed(given["Action"]),
        resources=resources,
        condition=_condition(given.get("Condition", {})),
    )


def _condition(given: dict[str, dict[str, Any]]) -> Condition:
    _refuse_unknown("a Condition", given.keys() - OPERATORS.keys())
    known = {key.lower() for key in KEYS}
    for keys in given.values():
        _refuse_unknown("a Condition", {key for key in keys if key.lower() not in known})
    return {
        name: {key: _listed(values) for key, values in keys.items()} for name, keys in given.items()
    }


def _listed(value: Any) -> tuple[str, ...]:
    values = tuple(value) if isinstance(value, list) else (value,)
    for each in values:
        if not isinstance(each, str):
            raise PolicyError(f"{each!r} is no text")
        if "${" in each:
            raise PolicyError(
                f"{each!r} holds a policy variable, which the local stack does not know"
            )
    return values


def _refuse_unknown(where: str, names: Iterable[str]) -> None:
    unknown = sorted(names)
    if unknown:
        raise PolicyError(f"{where} has {', '.join(unknown)}, which the local stack does not know")
