"""``minitickets`` shows what happened, says what to do, and ends in one sentence when it cannot."""

import json
import os
import socket
from datetime import timedelta
from pathlib import Path

import pytest

from fixtures.aws_account import NOW, Account, refusal
from fixtures.histories import failing_map, history
from fixtures.queues import Sqs
from operations.cli import main

COMMANDS = {
    "executions": ["executions"],
    "executions of a booking": ["executions", "--booking", "bk_1"],
    "show": ["show", "bk_1"],
    "redrive": ["redrive", "bk_1"],
    "redrive all": ["redrive", "--all"],
    "rerun": ["rerun", "bk_1", "--yes"],
    "book": ["book", os.devnull],
    "dead-letters": ["dead-letters"],
}
each_command = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)


@pytest.fixture
def account() -> Account:
    """One failed booking, known by its claim: seat 2 of 2 failed."""
    account = Account(page=10)
    account.sqs = Sqs()
    arn = account.stepfunctions.add("bk_1", error="Broken", cause="second")
    account.stepfunctions.histories[arn] = history(*failing_map())
    account.tables.claim("bk_1", arn, quantity=2)
    account.tables.ready["bk_1"] = 1
    return account


@pytest.fixture
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No configuration of this machine, and what a command changes is undone."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    (tmp_path / "config").write_text("")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "config"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def one_sentence(captured: str) -> str:
    lines = captured.splitlines()
    assert len(lines) == 1
    assert "Traceback" not in captured
    return lines[0]


@each_command
def test_an_endpoint_that_is_down_is_told_in_one_sentence(command, own_environment, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert main([*command, "--endpoint", endpoint]) == 3
    said = one_sentence(capsys.readouterr().err)
    assert f"Nothing answers at {endpoint}" in said
    assert "scripts/run" in said


@each_command
def test_a_wrong_profile_is_told_in_one_sentence(command, own_environment, capsys):
    assert main([*command, "--profile", "nonesuch"]) == 3
    assert "profile (nonesuch) could not be found" in one_sentence(capsys.readouterr().err)


@each_command
def test_missing_credentials_are_told_in_one_sentence(command, own_environment, capsys):
    assert main([*command, "--region", "eu-west-1"]) == 3
    assert "There are no AWS credentials" in one_sentence(capsys.readouterr().err)


@each_command
def test_a_missing_permission_is_told_in_one_sentence(command, account, capsys):
    denied = "User: u is not authorized to perform: x\non resource: y"

    def deny(*_: object, **__: object) -> None:
        raise refusal("TheCall", "AccessDeniedException", denied)

    account.stepfunctions._called = deny
    account.tables.get_item = account.sqs.get_queue_url = deny
    assert main(command, account.connect) == 3
    said = one_sentence(capsys.readouterr().err)
    assert "You are not permitted to call TheCall in stage dev here" in said
    assert "not authorized to perform: x on resource: y" in said


@pytest.mark.parametrize("command", ["show", "redrive", "rerun"])
def test_an_unknown_booking_is_told_in_one_sentence(command, account, capsys):
    assert main([command, "bk_nowhere"], account.connect) == 3
    said = one_sentence(capsys.readouterr().err)
    assert "'bk_nowhere'" in said
    assert "minitickets executions --booking bk_nowhere --every-delivery" in said


def test_the_endpoint_excludes_aws(capsys):
    assert main(["executions", "--endpoint", "http://x", "--profile", "p"]) == 2
    assert "--endpoint is the local stack's" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [["--endpoint", "127.0.0.1:4510"], ["--endpoint", "http://"], ["--stage", "My Stage"]],
)
def test_an_option_that_cannot_be_meant_is_bad_usage(options, capsys):
    assert main(["executions", *options]) == 2
    assert "Invalid value" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["executions", "show", "redrive", "rerun", "book"])
def test_help_teaches_by_examples(command, capsys):
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert "Examples:" in told
    assert f"minitickets {command} " in told


def test_executions_show_the_seats_that_are_ready(account):
    assert main(["executions"], account.connect) == 0
    row = account.out.getvalue().splitlines()[1].split()
    assert row[2:6] == ["FAILED", "bk_1", "1/2", "Broken"]


