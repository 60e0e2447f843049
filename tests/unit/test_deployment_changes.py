"""A change set in words, and what of it is refused."""

import pytest

from deployment.changes import losses, read_changes
from fixtures.deployment import change

TABLE, QUEUE, FUNCTION = "AWS::DynamoDB::Table", "AWS::SQS::Queue", "AWS::Lambda::Function"


def read(*changes):
    return read_changes([{"Changes": list(changes)}])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (change("Add", "A", FUNCTION), "is added"),
        (change("Remove", "A", FUNCTION), "is removed"),
        (change("Remove", "A", TABLE, PolicyAction="Retain"), "leaves the stack and is kept"),
        (change("Modify", "A", FUNCTION, Replacement="False"), "is changed in place"),
        (change("Import", "A", TABLE), "is adopted as it is"),
        (
            change("Modify", "A", QUEUE, Replacement="True"),
            "is REPLACED by a new one; the old one is deleted",
        ),
        (
            change("Modify", "A", QUEUE, Replacement="Conditional"),
            "may be REPLACED by a new one; the old one is deleted",
        ),
        (
            change("Modify", "A", TABLE, Replacement="True", PolicyAction="ReplaceAndRetain"),
            "is REPLACED by a new one; the old one is kept, outside the stack",
        ),
    ],
)
def test_a_change_is_told_in_plain_words(said, words):
    (only,) = read(said)
    assert only.words == words


def test_the_properties_that_cause_a_change_are_named_once():
    details = [
        {"Target": {"Attribute": "Properties", "Name": "Code"}},
        {"Target": {"Attribute": "Properties", "Name": "Code"}},
        {"Target": {"Attribute": "Tags"}},
    ]
    (only,) = read(change("Modify", "A", FUNCTION, Replacement="False", Details=details))
    assert only.because == ("Code", "Tags")


def test_what_is_replaced_or_removed_comes_first():
    listed = read(
        change("Modify", "M", FUNCTION, Replacement="False"),
        change("Add", "A", FUNCTION),
        change("Remove", "R", FUNCTION),
        change("Modify", "X", QUEUE, Replacement="True"),
    )
    assert [each.resource for each in listed] == ["X", "R", "A", "M"]


@pytest.mark.parametrize("type_", [TABLE, "AWS::S3::Bucket", QUEUE,
                                   "AWS::StepFunctions::StateMachine"])  # fmt: skip
@pytest.mark.parametrize("how", [
    {"action": "Remove"},
    {"action": "Modify", "Replacement": "True"},
    {"action": "Modify", "Replacement": "Conditional"},
])  # fmt: skip
def test_taking_something_stateful_out_of_use_is_a_loss_unless_it_is_named(type_, how):
    changes = read(change(resource="Kept", type_=type_, **how))
    assert [each.resource for each in losses(changes, set(), ["Other"])] == ["Kept"]
    assert losses(changes, set(), ["Kept"]) == []


def test_so_is_whatever_the_template_or_the_stack_retains():
    changes = read(
        change("Modify", "LogGroup", "AWS::Logs::LogGroup", Replacement="True"),
        change("Remove", "Left", "AWS::Logs::LogGroup", PolicyAction="Retain"),
    )
    assert {each.resource for each in losses(changes, {"LogGroup"}, [])} == {"LogGroup", "Left"}


def test_nothing_else_is():
    changes = read(
        change("Modify", "Table", TABLE, Replacement="False"),
        change("Add", "Queue", QUEUE),
        change("Remove", "Function", FUNCTION),
        change("Modify", "Role", "AWS::IAM::Role", Replacement="True"),
    )
    assert losses(changes, {"Table"}, []) == []
