"""DynamoDB's typed items for flat records of strings and whole numbers.

boto3 gives the item of a failed condition in typed form even through its Table resource, so the
adapters use the typed form throughout.
"""

import re
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

Item = dict[str, dict[str, str]]


def to_item(record: Mapping[str, str | int | None]) -> Item:
    """Absent (None) attributes are left out."""
    return {name: _typed(value) for name, value in record.items() if value is not None}


def from_item(item: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    return {name: int(value["N"]) if "N" in value else value["S"] for name, value in item.items()}


def readable(item: Mapping[str, Mapping[str, Any]]) -> dict[str, str | int]:
    """The attributes that are texts or whole numbers: for an item that anybody may have written."""
    found: dict[str, str | int] = {}
    for name, value in item.items():
        if "S" in value:
            found[name] = value["S"]
        elif re.fullmatch("-?[0-9]+", value.get("N", "")):
            found[name] = int(value["N"])
    return found


def condition_failed(error: ClientError) -> bool:
    return error.response["Error"]["Code"] == "ConditionalCheckFailedException"


def item_in_the_way(error: ClientError) -> dict[str, Any]:
    """The record that made a put's condition fail (ReturnValuesOnConditionCheckFailure=ALL_OLD)."""
    response: Mapping[str, Any] = error.response
    return from_item(response.get("Item", {}))


def _typed(value: str | int) -> dict[str, str]:
    return {"S": value} if isinstance(value, str) else {"N": str(value)}