def test_executions_as_json_have_these_fields(account):
    account.stepfunctions.add("bk_2", "SUCCEEDED", redriveCount=3)
    assert main(["executions", "--json"], account.connect) == 0
    first, second = json.loads(account.out.getvalue())["executions"]
    assert first == {
        "startedAt": "2026-11-30T17:00:00+00:00",
        "stoppedAt": "2026-11-30T17:10:00+00:00",
        "status": "FAILED",
        "bookingId": "bk_1",
        "seatsReady": 1,
        "seats": 2,
        "redriveCount": 0,
        "error": "Broken",
        "name": "run-of-bk_1",
        "executionArn": next(iter(account.stepfunctions.executions)),
    }
    assert (second["seats"], second["redriveCount"]) == (None, 3)


def test_executions_are_filtered(account):
    account.stepfunctions.add("bk_2", "SUCCEEDED")
    account.stepfunctions.add("bk_3", error="Other")
    account.stepfunctions.add("bk_4", "TIMED_OUT", startDate=NOW - timedelta(days=2))

    def found(*options: str) -> list[str]:
        account.out.truncate(account.out.seek(0))
        assert main(["executions", "--json", *options], account.connect) == 0
        return [row["bookingId"] for row in json.loads(account.out.getvalue())["executions"]]

    assert found("--status", "FAILED") == ["bk_1", "bk_3"]
    assert found("--status", "failed", "--status", "SUCCEEDED") == ["bk_1", "bk_2", "bk_3"]
    assert found("--error", "Other") == ["bk_3"]
    assert found("--since", "2026-11-29T00:00Z") == ["bk_1", "bk_2", "bk_3"]
    assert found("--limit", "2") == ["bk_1", "bk_2"]
    assert found("--booking", "bk_1") == ["bk_1"]


def test_on_the_local_stack_every_execution_of_a_booking_is_found(account):
    other = account.stepfunctions.add("bk_1c", name="other", input=_input_of(account))
    main(["executions", "--booking", "bk_1", "--json"], account.connect)
    told = json.loads(account.out.getvalue())
    assert other in {row["executionArn"] for row in told["executions"]}


def test_on_aws_a_second_delivery_is_found_by_its_email_or_by_reading_all(account):
    account.endpoint = None
    sender = account.stepfunctions.add("bk_1b", name="sender", input=_input_of(account))
    other = account.stepfunctions.add("bk_1c", name="other", input=_input_of(account))
    account.tables.email("bk_1", sender, NOW + timedelta(days=30))
    main(["executions", "--booking", "bk_1", "--json"], account.connect)
    known = {row["executionArn"] for row in json.loads(account.out.getvalue())["executions"]}
    account.out.truncate(account.out.seek(0))
    main(["executions", "--booking", "bk_1", "--every-delivery", "--json"], account.connect)
    all_ = {row["executionArn"] for row in json.loads(account.out.getvalue())["executions"]}
    assert sender in known
    assert all_ - known == {other}


def _input_of(account: Account) -> str:
    return next(iter(account.stepfunctions.executions.values()))["input"]


def test_show_names_the_seat_the_state_the_attempts_and_the_next_command(account):
    account.console_link = "https://console/here"
    assert main(["show", "bk_1"], account.connect) == 0
    told = account.out.getvalue()
    rows = {line[:6]: line.split()[2:] for line in told.splitlines() if line.startswith("seat ")}
    assert rows == {"seat 1": ["done", "stopped"], "seat 2": ["done", "FAILED", "(2", "tries)"]}
    assert "Failed: B of seat 2 after 2 attempts: Broken\n  second\n" in told
    assert "A redrive can help" in told
    assert "Next: minitickets redrive bk_1\n" in told
    assert "https://console/here" in told


def test_show_as_json_has_these_fields_and_none_of_the_states_data(account):
    assert main(["show", "bk_1", "--json"], account.connect) == 0
    told = json.loads(account.out.getvalue())
    assert told["redrive"]["canHelp"] is True
    assert told["next"] == "minitickets redrive bk_1"
    assert [(f["state"], f["attempts"], f["error"]) for f in told["failures"]] == [
        ("B", 2, "Broken")
    ]
    assert told["failures"][0]["path"] == [{"state": "Seats", "key": 1}]
    assert told["maps"][0]["iterations"][1] == {
        "index": 1,
        "bookingId": None,
        "seatNumber": 2,
        "status": "failed",
        "states": {"A": "succeeded", "B": "failed"},
    }
    assert not {"input", "output"} & {key for state in told["states"] for key in state}


