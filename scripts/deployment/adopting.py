"""Taking back what a deleted stage left: its tables and its bucket.

CloudFormation adopts a resource that is there already if the template retains it and writes its
name out, without Ref or Sub:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
"""

import copy
import re
from collections.abc import Mapping
from typing import Any

_NAMES = ("TableName", "BucketName")
_KEPT = ("Retain", "RetainExceptOnCreate")


def with_names_written_out(
    template: Mapping[str, Any], values: Mapping[str, str]
) -> dict[str, Any]:
    """The template with the names of what it retains as plain text.

    ``values`` are those of its parameters and of pseudo parameters such as ``AWS::Region``.
    """
    document = copy.deepcopy(dict(template))
    for resource in document["Resources"].values():
        if resource.get("DeletionPolicy") in _KEPT:
            # Also if this very operation fails: what it adopts is older than the operation.
            resource["DeletionPolicy"] = "Retain"
            properties = resource["Properties"]
            for name in properties.keys() & set(_NAMES):
                properties[name] = _written_out(properties[name], values)
    return document


def _written_out(name: object, values: Mapping[str, str]) -> object:
    """A text stays; of a Sub or a Ref the value is put in. Raises KeyError for an unknown name."""
    match name:
        case {"Fn::Sub": str(pattern)}:
            return re.sub(r"\$\{([^}]+)\}", lambda found: values[found[1]], pattern)
        case {"Ref": str(parameter)}:
            return values[parameter]
    return name
