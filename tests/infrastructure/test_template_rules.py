"""Each rule of the template finds what breaks it: the template with one thing wrong, a rule each.

The one thing is changed in the real template, so a rule that looks in the wrong place fails here.
"""

import copy
from pathlib import Path
from typing import Any

import pytest

from checks import template_rules as rules
from checks.linted_template import check_template
from checks.security_scan import ACCEPTED, Accepted, judge, scan
from sam_template import load_sam, translate

PROJECT = Path(__file__).resolve().parents[2]
SAM = load_sam(PROJECT / "template.yaml")
TRANSLATED = translate(SAM)


@pytest.fixture
def template() -> dict[str, Any]:
    return copy.deepcopy(TRANSLATED)


def found(rule: rules.Rule, template: dict[str, Any]) -> list[str]:
    return list(rule(template))


def alarm(template: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = template["Resources"]["DeadLettersAlarm"]["Properties"]
    return properties


@pytest.mark.parametrize("rule", rules.RULES)
def test_the_template_keeps_the_rule(rule, template):
    assert found(rule, template) == []


def test_the_template_names_no_place():
    assert list(rules.names_no_place(SAM)) == []


@pytest.mark.parametrize(
    ("literal", "named"),
    [
        ("arn:aws:sqs:${AWS::Region}:x", "partition"),
        ("arn:aws-cn:sqs:${AWS::Region}:x", "partition"),
        ("https://console.aws.amazon.com/?region=eu-west-1", "region"),
        ("us-gov-east-1", "region"),
        ("arn:${AWS::Partition}:iam::123456789012:root", "account"),
        (123456789012, "account"),
    ],
)
def test_a_place_in_a_deep_corner_is_found(literal, named):
    sam = copy.deepcopy(SAM)
    sam["Resources"]["AlarmTopic"]["Properties"]["Deep"] = [{"er": {"Fn::Sub": literal}}]
    (finding,) = rules.names_no_place(sam)
    assert f"names a {named}" in finding


def test_a_place_in_the_workflow_is_found():
    sam = copy.deepcopy(SAM)
    machine = sam["Resources"]["FulfilBookingStateMachine"]["Properties"]["Definition"]
    machine["States"]["AcceptBooking"]["Resource"] = "arn:aws:states:::lambda:invoke"
    assert len(list(rules.names_no_place(sam))) == 1


@pytest.mark.parametrize(
    "name",
    ["BookingQueue", "BookingPipe", "AcceptBookingRole", "AcceptBookingLogGroup", "AlarmKey",
     "AcceptBookingFunction", "FulfilBookingStateMachine", "TicketsTable", "TicketImagesBucket",
     "AlarmTopic", "DeadLettersAlarm", "Dashboard", "FailedExecutionRule", "EmailConfigurationSet"],
)  # fmt: skip
def test_a_resource_without_its_tags_is_found(template, name):
    del template["Resources"][name]["Properties"]["Tags"]
    assert found(rules.is_tagged, template) == [f"{name} lacks a tag Application or Stage"]


def test_a_tag_alone_is_not_enough(template):
    template["Resources"]["BookingQueue"]["Properties"]["Tags"].pop()
    assert len(found(rules.is_tagged, template)) == 1


@pytest.mark.parametrize("name", ["TicketsTable", "ProcessedJobsTable", "TicketImagesBucket"])
def test_a_store_that_would_go_with_the_stack_is_found(template, name):
    resource = template["Resources"][name]
    resource["DeletionPolicy"] = resource["UpdateReplacePolicy"] = "Delete"
    assert found(rules.is_kept, template) == [
        f"{name} is deleted with the stack",
        f"{name} is deleted when an update replaces it",
    ]
    del resource["DeletionPolicy"], resource["UpdateReplacePolicy"]
    assert len(found(rules.is_kept, template)) == 2


def test_a_store_without_a_fixed_name_is_found(template):
    del template["Resources"]["TicketsTable"]["Properties"]["TableName"]
    assert len(found(rules.is_kept, template)) == 1


def test_a_log_group_that_never_forgets_is_found(template):
    del template["Resources"]["BookingPipeLogGroup"]["Properties"]["RetentionInDays"]
    assert len(found(rules.forgets_its_logs, template)) == 1


@pytest.mark.parametrize(
    ("policy", "names"),
    [
        ("BookingQueuesPolicy", {"BookingQueue", "BookingDeadLetterQueue"}),
        ("TicketImagesBucketPolicy", {"TicketImagesBucket"}),
        ("AlarmTopicPolicy", {"AlarmTopic"}),
    ],
)
@pytest.mark.parametrize("way", ["no policy", "allows", "other principal", "TLS", "elsewhere"])
def test_what_answers_in_plain_text_is_found(template, policy, names, way):
    statement = template["Resources"][policy]["Properties"]["PolicyDocument"]["Statement"][-1]
    assert statement["Sid"] == "OnlyOverTls"
    match way:
        case "no policy":
            del template["Resources"][policy]
        case "allows":
            statement["Effect"] = "Allow"
        case "other principal":
            statement["Principal"] = {"Service": "lambda.amazonaws.com"}
        case "TLS":
            statement["Condition"]["Bool"]["aws:SecureTransport"] = True
        case "elsewhere":
            statement["Resource"] = [{"Ref": "Dashboard"}]
    findings = found(rules.refuses_plain_text, template)
    assert len(findings) == len(names)
    for name in names:
        assert any(f"requests to {name} " in finding for finding in findings)


def test_one_queue_left_out_of_the_policy_is_found(template):
    policy = template["Resources"]["BookingQueuesPolicy"]["Properties"]["PolicyDocument"]
    policy["Statement"][0]["Resource"].pop()
    (finding,) = found(rules.refuses_plain_text, template)
    assert "requests to BookingDeadLetterQueue " in finding


@pytest.mark.parametrize("silent", [{"AlarmActions": []}, {"ActionsEnabled": False}], ids=str)
def test_an_alarm_that_tells_nobody_is_found(template, silent):
    alarm(template).update(silent)
    assert found(rules.alarm_says_what_to_do, template) == ["DeadLettersAlarm tells nobody"]


def test_an_alarm_that_leaves_open_what_no_data_means_is_found(template):
    del alarm(template)["TreatMissingData"]
    assert len(found(rules.alarm_says_what_to_do, template)) == 1


@pytest.mark.parametrize(
    ("description", "finding"),
    [
        ("`minitickets executions`", "does not say what to do"),
        ("Look around until you know what it may be.", "names no command"),
        ("Now type `minitickets dead-letter` and read it.", "no command minitickets dead-letter"),
        ("Now type `minitickets dead-letters --send` soon.", "has no option --send"),
    ],
)
def test_an_alarm_that_is_no_help_is_found(template, description, finding):
    alarm(template)["AlarmDescription"] = description
    (line,) = found(rules.alarm_says_what_to_do, template)
    assert finding in line


def test_cfn_lint_sees_a_reference_that_breaks_only_without_compute(tmp_path):
    """So both values of ComputeEnabled are linted."""
    text = (PROJECT / "template.yaml").read_text(encoding="utf-8")
    wanted = "      Queues: [!Ref BookingQueue, !Ref BookingDeadLetterQueue]\n"
    assert text.count(wanted) == 1
    (tmp_path / "statemachines").symlink_to(PROJECT / "statemachines")
    broken = tmp_path / "template.yaml"
    broken.write_text(text.replace(wanted, "      Queues: [!Ref AcceptBookingFunction]\n"))
    findings = check_template(broken)
    assert any("AcceptBookingFunction" in f and "'Computes' is False" in f for f in findings)


def test_the_scanner_finds_nothing_that_is_not_accepted(template):
    assert judge(scan(template), ACCEPTED) == []


def too_wide(template: dict[str, Any], case: str) -> None:
    resources = template["Resources"]
    match case:
        case "every action":
            policy = resources["SendEmailRole"]["Properties"]["Policies"][0]["PolicyDocument"]
            policy["Statement"][0]["Action"] = ["dynamodb:*"]
        case "every table":
            policy = resources["SendEmailRole"]["Properties"]["Policies"][0]["PolicyDocument"]
            policy["Statement"][0]["Resource"] = "*"
        case "open queue":
            statement = resources["BookingQueuesPolicy"]["Properties"]["PolicyDocument"][
                "Statement"
            ]
            statement[0] |= {"Effect": "Allow", "Condition": {}}
        case "open topic":
            statement = resources["AlarmTopicPolicy"]["Properties"]["PolicyDocument"]["Statement"]
            statement[0] |= {"Principal": "*", "Action": "sns:*", "Condition": {}}
        case "public bucket":
            resources["TicketImagesBucket"]["Properties"]["AccessControl"] = "PublicRead"
        case "foreign account":
            trust = resources["SendEmailRole"]["Properties"]["AssumeRolePolicyDocument"]
            trust["Statement"][0]["Principal"] = {"AWS": "arn:aws:iam::999999999999:root"}


@pytest.mark.parametrize(
    "case",
    ["every action", "every table", "open queue", "open topic", "public bucket", "foreign account"],
)
def test_the_scanner_finds_access_that_is_too_wide(template, case):
    too_wide(template, case)
    assert judge(scan(template), ACCEPTED)


def test_a_finding_of_the_scanner_that_nobody_accepted_stays():
    (accepted, *_) = ACCEPTED
    findings = [(a.rule, a.resource, a.about) for a in ACCEPTED]
    assert judge(findings, ACCEPTED) == []
    other = (accepted.rule, "BookingQueue", "wildcard")
    assert judge([*findings, other], ACCEPTED) == [f"BookingQueue: wildcard [{accepted.rule}]"]
    # The same rule on the same resource about something else is a finding too.
    new = ("WildcardResourceRule", "FulfilBookingRole", 'wildcard for "dynamodb:PutItem"')
    assert len(judge([*findings, new], ACCEPTED)) == 1


def test_what_is_accepted_in_vain_is_said():
    mine = Accepted("SomeRule", "BookingQueue", "x", "because")
    (line,) = judge([], [mine])
    assert "nothing finds it" in line
