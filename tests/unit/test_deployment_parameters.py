"""The template's parameters as options of scripts/deploy."""

import pytest

from deployment.parameters import Parameter, in_force, missing

DECLARED = {
    "Stage": {"Default": "dev", "AllowedPattern": "[a-z]{1,3}"},
    "EmailFrom": {"Default": "tickets@minitickets.example"},
    "Secret": {},
    "ComputeEnabled": {"Default": "true", "AllowedValues": ["true", "false"]},
}
STAGE, EMAIL_FROM, SECRET, COMPUTE = ALL = [Parameter.read(k, v) for k, v in DECLARED.items()]


@pytest.mark.parametrize(
    ("parameter", "option"),
    [(STAGE, "--stage"), (EMAIL_FROM, "--email-from"), (COMPUTE, "--compute"),
     (Parameter.read("MyTicketsUrl", {}), "--my-tickets-url")],
)  # fmt: skip
def test_a_parameter_is_an_option_of_its_name(parameter, option):
    assert parameter.option == option


def test_a_value_that_cloudformation_would_refuse_is_refused_before_anything_is_built():
    assert STAGE.refusal("dev") is None
    assert STAGE.refusal("Dev") == "'Dev' does not fit [a-z]{1,3}"
    assert STAGE.refusal("develop") is not None
    assert COMPUTE.refusal("maybe") == "'maybe' is none of true, false"


def test_a_new_stage_needs_what_has_no_default_or_only_an_example_for_one():
    assert missing(ALL, {}, {}) == [EMAIL_FROM, SECRET]
    assert missing(ALL, {"EmailFrom": "a@b.com", "Secret": "s"}, {}) == []


def test_a_stage_that_is_there_keeps_what_is_not_given():
    before = {"EmailFrom": "a@b.com", "Secret": "s", "ComputeEnabled": "false"}
    assert missing(ALL, {}, before) == []
    assert in_force(ALL, {"Secret": "new"}, before) == {
        "Stage": "dev", "EmailFrom": "a@b.com", "Secret": "new", "ComputeEnabled": "false",
    }  # fmt: skip
