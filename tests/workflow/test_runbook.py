"""The runbook's text: its rows are played, its commands and alarms are such as there are."""

import importlib
import re
import shlex
from collections import Counter

import botocore.session
import pytest
from botocore import xform_name

from deployment.cli import TEMPLATE
from deployment.cli import command as deploy
from operations.cli import minitickets
from sam_template import load_sam
from workflow.runbook import OURS, ROWS, RUNBOOK, Row, quoted, rows

PLAYED_BY = (
    "denied",
    "steps",
    "email",
    "ends",
    "arrival",
    "reconciliation",
    "customers",
    "holders",
)
TEXT = RUNBOOK.read_text(encoding="utf-8")
COMMANDS = [*quoted(TEXT), *re.findall(r"^scripts/minitickets .*", TEXT, re.MULTILINE)]
STAGE = "minitickets-${Stage}-"


def starting(words: str) -> list[str]:
    return sorted({command for command in COMMANDS if command.startswith(words)})


def played() -> Counter[str]:
    """How many tests each row has, read from the marks of the tests."""
    modules = [importlib.import_module(f"workflow.test_runbook_{name}") for name in PLAYED_BY]
    return Counter(
        mark.args[1][0].key
        for module in modules
        for test in vars(module).values()
        for mark in getattr(test, "pytestmark", [])
        if mark.name == "parametrize" and mark.args[0] == "row"
    )


def test_every_row_is_played_by_one_test_and_every_such_test_plays_a_row() -> None:
    assert played() == Counter(row.key for row in rows())


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_row_says_what_is_seen_why_where_to_look_and_what_to_do(row: Row) -> None:
    assert row.words
    assert row.cause
    assert "→" in row.look
    assert OURS in row.look
    assert len(row.fix) > len("redrive it")


@pytest.mark.parametrize("command", starting("scripts/minitickets "))
def test_our_commands_are_such_as_the_command_takes(command: str, tmp_path) -> None:
    file = tmp_path / "bookings.jsonl"
    file.write_text("{}\n")
    _, name, *arguments = shlex.split(command)
    names = {"FILE": str(file), "DATE": "2026-12-24"}
    given = [names.get(word, word) for word in arguments]
    with minitickets.commands[name].make_context(name, given):
        pass


@pytest.mark.parametrize("command", starting("scripts/deploy "))
def test_deployments_are_such_as_the_command_takes(command: str) -> None:
    given = shlex.split(command.replace("STAGE", "dev").replace("ADDRESS", "tickets@shop.com"))[1:]
    deploy(load_sam(TEMPLATE)).make_context("scripts/deploy", given)


@pytest.mark.parametrize("command", starting("aws "))
def test_the_aws_clis_commands_are_operations_of_aws_with_members_of_their_input(
    command: str,
) -> None:
    """By botocore's models, from which the AWS CLI is made; nothing is called."""
    _, service, action, *arguments = shlex.split(command)
    model = botocore.session.Session().get_service_model(service.replace("s3api", "s3"))
    operations = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(operations[action]).input_shape
    members = {xform_name(name, "-"): name for name in shape.members} if shape else {}
    given = {word[2:] for word in arguments if word.startswith("--")}
    assert given <= members.keys()
    assert {members[option] for option in given} >= set(shape.required_members if shape else [])


def test_the_runbook_names_the_templates_alarms_all_of_them_and_no_others() -> None:
    resources = load_sam(TEMPLATE)["Resources"].values()
    alarms = [r["Properties"] for r in resources if r["Type"] == "AWS::CloudWatch::Alarm"]
    named = {name for row in rows() for name in quoted(row.alarm)}
    assert named == {a["AlarmName"]["Fn::Sub"].removeprefix(STAGE) for a in alarms}


def test_every_log_group_table_pipe_and_function_is_one_of_the_templates() -> None:
    """Every name with STAGE in it, but the stack's own."""
    template = TEMPLATE.read_text(encoding="utf-8")
    names = set(re.findall(r"(?:/aws/[\w/-]*)?minitickets-STAGE-[a-z-]*[a-z]", TEXT))
    assert names
    for name in names:
        assert re.search(re.escape(name.replace("STAGE", "${Stage}")) + r"\b", template), name


def test_the_readme_leads_to_the_runbook() -> None:
    assert "](RUNBOOK.md)" in (RUNBOOK.parent / "README.md").read_text(encoding="utf-8")
