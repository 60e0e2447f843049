"""A change set in plain words, and what of it would lose something.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

_REPLACED = {"True": "is REPLACED by a new one", "Conditional": "may be REPLACED by a new one"}
# Records, images, messages, and executions that could be redriven: there is no copy of them.
_STATEFUL_TYPES = {
    "AWS::DynamoDB::Table",
    "AWS::S3::Bucket",
    "AWS::SQS::Queue",
    "AWS::StepFunctions::StateMachine",
}
_PLAIN = {
    "Add": "is added",
    "Modify": "is changed in place",
    "Import": "is adopted as it is",
    "Dynamic": "is added, changed or removed: CloudFormation cannot tell yet",
}


@dataclass(frozen=True)
class Change:
    """``replacement`` is "True", "False", "Conditional" or None; ``because`` names properties."""

    action: str
    resource: str
    type: str
    replacement: str | None
    kept: bool
    because: tuple[str, ...]

    @classmethod
    def read(cls, change: Mapping[str, Any]) -> Self:
        return cls(
            change["Action"],
            change["LogicalResourceId"],
            change["ResourceType"],
            change.get("Replacement"),
            "Retain" in change.get("PolicyAction", ""),
            tuple(dict.fromkeys(map(_cause, change.get("Details", ())))),
        )

    @property
    def replaces(self) -> bool:
        return self.action == "Modify" and self.replacement in _REPLACED

    @property
    def words(self) -> str:
        if self.replaces:
            left = (
                "the old one is kept, outside the stack" if self.kept else "the old one is deleted"
            )
            return f"{_REPLACED[str(self.replacement)]}; {left}"
        if self.action == "Remove":
            return "leaves the stack and is kept" if self.kept else "is removed"
        return _PLAIN.get(self.action, self.action)


def read_changes(pages: Iterable[Mapping[str, Any]]) -> list[Change]:
    """The changes of DescribeChangeSet's pages: losses first, then additions, changes, the rest."""
    changes = [
        Change.read(each["ResourceChange"])
        for page in pages
        for each in page.get("Changes", ())
        if each.get("Type", "Resource") == "Resource"
    ]
    order = ["Remove", "Add", "Import", "Modify"]
    return sorted(
        changes,
        key=lambda each: (
            not each.replaces,
            order.index(each.action) if each.action in order else len(order),
            each.resource,
        ),
    )


def losses(
    changes: Iterable[Change], retained: Collection[str], allowed: Collection[str]
) -> list[Change]:
    """The changes that take something stateful out of use, and are not allowed by its name.

    ``retained`` are the resources that the template keeps when the stack is deleted. What leaves
    the stack and is kept counts as well: the functions would no longer use it.
    """
    return [
        each
        for each in changes
        if (each.replaces or each.action == "Remove")
        and (each.type in _STATEFUL_TYPES or each.kept or each.resource in retained)
        and each.resource not in allowed
    ]


def _cause(detail: Mapping[str, Any]) -> str:
    target = detail.get("Target", {})
    return str(target.get("Name") or target.get("Attribute") or "?")
