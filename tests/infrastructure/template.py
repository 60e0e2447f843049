"""The template as SAM and as CloudFormation reads it, for the tests of what it deploys."""

from pathlib import Path
from typing import Any

from sam_template import load_sam, translate

PROJECT = Path(__file__).resolve().parents[2]
SAM = load_sam(PROJECT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = SAM["Resources"]
TRANSLATED: dict[str, dict[str, Any]] = translate(SAM)["Resources"]
STEPS = ["AcceptBooking", "ReserveTicket", "WriteTicketImage", "MarkTicketReady", "SendEmail"]
STEPS.append("RecordEmailJob")
RECONCILING = ["CheckTickets", "WriteTicketImage", "MarkTicketReady", "ReportReconciliation"]
FUNCTIONS = [*dict.fromkeys([*STEPS, *RECONCILING]), "MyTickets"]


def get_att(name: str, attribute: str = "Arn") -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


def properties(name: str) -> dict[str, Any]:
    found: dict[str, Any] = RESOURCES[name]["Properties"]
    return found


def of_type(kind: str) -> dict[str, dict[str, Any]]:
    return {
        name: resource.get("Properties", {})
        for name, resource in TRANSLATED.items()
        if resource["Type"] == kind
    }


def statements(role: str) -> list[dict[str, Any]]:
    return [
        statement
        for policy in TRANSLATED[role]["Properties"].get("Policies", [])
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def grants(role: str) -> list[tuple[set[str], Any, Any]]:
    return [
        (set(listed(statement["Action"])), statement["Resource"], statement.get("Condition"))
        for statement in statements(role)
    ]
