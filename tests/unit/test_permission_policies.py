"""Policies are judged as IAM documents it.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
"""

import json
import re

import pytest

from local_stack.permissions.policy import Grant, Need, PolicyError, judge, read_policy

TABLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/tickets"


def policy(*statements, **elements):
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)} | elements)


def allow(action="dynamodb:PutItem", resource=TABLE, **elements):
    return {"Effect": "Allow", "Action": action, "Resource": resource} | elements


def deny(action="dynamodb:PutItem", resource=TABLE, **elements):
    return allow(action, resource, **elements) | {"Effect": "Deny"}


def allowed(statements, action="dynamodb:PutItem", resource=TABLE, context=()):
    return judge((policy(*statements),), Need(action, resource, context)).allowed


def test_nothing_is_allowed_that_no_statement_allows():
    assert not judge((), Need("dynamodb:PutItem", TABLE)).allowed
    assert not allowed([allow("dynamodb:GetItem")])
    assert not allowed([allow(resource=f"{TABLE}-of-another")])
    assert allowed([allow()])


def test_action_and_resource_have_to_be_in_the_same_statement():
    other = "arn:aws:dynamodb:eu-west-1:123456789012:table/jobs"
    assert not allowed([allow("dynamodb:GetItem", TABLE), allow("dynamodb:PutItem", other)])


@pytest.mark.parametrize("order", [[allow(), deny()], [deny(), allow()]])
def test_an_explicit_deny_wins_whatever_the_order(order):
    assert not allowed(order)
    verdict = judge(tuple(policy(each) for each in order), Need("dynamodb:PutItem", TABLE))
    assert (verdict.allowed, verdict.denied) == (False, True)


def test_a_deny_of_something_else_denies_nothing():
    assert allowed([allow(), deny("dynamodb:DeleteItem")])


@pytest.mark.parametrize(
    ("pattern", "action"),
    [
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_action.html
        ("s3:GetObject", "s3:GetObject"),
        ("S3:getobject", "s3:GetObject"),
        ("iam:ListAccessKeys", "IAM:listaccesskeys"),
        ("iam:*AccessKey*", "iam:CreateAccessKey"),
        ("iam:*AccessKey*", "iam:UpdateAccessKeys"),
        ("sqs:*", "sqs:SendMessage"),
        ("*", "sqs:SendMessage"),
        ("ec2:Describe?nstances", "ec2:DescribeInstances"),
    ],
)
def test_an_action_matches_without_case_and_by_wildcards(pattern, action):
    assert allowed([allow(pattern, "*")], action)


@pytest.mark.parametrize(
    ("pattern", "action"),
    [
        ("s3:GetObject", "s3:GetObjectAcl"),
        ("s3:GetObjectAcl", "s3:GetObject"),
        ("iam:*AccessKey*", "iam:CreateUser"),
        ("s3:Get.bject", "s3:GetObject"),
        ("s3:?", "s3:GetObject"),
        ("s3:*", "sqs:SendMessage"),
    ],
)
def test_an_action_that_does_not_match_is_not_allowed(pattern, action):
    assert not allowed([allow(pattern, "*")], action)


@pytest.mark.parametrize(
    ("pattern", "resource"),
    [
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_resource.html
        ("arn:aws:s3:::examplebucket/*", "arn:aws:s3:::examplebucket/2023/image.png"),
        ("arn:aws:s3:::examplebucket/*/test/*", "arn:aws:s3:::examplebucket/1/test/object.jpg"),
        ("arn:aws:s3:::examplebucket/*/test/*", "arn:aws:s3:::examplebucket/1/2/test/object.jpg"),
        ("arn:aws:s3:::examplebucket/*/test/*", "arn:aws:s3:::examplebucket//test/object.jpg"),
        ("arn:aws:sqs:*:123456789012:q?", "arn:aws:sqs:us-east-2:123456789012:q1"),
        ("*", "arn:aws:sqs:us-east-2:123456789012:queue1"),
        (
            "arn:aws:logs:eu-west-1:123456789012:log-group:/aws/lambda/f:*",
            "arn:aws:logs:eu-west-1:123456789012:log-group:/aws/lambda/f:log-stream:2026/[$LATEST]1",
        ),
    ],
)
def test_a_resource_matches_by_wildcards(pattern, resource):
    assert allowed([allow("x:Y", pattern)], "x:Y", resource)