@pytest.mark.parametrize(
    ("fields", "why", "next_"),
    [
        ({"error": "InvalidBooking"}, "breaks its rules", "minitickets book FILE"),
        (
            {"stopDate": NOW - timedelta(days=14, seconds=1)},
            "more than 14 days ago",
            "minitickets rerun bk_1",
        ),
        (
            {"redriveStatus": "NOT_REDRIVABLE", "redriveStatusReason": "Too full"},
            "AWS cannot redrive it: Too full",
            "minitickets rerun bk_1",
        ),
        ({"error": "TicketMissing"}, "cannot bring it back", "minitickets rerun bk_1"),
        ({"status": "RUNNING"}, "still running", "minitickets show bk_1"),
    ],
)
def test_show_says_why_a_redrive_cannot_help_and_what_to_do_instead(account, fields, why, next_):
    next(iter(account.stepfunctions.executions.values())).update(fields)
    assert main(["show", "bk_1"], account.connect) == 0
    assert "A redrive cannot help: " in account.out.getvalue()
    assert why in account.out.getvalue()
    assert f"Next: {next_}\n" in account.out.getvalue()


def test_a_history_in_a_file_is_shown_with_the_states_never_reached(account, tmp_path: Path):
    file, definition = tmp_path / "history.json", tmp_path / "definition.yaml"
    file.write_text(json.dumps({"events": history(*failing_map())}))
    definition.write_text("StartAt: Seats\nStates: {Seats: {Type: Map}, Later: {Type: Succeed}}")
    arguments = ["show", "--history", str(file), "--definition", str(definition)]
    assert main(arguments, account.connect) == 0
    told = account.out.getvalue()
    assert "Failed: B of seat 2 after 2 attempts: Broken" in told
    assert "Never reached: Later" in told
    assert account.stepfunctions.calls.total() == 0


@pytest.mark.parametrize("content", ["", "[]]", "{}", '{"events": 3}', '{"events": [{"id": "x"}]}'])
def test_a_file_that_is_no_history_is_told_in_one_sentence(account, tmp_path, capsys, content):
    file = tmp_path / "history.json"
    file.write_text(content)
    assert main(["show", "--history", str(file)], account.connect) == 3
    assert "is no history" in one_sentence(capsys.readouterr().err)


def test_names_and_causes_are_shown_as_text_whatever_they_hold(account):
    hostile = "[bold red]x[/] \x1b]0;title\x07 \u202ereversed"
    arn = next(iter(account.stepfunctions.executions))
    events = failing_map()
    events[19] = ("TaskFailed", 19, {"error": hostile, "cause": hostile})
    account.stepfunctions.histories[arn] = history(*events)
    account.stepfunctions.executions[arn]["error"] = hostile
    for command in (["show", "bk_1"], ["executions"], ["show", "bk_1", "--json"]):
        account.out.truncate(account.out.seek(0))
        assert main(command, account.connect) == 0
        told = account.out.getvalue()
        assert "[bold red]x[/]" in told
        assert not {"\x1b", "\x07", "\u202e"} & set(told)


def test_colour_is_for_terminals_alone(account):
    main(["executions"], account.connect)
    assert "\x1b[" not in account.out.getvalue()
    account.terminal = True
    main(["executions"], account.connect)
    assert "\x1b[" in account.out.getvalue()


def test_a_rerun_starts_a_new_execution_with_the_same_input(account):
    assert main(["rerun", "bk_1", "--yes", "--json"], account.connect) == 0
    [started] = account.stepfunctions.started
    assert started["input"] == _input_of(account)
    assert started["name"] != "run-of-bk_1"
    assert json.loads(account.out.getvalue())["executionArn"].endswith(started["name"])


@pytest.mark.parametrize(
    ("email", "accepted", "warned"),
    [
        (timedelta(days=1), "2026-11-30T17:00:00+00:00", False),
        (timedelta(days=-1), "2026-10-01T17:00:00+00:00", True),
        (None, "2026-11-30T17:00:00+00:00", False),
        (None, "2026-10-01T17:00:00+00:00", True),
    ],
)
def test_a_rerun_warns_when_the_email_would_be_sent_again(account, email, accepted, warned):
    arn = next(iter(account.stepfunctions.executions))
    account.tables.claim("bk_1", arn, acceptedAt={"S": accepted})
    if email is not None:
        account.tables.email("bk_1", arn, NOW + email)
    assert main(["rerun", "bk_1", "--yes"], account.connect) == 0
    assert ("once more" in account.err.getvalue()) is warned


def test_a_rerun_starts_nothing_unless_it_is_confirmed(account, monkeypatch):
    monkeypatch.setattr("click.termui.visible_prompt_func", lambda _: "n")
    assert main(["rerun", "bk_1"], account.connect) == 1
    assert account.stepfunctions.started == []
