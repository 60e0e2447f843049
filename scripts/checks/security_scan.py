"""The template as cfripper's rules see it: access that is too wide, and secrets in the open."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sam_template import load_sam, translate


@dataclass(frozen=True)
class Accepted:
    """A finding that is meant: ``about`` is a part of its text."""

    rule: str
    resource: str
    about: str
    because: str


ACCEPTED = (
    Accepted(
        "GenericResourceWildcardPolicyRule",
        "AlarmKey",
        "wildcard",
        "the account must be able to manage its key; GenerateDataKey* is AWS's own wording",
    ),
    Accepted(
        "S3LifecycleConfigurationRule",
        "TicketImagesBucket",
        "LifecycleConfiguration",
        "a ticket is kept until its owner says otherwise",
    ),
    Accepted(
        "S3ObjectVersioningRule",
        "TicketImagesBucket",
        "versioning",
        "an image is drawn from its record, and drawn again with the same bytes by a rerun",
    ),
    *(
        Accepted(
            "WildcardResourceRule",
            role,
            f'"logs:{action}"',
            "log delivery takes no resource: "
            "https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html",
        )
        for role in ("FulfilBookingRole", "ReconcileTicketsRole")
        for action in (
            "CreateLogDelivery",
            "DeleteLogDelivery",
            "DescribeLogGroups",
            "DescribeResourcePolicies",
            "GetLogDelivery",
            "ListLogDeliveries",
            "PutResourcePolicy",
            "UpdateLogDelivery",
        )
    ),
)


def check_security(path: Path) -> list[str]:
    """What cfripper finds in a SAM template and nobody accepted, and what is accepted in vain."""
    return judge(scan(translate(load_sam(path))), ACCEPTED)


def scan(template: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Rule, resource and text of each finding in a translated template."""
    import pycfmodel
    from cfripper.config.config import Config
    from cfripper.rule_processor import RuleProcessor
    from cfripper.rules import DEFAULT_RULES

    # Alarms grant nothing, and cfripper's model of them takes whole thresholds only.
    resources = {
        name: resource
        for name, resource in template["Resources"].items()
        if resource["Type"] != "AWS::CloudWatch::Alarm"
    }
    account = "123456789012"
    config = Config(rules=list(DEFAULT_RULES), aws_account_id=account)
    rules = RuleProcessor(*(DEFAULT_RULES[name](config) for name in config.rules))
    logging.disable(logging.WARNING)  # it warns of every type and reference that it does not know
    try:
        model = pycfmodel.parse(template | {"Resources": resources})
        result = rules.process_cf_template(model.resolve({"AWS::AccountId": account}), config)
    finally:
        logging.disable(logging.NOTSET)
    return [
        *(
            (failure.rule, ", ".join(sorted(failure.resource_ids or ())), failure.reason)
            for failure in result.failures
        ),
        *(("broken", "", str(error)) for error in result.exceptions),
    ]


def judge(findings: Iterable[tuple[str, str, str]], accepted: Iterable[Accepted]) -> list[str]:
    """The findings that are not accepted; and what is accepted although nothing finds it."""
    unused = set(accepted)
    open_findings = []
    for rule, resource, text in findings:
        meant = [
            a for a in accepted if (a.rule, a.resource) == (rule, resource) and a.about in text
        ]
        unused.difference_update(meant)
        if not meant:
            open_findings.append(f"{resource}: {text} [{rule}]")
    return open_findings + [
        f"{a.resource}: {a.rule} about {a.about} is accepted, and nothing finds it" for a in unused
    ]
