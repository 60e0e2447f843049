"""``minitickets reconcile``: what it asks for, what it tells, and its exit code."""

import json
from typing import Any

import pytest

from fixtures.aws_account import NOW, Account, machine_arn
from operations.cli import main
from operations.target import RECONCILIATIONS

REPORT = {
    "from": "2026-11-29", "to": "2026-12-24", "dryRun": False, "dates": 26, "datesLeft": 0,
    "checked": 1200, "ready": 1195, "young": 0, "stale": 2, "missing": 3, "unreadable": 0,
    "repaired": 5, "failed": 0, "left": 0, "failures": [],
}  # fmt: skip
CAUSE = json.dumps({"errorType": "TooManyMissing", "errorMessage": "9 of the 10 are missing"})


def ends(account: Account, **fields: Any) -> None:
    """What becomes of the next execution that is started."""
    aws = account.stepfunctions
    start = aws.start_execution

    def start_and_end(**given: Any) -> dict[str, Any]:
        answer = start(**given)
        aws.executions[answer["executionArn"]] = {
            "executionArn": answer["executionArn"], "name": given["name"], "startDate": NOW,
            "redriveCount": 0, "input": given["input"], **fields,
        }  # fmt: skip
        return answer

    aws.start_execution = start_and_end  # type: ignore[method-assign]


def succeeds(account: Account, **changes: Any) -> None:
    ends(account, status="SUCCEEDED", stopDate=NOW, output=json.dumps(REPORT | changes))


@pytest.fixture
def account() -> Account:
    return Account()


def test_it_starts_the_reconciliation_s_machine_with_what_was_asked_for(account):
    succeeds(account)
    asked = ["--from", "2026-12-24", "--to", "2026-12-31", "--allow-missing", "100", "--repairs",
             "7", "--dry-run"]  # fmt: skip
    assert main(["reconcile", *asked], account.connect) == 0
    (started,) = account.stepfunctions.started
    assert started["stateMachineArn"] == machine_arn(RECONCILIATIONS)
    assert json.loads(started["input"]) == {
        "from": "2026-12-24", "to": "2026-12-31", "allowMissing": 100, "mostRepairs": 7,
        "dryRun": True,
    }  # fmt: skip


def test_without_options_it_is_the_daily_run(account):
    succeeds(account)
    main(["reconcile"], account.connect)
    assert account.stepfunctions.started[0]["input"] == "{}"


def test_it_tells_what_was_found_and_mended(account):
    succeeds(account)
    assert main(["reconcile"], account.connect) == 0
    out = account.out.getvalue()
    assert "1200 tickets checked on 26 dates from 2026-11-29 to 2026-12-24." in out
    assert "5 repaired" in out
    assert "left" not in out


@pytest.mark.parametrize("left", ["left", "failed", "unreadable", "datesLeft"])
def test_what_is_left_broken_or_unseen_ends_it_with_1(account, left):
    succeeds(account, **{left: 1})
    assert main(["reconcile"], account.connect) == 1


def test_a_failure_is_told_by_its_name_with_what_to_do(account):
    ends(account, status="FAILED", error="TooManyMissing", cause=CAUSE, redriveStatus="REDRIVABLE")
    assert main(["reconcile"], account.connect) == 1
    out = account.out.getvalue()
    assert "FAILED TooManyMissing: 9 of the 10 are missing" in out
    assert "--allow-missing" in out
    assert f"Next: minitickets redrive {account.stepfunctions.started[0]['name']}" in out


def test_json_is_one_object_with_the_report(account):
    succeeds(account)
    assert main(["reconcile", "--json"], account.connect) == 0
    written = json.loads(account.out.getvalue())
    assert (written["status"], written["report"]) == ("SUCCEEDED", REPORT)


def test_who_does_not_wait_is_told_where_to_look(account):
    ends(account, status="RUNNING")
    assert main(["reconcile", "--no-wait"], account.connect) == 0
    assert f"minitickets show {account.stepfunctions.started[0]['name']}" in account.out.getvalue()


@pytest.mark.parametrize(
    "bad",
    [
        ["--from", "tomorrow"],
        ["--allow-missing", "101"],
        ["--repairs", "501"],
        ["--to", "2026-12-24", "--horizon", "3"],
        ["--from", "2026-12-24", "--to", "2026-12-23"],
        ["--from", "2026-12-24", "--to", "2029-09-19"],  # a thousand dates later
        ["--to", "2001-01-01"],
        ["--from", "9999-12-31"],
        ["--to", "9999-12-31"],
    ],
)
def test_what_cannot_be_meant_is_bad_usage_and_starts_nothing(account, bad):
    assert main(["reconcile", *bad], account.connect) == 2
    assert account.stepfunctions.started == []


def test_a_thousand_dates_are_as_many_as_can_be_asked_for(account):
    succeeds(account)
    asked = ["--from", "2026-12-24", "--to", "2029-09-18"]
    assert main(["reconcile", *asked], account.connect) == 0
    assert len(account.stepfunctions.started) == 1


def test_a_reconciliation_is_found_by_its_name_and_redriven(account):
    arn = account.stepfunctions.add("x", machine=machine_arn(RECONCILIATIONS))
    account.stepfunctions.run = lambda execution: execution.update(
        status="SUCCEEDED", output=json.dumps(REPORT)
    )
    assert main(["redrive", "run-of-x"], account.connect) == 0
    assert account.stepfunctions.redriven == {arn: 1}


def test_a_reconciliation_is_run_again_on_its_own_machine_with_its_own_input(account):
    reconciliations = machine_arn(RECONCILIATIONS)
    account.stepfunctions.add("x", machine=reconciliations, input='{"horizonDays": 3}')
    assert main(["rerun", "run-of-x", "--yes"], account.connect) == 0
    (started,) = account.stepfunctions.started
    assert (started["stateMachineArn"], started["input"]) == (
        reconciliations, '{"horizonDays": 3}',
    )  # fmt: skip


def test_reconciliations_are_listed_apart_from_bookings(account):
    account.stepfunctions.add("bk_1")
    account.stepfunctions.add("x", machine=machine_arn(RECONCILIATIONS), input="{}")
    assert main(["executions", "--machine", RECONCILIATIONS], account.connect) == 0
    assert "run-of-x" in account.out.getvalue()
    assert "run-of-bk_1" not in account.out.getvalue()
    assert (
        main(["executions", "--machine", RECONCILIATIONS, "--booking", "b"], account.connect) == 2
    )