@pytest.mark.parametrize(
    ("pattern", "resource"),
    [
        ("arn:aws:s3:::examplebucket/*", "arn:aws:s3:::examplebucket"),
        ("arn:aws:s3:::examplebucket/*/test/*", "arn:aws:s3:::examplebucket/1-test/object.jpg"),
        ("arn:aws:s3:::ExampleBucket/*", "arn:aws:s3:::examplebucket/2023/image.png"),
        (TABLE, TABLE.upper()),
        (TABLE, f"{TABLE}/index/by-event-date"),
        ("arn:aws:sqs:*:queue1:*", "arn:aws:sqs:us-east-2:123456789012:queue1"),
        ("arn:aws:sqs:us-east-2:123456789012:q?", "arn:aws:sqs:us-east-2:123456789012:q12"),
        (
            "arn:aws:logs:eu-west-1:123456789012:log-group:/aws/lambda/f:*",
            "arn:aws:logs:eu-west-1:123456789012:log-group:/aws/lambda/f2:log-stream:1",
        ),
    ],
)
def test_a_resource_has_case_and_its_wildcards_stay_within_a_field(pattern, resource):
    assert not allowed([allow("x:Y", pattern)], "x:Y", resource)


FROM = "ses:FromAddress"


@pytest.mark.parametrize(
    ("condition", "sender", "holds"),
    [
        # https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
        ({"StringEquals": {FROM: "a@x.example"}}, "a@x.example", True),
        ({"StringEquals": {FROM: "a@x.example"}}, "A@x.example", False),
        ({"StringEquals": {FROM: "*@x.example"}}, "a@x.example", False),
        ({"StringEquals": {FROM: ["b@x.example", "a@x.example"]}}, "a@x.example", True),
        ({"StringEquals": {"SES:fromaddress": "a@x.example"}}, "a@x.example", True),
        ({"StringLike": {FROM: "*@x.example"}}, "a@x.example", True),
        ({"StringLike": {FROM: "*@x.example"}}, "a@y.example", False),
        ({"StringLike": {FROM: "a*"}, "StringEquals": {FROM: "ab"}}, "ab", True),
        ({"StringLike": {FROM: "a*"}, "StringEquals": {FROM: "ab"}}, "ac", False),
        ({"StringEquals": {FROM: "a@x.example"}}, None, False),
    ],
)
def test_a_condition_has_to_hold(condition, sender, holds):
    context = ((FROM, sender),) if sender else ()
    assert allowed([allow("*", "*", Condition=condition)], context=context) == holds


def test_a_deny_counts_only_where_its_condition_holds():
    statements = [allow("*", "*"), deny("*", "*", Condition={"StringEquals": {FROM: "a"}})]
    assert not allowed(statements, context=((FROM, "a"),))
    assert allowed(statements, context=((FROM, "b"),))
    assert allowed(statements)


def test_the_grants_that_allow_are_named_as_they_are_written():
    statements = policy(allow(["dynamodb:Put*", "dynamodb:GetItem"], [TABLE, "*"]))
    assert judge((statements,), Need("dynamodb:PutItem", TABLE)).grants == (
        Grant("dynamodb:Put*", TABLE),
        Grant("dynamodb:Put*", "*"),
    )


UNKNOWN = [
    (policy({"Effect": "Allow", "NotAction": "s3:*", "Resource": "*"}), "NotAction"),
    (policy({"Effect": "Allow", "Action": "s3:*", "NotResource": TABLE}), "NotResource"),
    (policy(allow(Principal="*")), "Principal"),
    (policy({"Effect": "Allow", "Action": "s3:*"}), "Resource"),
    (policy({"Effect": "Allow", "Resource": "*"}), "Action"),
    (policy({"Action": "s3:*", "Resource": "*"}), "Effect"),
    (policy(allow(Effect="allow")), "'allow'"),
    (policy(allow(), Version="2008-10-17"), "2008-10-17"),
    (json.dumps({"Statement": [allow()]}), "version"),
    (policy(allow(), Extra=1), "Extra"),
    (policy(allow(resource="arn:aws:sqs")), "arn:aws:sqs"),
    (policy(allow(resource="tickets")), "tickets"),
    (policy(allow(resource=TABLE + "/${aws:username}")), "aws:username"),
    (policy(allow(Condition={"StringNotEquals": {FROM: "a"}})), "StringNotEquals"),
    (policy(allow(Condition={"StringEqualsIfExists": {FROM: "a"}})), "StringEqualsIfExists"),
    (policy(allow(Condition={"ForAllValues:StringLike": {FROM: "a"}})), "ForAllValues:StringLike"),
    (policy(allow(Condition={"StringEquals": {"aws:SourceIp": "::1"}})), "aws:SourceIp"),
    (policy(allow(Condition={"StringEquals": {FROM: True}})), "True"),
]


@pytest.mark.parametrize(("text", "named"), UNKNOWN, ids=[named for _, named in UNKNOWN])
def test_what_is_not_understood_is_refused_and_named(text, named):
    with pytest.raises(PolicyError, match=re.escape(named)):
        read_policy(text)


def test_a_single_statement_needs_no_list():
    text = json.dumps({"Version": "2012-10-17", "Statement": allow(Sid="One")})
    assert judge((text,), Need("dynamodb:PutItem", TABLE)).allowed
