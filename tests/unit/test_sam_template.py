"""The template is translated as AWS would, without AWS, and loses nothing on the way."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from checks.linted_template import check_template
from sam_template import BadTemplate, load_sam, substitutions, translate
from strict_yaml import DuplicateKey

TEMPLATE = """\
AWSTemplateFormatVersion: 2010-09-09
Transform: AWS::Serverless-2016-10-31
Description: A small one
Parameters:
  Stage: {Type: String, Default: dev}
Globals:
  Function: {Runtime: python3.13, CodeUri: functions/, Timeout: 7}
Resources:
  Step:
    Type: AWS::Serverless::Function
    Properties:
      Handler: step.handler
      Role: !GetAtt StepRole.Arn
  StepRole:
    Type: AWS::IAM::Role
    Properties:
      RoleName: !Join ["-", [!Ref Stage, !Sub "${AWS::Region}-step"]]
      AssumeRolePolicyDocument:
        Version: 2012-10-17
        Statement:
          - Effect: Allow
            Principal: {Service: lambda.amazonaws.com}
            Action: sts:AssumeRole
  Work:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionUri: graphs/work.asl.yaml
      DefinitionSubstitutions: {StepArn: !GetAtt Step.Arn}
      Role: !GetAtt StepRole.Arn
"""
DEFINITION = """\
StartAt: Only
States:
  Only:
    Type: Task
    Resource: ${StepArn}
    TimeoutSeconds: 9
    End: true
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "work.asl.yaml").write_text(DEFINITION)
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE)
    return path


def edited(path: Path, old: str, new: str) -> Path:
    path.write_text(path.read_text().replace(old, new))
    return path


def properties(document: dict[str, Any], name: str) -> dict[str, Any]:
    return document["Resources"][name]["Properties"]


def test_short_tags_become_long_forms_also_inside_each_other(template: Path) -> None:
    role = properties(load_sam(template), "StepRole")
    sub = {"Fn::Sub": "${AWS::Region}-step"}
    assert role["RoleName"] == {"Fn::Join": ["-", [{"Ref": "Stage"}, sub]]}
    assert properties(load_sam(template), "Step")["Role"] == {"Fn::GetAtt": ["StepRole", "Arn"]}


def test_a_version_that_looks_like_a_date_stays_a_string(template: Path) -> None:
    policy = properties(load_sam(template), "StepRole")["AssumeRolePolicyDocument"]
    assert policy["Version"] == "2012-10-17"


def test_the_definition_file_is_inlined(template: Path) -> None:
    machine = properties(load_sam(template), "Work")
    assert "DefinitionUri" not in machine
    assert machine["Definition"]["States"]["Only"]["TimeoutSeconds"] == 9


def test_the_names_that_the_template_substitutes(template: Path) -> None:
    assert substitutions(load_sam(template), "Work") == {"StepArn": {"Fn::GetAtt": ["Step", "Arn"]}}


def test_a_definition_that_is_missing_is_named(template: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"graphs/gone\.yaml"):
        load_sam(edited(template, "graphs/work.asl.yaml", "graphs/gone.yaml"))


def test_a_resource_given_twice_is_refused(template: Path) -> None:
    with pytest.raises(DuplicateKey, match="line 14: key 'Step'"):
        load_sam(edited(template, "  StepRole:\n", "  Step:\n"))


def test_the_translation_is_plain_cloudformation(template: Path) -> None:
    types = {r["Type"] for r in translate(load_sam(template))["Resources"].values()}
    assert types == {"AWS::Lambda::Function", "AWS::IAM::Role", "AWS::StepFunctions::StateMachine"}


def test_the_translation_keeps_parameters_globals_and_the_definition(template: Path) -> None:
    document = translate(load_sam(template))

    assert document["Parameters"]["Stage"]["Default"] == "dev"
    assert properties(document, "Step")["Timeout"] == 7
    machine = properties(document, "Work")
    separator, lines = machine["DefinitionString"]["Fn::Join"]
    assert json.loads(separator.join(lines))["States"]["Only"]["Resource"] == "${StepArn}"
    assert machine["DefinitionSubstitutions"] == {"StepArn": {"Fn::GetAtt": ["Step", "Arn"]}}


def test_the_translation_leaves_its_input_alone_and_can_be_repeated(template: Path) -> None:
    sam = load_sam(template)
    before = copy.deepcopy(sam)
    assert translate(sam) == translate(sam)
    assert sam == before


def test_the_translation_needs_no_settings_of_aws(
    template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    assert "Resources" in translate(load_sam(template), region="ap-south-1")


def test_what_the_translator_refuses_is_said_in_its_words(template: Path) -> None:
    sam = load_sam(edited(template, "      Handler: step.handler\n", ""))
    with pytest.raises(BadTemplate, match=r"\[Step\].*Handler"):
        translate(sam)


def test_cfn_lint_looks_into_the_definition(template: Path) -> None:
    definition = template.parent / "graphs" / "work.asl.yaml"
    edited(definition, "TimeoutSeconds: 9", "TimeoutSeconds: nine")
    at = "Resources.Work.Properties.Definition.States.Only.TimeoutSeconds"
    assert [finding for finding in check_template(template) if finding.startswith(at)]
