"""`template.yaml` as a SAM document with its workflow inlined, and as plain CloudFormation.

Works offline. SAM itself would do both at deployment: it uploads the definition and the functions'
code, and CloudFormation runs the transform.
"""

import copy
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from strict_yaml import StrictLoader, load

CODE_PLACEHOLDER = "s3://local/functions.zip"
STATE_MACHINE = "AWS::Serverless::StateMachine"

Document = dict[str, Any]


class BadTemplate(ValueError):
    """The template cannot be translated; the message says where and why."""


def load_sam(path: Path) -> Document:
    """Read a SAM template and put each local workflow definition in place of its DefinitionUri.

    CloudFormation's short tags become their long forms (`!Ref X` is `{"Ref": "X"}`).
    Raises BadTemplate, or what strict_yaml.load raises, for the template and for a definition.
    """
    template = load(path, _CloudFormationLoader)
    if not isinstance(template, dict) or not isinstance(template.get("Resources"), dict):
        raise BadTemplate(f"{path} has no Resources")
    for machine in _properties(template, STATE_MACHINE):
        uri = machine.get("DefinitionUri")
        if isinstance(uri, str) and not uri.startswith("s3://"):
            del machine["DefinitionUri"]
            machine["Definition"] = load(path.parent / uri)
    return template


def translate(sam: Document, region: str = "eu-west-1") -> Document:
    """Give the plain CloudFormation of a SAM document, which is left as it was.

    Code that lies in a local folder is named by a placeholder: there is no upload here.
    Parameters keep their defaults, and a definition its `${…}` with DefinitionSubstitutions.
    Raises BadTemplate with every complaint of the translator.
    """
    import boto3  # these take a second to import, and load_sam needs none of them
    from samtranslator.model.exceptions import InvalidDocumentException
    from samtranslator.parser.parser import Parser
    from samtranslator.translator.translator import Translator

    # It complains of metrics that it meant to send to its makers.
    logging.getLogger("samtranslator.metrics").setLevel(logging.ERROR)
    document = copy.deepcopy(sam)
    for function in _functions(document):
        uri = function.get("CodeUri")
        if isinstance(uri, str) and not uri.startswith("s3://"):
            function["CodeUri"] = CODE_PLACEHOLDER
    try:
        translator = Translator({}, Parser(), boto_session=boto3.Session(region_name=region))
        return dict(translator.translate(document, parameter_values={}))
    except InvalidDocumentException as error:
        raise BadTemplate("; ".join(cause.message for cause in error.causes)) from error


def substitutions(sam: Document, machine: str) -> dict[str, Any]:
    """Every name that the workflow of this resource may use as `${name}`, with its value."""
    properties = sam["Resources"][machine].get("Properties", {})
    return dict(properties.get("DefinitionSubstitutions", {}))


def definitions(path: Path) -> dict[Path, str]:
    """Each local workflow definition of a SAM template, with the resource that runs it.

    Raises what strict_yaml.load raises.
    """
    resources = load(path, _CloudFormationLoader)["Resources"]
    return {
        path.parent / resource["Properties"]["DefinitionUri"]: name
        for name, resource in resources.items()
        if resource.get("Type") == STATE_MACHINE
    }


def _functions(document: Document) -> Iterator[Document]:
    yield document.get("Globals", {}).get("Function", {})
    yield from _properties(document, "AWS::Serverless::Function")


def _properties(document: Document, resource_type: str) -> Iterator[Document]:
    for resource in document["Resources"].values():
        if resource.get("Type") == resource_type:
            yield resource.get("Properties", {})


class _CloudFormationLoader(StrictLoader):
    """Reads CloudFormation's short tags too."""


def _construct_intrinsic(loader: _CloudFormationLoader, tag: str, node: yaml.Node) -> Document:
    """https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/intrinsic-function-reference.html"""
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if tag == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {tag if tag in {"Ref", "Condition"} else f"Fn::{tag}": value}


_CloudFormationLoader.add_multi_constructor("!", _construct_intrinsic)
