"""``minitickets redrive``: everything that a redrive can help, each once, whatever interrupts."""

import json
import re
import signal

import pytest

from fixtures.aws_account import Account, refusal
from operations.cli import main


@pytest.fixture
def account() -> Account:
    return Account(page=10)


def redrive(account: Account, *arguments: str) -> int:
    return main(["redrive", *arguments], account.connect)


def statuses(account: Account) -> set[str]:
    return {each["status"] for each in account.stepfunctions.executions.values()}


def test_two_hundred_failed_executions_all_succeed_and_each_is_redriven_and_shown_once(account):
    arns = [account.stepfunctions.add(f"bk_{n}") for n in range(200)]
    assert redrive(account, "--all") == 0
    assert statuses(account) == {"SUCCEEDED"}
    assert account.stepfunctions.redriven == dict.fromkeys(arns, 1)
    rows = re.findall(r"run-of-bk_\d+", account.out.getvalue())
    assert len(rows) == len(set(rows)) == 200
    assert "200 redriven: 200 succeeded" in account.out.getvalue()


def test_ctrl_c_stops_cleanly_and_the_same_command_does_the_rest_without_doing_one_twice(account):
    arns = [account.stepfunctions.add(f"bk_{n}") for n in range(200)]

    def interrupt(api: str) -> None:
        if api == "RedriveExecution" and account.stepfunctions.calls[api] == 70:
            signal.raise_signal(signal.SIGINT)

    account.stepfunctions.on_call = interrupt
    assert redrive(account, "--all") == 130
    assert account.stepfunctions.redriven.total() == 70  # the call under way was finished
    assert "130 not redriven" in account.out.getvalue()
    assert "The same command does the rest" in account.err.getvalue()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    assert redrive(account, "--all") == 0
    assert statuses(account) == {"SUCCEEDED"}
    assert account.stepfunctions.redriven == dict.fromkeys(arns, 1)


def test_no_more_run_at_one_time_than_is_asked_for(account):
    for n in range(20):
        account.stepfunctions.add(f"bk_{n}")
    most = []

    def watch(api: str) -> None:
        executions = account.stepfunctions.executions.values()
        running = [each for each in executions if each["status"] == "RUNNING"]
        most.append(len(running))
        if api == "DescribeExecution" and running:
            running[0]["status"] = "SUCCEEDED"

    account.stepfunctions.run = lambda execution: execution.update(status="RUNNING")
    account.stepfunctions.on_call = watch
    assert redrive(account, "--all", "--at-once", "3") == 0
    assert max(most) == 3


def test_a_progress_bar_is_drawn_on_a_terminal_and_there_is_one(account):
    account.terminal = True
    for n in range(3):
        account.stepfunctions.add(f"bk_{n}")
    redrive(account, "--all")
    drawn = account.err.getvalue()
    assert "3/3" in drawn
    assert drawn.rpartition("\x1b[2K")[2].count("redriving") == 1


def test_what_a_redrive_cannot_mend_is_left_out_unless_its_error_is_named(account):
    account.stepfunctions.add("bk_bad", error="InvalidBooking")
    account.stepfunctions.add("bk_known", error="BookingConflict")
    account.stepfunctions.add("bk_good")
    assert redrive(account, "--all") == 0
    assert account.stepfunctions.redriven.total() == 1
    assert account.out.getvalue().count("left out: ") == 2
    assert redrive(account, "--error", "InvalidBooking") == 0
    assert account.stepfunctions.redriven.total() == 2


def test_the_error_filter_takes_that_error_alone(account):
    wanted = account.stepfunctions.add("bk_1", error="EmailThrottled")
    account.stepfunctions.add("bk_2", error="TicketConflict")
    assert redrive(account, "--error", "EmailThrottled") == 0
    assert account.stepfunctions.redriven == {wanted: 1}


def test_a_dry_run_redrives_nothing(account):
    account.stepfunctions.add("bk_1")
    assert redrive(account, "--all", "--dry-run") == 0
    assert account.stepfunctions.calls["RedriveExecution"] == 0
    assert "1 would be redriven, 0 left out" in account.out.getvalue()


def test_the_exit_code_tells_that_one_failed_again(account):
    account.stepfunctions.add("bk_1")
    account.stepfunctions.run = lambda execution: execution.update(status="FAILED")
    assert redrive(account, "--all") == 1
    assert "1 failed again" in account.out.getvalue()


def test_an_execution_that_aws_cannot_redrive_is_left_out_with_aws_reason(account):
    reason = "Execution redrivable period exceeded"
    arn = account.stepfunctions.add(
        "bk_old", redriveStatus="NOT_REDRIVABLE", redriveStatusReason=reason
    )
    assert redrive(account, arn) == 1
    assert reason in account.out.getvalue()
    assert account.stepfunctions.calls["RedriveExecution"] == 0


def test_a_refused_redrive_is_reported_and_the_others_go_on(account):
    first = account.stepfunctions.add("bk_1")
    account.stepfunctions.add("bk_2")
    calls = account.stepfunctions.calls

    def refuse_first(api: str) -> None:
        if api == "RedriveExecution" and calls[api] == 1:
            raise refusal(api, "ExecutionNotRedrivable", "Execution history event limit exceeded")

    account.stepfunctions.on_call = refuse_first
    assert redrive(account, "--all") == 1
    assert first not in account.stepfunctions.redriven
    assert account.stepfunctions.redriven.total() == 1
    assert "refused: Execution history event limit exceeded" in account.out.getvalue()


def test_the_table_is_written_even_when_aws_stops_answering_half_way(account):
    for n in range(5):
        account.stepfunctions.add(f"bk_{n}")

    def deny(api: str) -> None:
        if api == "RedriveExecution" and account.stepfunctions.calls[api] == 3:
            raise refusal(api, "AccessDeniedException", "no more")

    account.stepfunctions.on_call = deny
    assert redrive(account, "--all", "--no-wait") == 3
    assert "2 redriven" in account.out.getvalue()
    assert "3 not redriven" in account.out.getvalue()


def test_on_aws_a_booking_is_redriven_through_its_claim_without_a_listing(account):
    account.endpoint = None
    arn = account.stepfunctions.add("bk_1")
    account.stepfunctions.add("bk_2")
    account.tables.claim("bk_1", arn)
    assert redrive(account, "bk_1") == 0
    assert account.stepfunctions.redriven == {arn: 1}
    assert account.stepfunctions.calls["ListExecutions"] == 0


def test_nothing_is_redriven_unless_one_says_what(account):
    account.stepfunctions.add("bk_1")
    assert redrive(account) == 2
    assert account.stepfunctions.calls.total() == 0


def test_json_tells_of_each_execution_once(account):
    account.stepfunctions.add("bk_1")
    account.stepfunctions.add("bk_bad", error="InvalidBooking")
    assert redrive(account, "--all", "--json") == 0
    told = json.loads(account.out.getvalue())
    counts = {name: told[name] for name in ("redriven", "succeeded", "failed", "leftOut")}
    assert counts == {"redriven": 1, "succeeded": 1, "failed": 0, "leftOut": 1}
    assert {(e["bookingId"], e["status"], e["leftOut"]) for e in told["executions"]} == {
        ("bk_1", "SUCCEEDED", False),
        ("bk_bad", "FAILED", True),
    }
