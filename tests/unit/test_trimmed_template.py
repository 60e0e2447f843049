"""moto is given what one machine has a use for, with every condition decided."""

import copy
from typing import Any

import pytest

from local_stack.trimmed_template import NOT_HERE, trim
from sam_template import BadTemplate

TEMPLATE: dict[str, Any] = {
    "Parameters": {"On": {"Default": "true"}, "Name": {"Default": "dev"}, "Free": {}},
    "Conditions": {
        "Runs": {"Fn::Equals": [{"Ref": "On"}, "true"]},
        "Named": {"Fn::Not": [{"Fn::Equals": [{"Ref": "Name"}, ""]}]},
    },
    "Resources": {
        "Function": {"Type": "AWS::Lambda::Function", "Condition": "Runs", "Properties": {}},
        "Queue": {
            "Type": "AWS::SQS::Queue",
            "Condition": "Named",
            "Properties": {"State": [{"Fn::If": ["Runs", {"Fn::If": ["Named", 1, 2]}, 3]}]},
        },
        "Topic": {"Type": "AWS::SNS::Topic", "Properties": {}},
    },
    "Outputs": {
        "Queue": {"Value": {"Ref": "Queue"}},
        "Function": {"Value": {"Fn::GetAtt": ["Function", "Arn"]}},
        "Topic": {"Value": {"Fn::Sub": "name of ${Topic}"}},
    },
}


@pytest.mark.parametrize(
    ("parameters", "resources", "outputs", "state"),
    [
        ({}, {"Function", "Queue"}, {"Function", "Queue"}, 1),
        ({"On": "true"}, {"Function", "Queue"}, {"Function", "Queue"}, 1),
        ({"On": "false"}, {"Queue"}, {"Queue"}, 3),
    ],
)
def test_a_condition_takes_its_resources_and_what_refers_to_them(
    parameters, resources, outputs, state
):
    trimmed = trim(TEMPLATE, parameters)
    assert trimmed["Resources"].keys() == resources
    assert trimmed["Outputs"].keys() == outputs
    assert trimmed["Resources"]["Queue"] == {
        "Type": "AWS::SQS::Queue",
        "Properties": {"State": [state]},
    }
    assert "Conditions" not in trimmed


def test_a_negated_condition_is_decided():
    assert trim(TEMPLATE, {"Name": ""})["Resources"].keys() == {"Function"}


@pytest.mark.parametrize(
    ("changes", "kept"), [({}, True), ({"On": "x"}, False), ({"Name": ""}, False)]
)
def test_a_condition_of_two_others_holds_when_both_do(changes, kept):
    both = {"Fn::And": [{"Condition": "Runs"}, {"Condition": "Named"}]}
    queue = TEMPLATE["Resources"]["Queue"] | {"Condition": "Both"}
    resources = TEMPLATE["Resources"] | {"Queue": queue}
    outputs = {"Queue": {"Condition": "Both", "Value": {"Ref": "Queue"}}}
    conditions = TEMPLATE["Conditions"] | {"Both": both}
    changed = {"Conditions": conditions, "Resources": resources, "Outputs": outputs}
    trimmed = trim(TEMPLATE | changed, changes)
    assert ("Queue" in trimmed["Resources"]) is kept
    assert trimmed["Outputs"] == ({"Queue": {"Value": {"Ref": "Queue"}}} if kept else {})


def test_the_rules_for_parameters_are_cloudformations_alone():
    assert "Rules" not in trim(TEMPLATE | {"Rules": {"Some": {"Assertions": []}}}, {})


def test_the_template_stays_as_it_was():
    template = copy.deepcopy(TEMPLATE)
    trim(template, {"On": "false"})
    assert template == TEMPLATE


def test_a_condition_of_another_kind_is_refused_rather_than_guessed():
    other = TEMPLATE | {"Conditions": {"Runs": {"Fn::Or": [{}, {}]}, "Named": True}}
    with pytest.raises(BadTemplate, match="Fn::Or"):
        trim(other, {})


def test_every_type_that_is_left_out_has_a_reason():
    assert all(len(reason) > 10 for reason in NOT_HERE.values())
