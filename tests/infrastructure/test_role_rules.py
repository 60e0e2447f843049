"""The rule of least privilege finds what breaks it, and nothing in the template does."""

from pathlib import Path

import pytest

from checks.role_rules import TAKES_NO_RESOURCE, names_what_it_grants
from sam_template import load_sam, translate

PROJECT = Path(__file__).resolve().parents[2]


def role(statement, **declared):
    policy = {"PolicyName": "p", "PolicyDocument": {"Statement": statement}}
    properties = {"Policies": [policy]} | declared
    return {"Resources": {"TheRole": {"Type": "AWS::IAM::Role", "Properties": properties}}}


def allow(action="s3:PutObject", resource="arn:aws:s3:::b/*", **elements):
    return {"Effect": "Allow", "Action": action, "Resource": resource} | elements


def test_every_role_of_the_template_names_what_it_grants():
    template = translate(load_sam(PROJECT / "template.yaml"))
    assert list(names_what_it_grants(template)) == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (allow("s3:*"), "grants the action s3:*"),
        (allow(["s3:PutObject", "s3:Get*"]), "grants the action s3:Get*"),
        (allow("s3:?etObject"), "grants the action s3:?etObject"),
        (allow(resource="*"), "grants s3:PutObject on every resource"),
        (allow(resource=["arn:aws:s3:::b/*", "*"]), "grants s3:PutObject on every resource"),
        (allow(["xray:PutTraceSegments", "s3:PutObject"], "*"), "grants s3:PutObject on every"),
        ([allow(), allow("s3:*")], "grants the action s3:*"),
        ({"Effect": "Allow", "NotAction": "s3:PutObject", "Resource": []}, "grants by NotAction"),
        ({"Effect": "Allow", "Action": [], "NotResource": "x"}, "grants by NotResource"),
    ],
)
def test_a_grant_of_more_than_is_named_is_found(statement, found):
    (finding,) = names_what_it_grants(role(statement))
    assert finding.startswith(f"TheRole {found}")


@pytest.mark.parametrize(
    "statement",
    [
        allow(),
        allow("xray:PutTraceSegments", "*"),
        {"Effect": "Deny", "Action": "*", "Resource": "*"},
    ],
)
def test_what_is_named_or_denied_is_not_found(statement):
    assert list(names_what_it_grants(role(statement))) == []


def test_a_managed_policy_is_found():
    (finding,) = names_what_it_grants(role([], ManagedPolicyArns=["arn:aws:iam::aws:policy/X"]))
    assert "managed policy" in finding


def test_each_action_without_a_resource_has_its_source():
    assert all(
        source.startswith("https://docs.aws.amazon.com/") for source in TAKES_NO_RESOURCE.values()
    )
