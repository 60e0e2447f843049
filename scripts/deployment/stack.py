"""A CloudFormation stack as it is now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError


class StackError(Exception):
    """The stack cannot be changed; the message is for people."""


@dataclass(frozen=True)
class Stack:
    """As it is now. A stack whose first change set was never executed is not there yet."""

    name: str
    id: str
    status: str
    parameters: Mapping[str, str]
    outputs: Mapping[str, str]


def look_up(client: Any, name: str) -> Stack | None:
    """The stack of that name, or None. Raises StackError if it cannot be changed now."""
    try:
        (found,) = client.describe_stacks(StackName=name)["Stacks"]
    except ClientError as error:
        if "does not exist" in error.response["Error"]["Message"]:
            return None
        raise
    status = found["StackStatus"]
    if status == "REVIEW_IN_PROGRESS":
        return None
    if status.endswith("_IN_PROGRESS"):
        raise StackError(f"The stack {name} is being changed by somebody else: {status}.")
    if status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"):
        raise StackError(
            f"The stack {name} is in {status}: its creation or deletion has failed, and it can "
            f"only be deleted: aws cloudformation delete-stack --stack-name {name}"
        )
    if status == "UPDATE_ROLLBACK_FAILED":
        raise StackError(
            f"The stack {name} is in {status}: mend the cause, then aws cloudformation "
            f"continue-update-rollback --stack-name {name}"
        )
    return Stack(
        name,
        found["StackId"],
        status,
        {
            each["ParameterKey"]: each.get("ParameterValue", "")
            for each in found.get("Parameters", ())
        },
        {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", ())},
    )
