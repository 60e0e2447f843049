"""The template as cfn-lint sees most of it: translated, and its workflows as objects."""

import json
from pathlib import Path
from typing import Any

from sam_template import load_sam, translate

REGION = "eu-west-1"
SOME_ARN = f"arn:aws:lambda:{REGION}:123456789012:function:some"

# cfn-lint's schema of a Succeed state lacks the two fields that it shares with other states:
# https://docs.aws.amazon.com/step-functions/latest/dg/statemachine-structure.html
WRONGLY_REFUSED = {
    f"Additional properties are not allowed ({field!r} was unexpected)"
    for field in ("InputPath", "OutputPath")
}


def check_template(path: Path) -> list[str]:
    """What cfn-lint finds in a SAM template, a sentence each; empty if nothing.

    Raises what sam_template raises if the template cannot be translated.
    """
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    document = translate(load_sam(path), REGION)
    for resource in document["Resources"].values():
        if resource["Type"] == "AWS::StepFunctions::StateMachine":
            _show_definition(resource["Properties"])
    matches = lint(json.dumps(document, indent=1), config=ManualArgs(regions=[REGION]))
    return [
        f"{'.'.join(map(str, match.path or ()))}: {match.message} [{match.rule.id}]"
        for match in matches
        if match.message not in WRONGLY_REFUSED
    ]


def _show_definition(machine: dict[str, Any]) -> None:
    """Put the definition, substituted, where cfn-lint looks into it: not in a joined string."""
    _, lines = machine.pop("DefinitionString")["Fn::Join"]
    text = "\n".join(lines)
    for name, value in machine.pop("DefinitionSubstitutions", {}).items():
        text = text.replace(
            f"${{{name}}}", "aws" if value == {"Ref": "AWS::Partition"} else SOME_ARN
        )
    machine["Definition"] = json.loads(text)
