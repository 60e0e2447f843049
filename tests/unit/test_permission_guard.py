"""The guard reads a role's policies anew each time, and remembers which of them were of use."""

import json

import pytest

from local_stack.permissions.guard import Caller, Guard
from local_stack.permissions.policy import Grant, Need, PolicyError

TABLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/tickets"
PUT = Grant("dynamodb:PutItem", TABLE)
GET = Grant("dynamodb:GetItem", TABLE)
CALLER = Caller("steps", "one")


def policy(*grants, **elements):
    statements = [
        {"Effect": "Allow", "Action": grant.action, "Resource": grant.resource} | elements
        for grant in grants
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


def need(grant):
    return Need(grant.action, grant.resource)


@pytest.fixture
def policies():
    return {"steps": (policy(PUT, GET),)}


@pytest.fixture
def guard(policies):
    return Guard(policies.__getitem__)


def test_only_the_grants_that_allowed_something_are_used(guard):
    assert guard.granted("steps") == {PUT, GET}
    assert guard.why_not(CALLER, need(PUT)) is None
    assert guard.used == {("steps", PUT)}


def test_a_refusal_uses_nothing(guard):
    assert guard.why_not(CALLER, Need("dynamodb:DeleteItem", TABLE))
    assert guard.used == set()


def test_all_needs_have_to_be_granted_and_the_first_that_is_not_is_named(guard):
    refused = guard.why_not(CALLER, need(PUT), Need("dynamodb:Scan", TABLE), need(GET))
    assert refused == (
        "User: arn:aws:sts::123456789012:assumed-role/steps/one is not authorized to perform: "
        f"dynamodb:Scan on resource: {TABLE} because no identity-based policy allows the "
        "dynamodb:Scan action"
    )
    assert guard.used == set()


def test_a_changed_policy_counts_from_then_on(guard, policies):
    assert guard.why_not(CALLER, need(PUT)) is None
    policies["steps"] = (policy(GET),)
    assert guard.why_not(CALLER, need(PUT))
    policies["steps"] = (policy(GET), policy(PUT))
    assert guard.why_not(CALLER, need(PUT)) is None


def test_a_role_without_a_policy_may_nothing(guard, policies):
    policies["steps"] = ()
    assert guard.why_not(CALLER, need(PUT))
    guard.check(["steps"])


def test_a_policy_that_cannot_be_enforced_is_found_at_the_start_in_a_sentence(guard, policies):
    policies["steps"] = (policy(PUT, Condition={"Bool": {"aws:SecureTransport": "true"}}),)
    with pytest.raises(PolicyError) as refused:
        guard.check(["steps"])
    assert str(refused.value) == (
        "A policy of the role steps cannot be enforced: a Condition has Bool, which the local "
        "stack does not know."
    )
    assert guard.why_not(CALLER, need(PUT)) == str(refused.value)
