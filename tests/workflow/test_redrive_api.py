"""RedriveExecution and what the other actions tell of it.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_RedriveExecution.html
https://docs.aws.amazon.com/step-functions/latest/apireference/API_DescribeExecution.html
"""

import json
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError

from local_stack import redrive
from local_stack.redrive import eligibility
from local_stack.redrive.eligibility import Facts, refusal
from local_stack.redrive.run import FinishedRun
from workflow.engine import PATIENCE, Gate, Switch, chain, inline_map, task

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def refused(action, **arguments):
    with pytest.raises(ClientError) as raised:
        action(**arguments)
    error = raised.value.response["Error"]
    return error["Code"], error["Message"]


@pytest.fixture
def failed(engine):
    """An execution whose one task failed, and will not again."""
    engine.functions["task"] = broken = Switch()
    arn = engine.run(chain(Task=task("task")), {"in": 1})
    broken.repair()
    return arn


@pytest.fixture
def later():
    """Moves the clock that tells what is too old to be redriven."""

    def move(by):
        redrive.install(now=lambda: datetime.now(UTC) + by)

    yield move
    redrive.install()


def test_a_failed_execution_is_redrivable_and_tells_so(engine, failed):
    before = engine.describe(failed)
    assert (before["status"], before["error"]) == ("FAILED", "Broken")
    assert (before["redriveCount"], before["redriveStatus"]) == (0, "REDRIVABLE")
    assert "redriveStatusReason" not in before
    assert "redriveDate" not in before


def test_while_it_runs_again_nothing_is_left_of_its_end(engine, failed):
    engine.functions["task"] = held = Gate()
    answer = engine.client.redrive_execution(executionArn=failed)
    assert held.reached.wait(PATIENCE)
    running = engine.describe(failed)
    assert running["status"] == "RUNNING"
    assert not {"error", "cause", "stopDate", "output"} & set(running)
    assert running["redriveDate"] == answer["redriveDate"]
    assert running["redriveStatusReason"] == "Execution is RUNNING and cannot be redriven"
    held.open()

    after = engine.ended(failed)
    assert after["status"] == "SUCCEEDED"
    assert json.loads(after["output"]) == json.loads(after["input"]) == {"in": 1}
    assert after["stopDate"] > after["redriveDate"]
    assert (after["redriveCount"], after["redriveStatus"]) == (1, "NOT_REDRIVABLE")
    assert after["redriveStatusReason"] == "Execution is SUCCEEDED and cannot be redriven"


def test_a_succeeded_execution_is_not_redriven(engine):
    arn = engine.run(chain(Task=task("task")))
    assert refused(engine.client.redrive_execution, executionArn=arn) == (
        "ExecutionNotRedrivable",
        "Execution is SUCCEEDED and cannot be redriven",
    )
    assert len(engine.called("task")) == 1


def test_a_running_execution_is_not_redriven(engine):
    engine.functions["task"] = held = Gate()
    arn = engine.start(chain(Task=task("task")))
    assert refused(engine.client.redrive_execution, executionArn=arn) == (
        "ExecutionNotRedrivable",
        "Execution is RUNNING and cannot be redriven",
    )
    held.open()
    assert engine.ended(arn)["status"] == "SUCCEEDED"
    assert engine.types(arn).count("ExecutionStarted") == 1


def test_after_15_days_it_is_not_redriven(engine, failed, later):
    later(timedelta(days=15))
    reason = "Execution redrivable period exceeded"
    code, message = refused(engine.client.redrive_execution, executionArn=failed)
    assert (code, message) == ("ExecutionNotRedrivable", reason)
    assert engine.describe(failed)["redriveStatusReason"] == reason
    later(timedelta(days=13, hours=23))
    assert engine.redrive(failed)["status"] == "SUCCEEDED"


def test_a_full_history_is_not_redriven(engine, failed, monkeypatch):
    reason = "Execution history event limit exceeded"
    length = len(engine.history(failed))
    monkeypatch.setattr(eligibility, "EVENT_LIMIT", length)
    assert refused(engine.client.redrive_execution, executionArn=failed) == (
        "ExecutionNotRedrivable",
        reason,
    )
    monkeypatch.setattr(eligibility, "EVENT_LIMIT", length + 1)
    assert engine.redrive(failed)["status"] == "SUCCEEDED"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({}, None),
        ({"status": "TIMED_OUT"}, None),
        ({"status": "ABORTED"}, None),
        ({"events": 24_998}, None),
        ({"events": 24_999}, "Execution history event limit exceeded"),
        ({"stopped": NOW - timedelta(days=14)}, None),
        ({"stopped": NOW - timedelta(days=14, seconds=1)}, "Execution redrivable period exceeded"),
        (
            {"started": NOW - timedelta(days=366)},
            "Execution has exceeded the max execution time",
        ),
        ({"status": "SUCCEEDED"}, "Execution is SUCCEEDED and cannot be redriven"),
        ({"status": "RUNNING"}, "Execution is RUNNING and cannot be redriven"),
    ],
)
def test_the_limits_are_those_of_aws(changes, reason):
    facts = {"status": "FAILED", "type": "STANDARD", "started": NOW, "stopped": NOW, "events": 9}
    assert refusal(Facts(**(facts | changes)), NOW) == reason


def test_an_express_execution_is_not_redriven(engine):
    engine.functions["task"] = Switch()
    arn = engine.run(chain(Task=task("task")), kind="EXPRESS")
    code, _ = refused(engine.client.redrive_execution, executionArn=arn)
    assert code == "ExecutionNotRedrivable"


@pytest.mark.parametrize(
    ("arn", "code"),
    [
        ("not-an-arn", "InvalidArn"),
        (
            "arn:aws:states:eu-west-1:123456789012:execution:nowhere:nothing",
            "ExecutionDoesNotExist",
        ),
    ],
)
def test_what_does_not_exist_is_not_redriven(engine, arn, code):
    assert refused(engine.client.redrive_execution, executionArn=arn)[0] == code


def test_one_client_token_redrives_once_within_15_minutes(engine, failed, later):
    engine.functions["task"] = Switch()
    ask = {"executionArn": failed, "clientToken": "one"}
    first = engine.client.redrive_execution(**ask)
    engine.ended(failed)
    second = engine.client.redrive_execution(**ask)
    assert second["redriveDate"] == first["redriveDate"]
    assert engine.describe(failed)["redriveCount"] == 1

    later(timedelta(minutes=14, seconds=50))
    engine.client.redrive_execution(**ask)
    assert engine.describe(failed)["redriveCount"] == 1
    later(timedelta(minutes=15, seconds=1))
    engine.client.redrive_execution(**ask)
    assert engine.ended(failed)["redriveCount"] == 2


def test_a_token_is_answered_alike_after_the_success_that_it_led_to(engine, failed):
    ask = {"executionArn": failed, "clientToken": "one"}
    first = engine.client.redrive_execution(**ask)
    assert engine.ended(failed)["status"] == "SUCCEEDED"
    assert engine.client.redrive_execution(**ask)["redriveDate"] == first["redriveDate"]


def test_the_last_ten_tokens_are_kept(engine, failed):
    engine.functions["task"] = Switch()
    for number in range(11):
        engine.client.redrive_execution(executionArn=failed, clientToken=f"token-{number}")
        engine.ended(failed)
    for kept in range(1, 11):
        engine.client.redrive_execution(executionArn=failed, clientToken=f"token-{kept}")
    assert engine.ended(failed)["redriveCount"] == 11
    engine.client.redrive_execution(executionArn=failed, clientToken="token-0")
    assert engine.ended(failed)["redriveCount"] == 12


@pytest.mark.parametrize("token", ["with space", "ümlaut", "x" * 65])
def test_a_token_that_aws_does_not_take_is_refused(engine, failed, token):
    code, _ = refused(engine.client.redrive_execution, executionArn=failed, clientToken=token)
    assert code == "ValidationException"
    assert engine.describe(failed)["redriveCount"] == 0


def test_of_concurrent_redrives_one_wins(engine, failed, monkeypatch):
    engine.functions["task"] = held = Gate()
    resume, long = FinishedRun.resume, threading.Event()

    def resume_slowly(finished):
        long.wait(0.3)  # long enough for the others to come in between
        return resume(finished)

    monkeypatch.setattr(FinishedRun, "resume", resume_slowly)
    together = threading.Barrier(8)
    outcomes = Counter()

    def redrive_now(number):
        together.wait(PATIENCE)
        try:
            engine.client.redrive_execution(executionArn=failed, clientToken=f"t{number}")
            outcomes["redriven"] += 1
        except ClientError as error:
            outcomes[error.response["Error"]["Code"]] += 1

    threads = [threading.Thread(target=redrive_now, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    held.open()
    assert outcomes == {"redriven": 1, "ExecutionNotRedrivable": 7}
    assert engine.ended(failed)["redriveCount"] == 1
    assert engine.types(failed).count("ExecutionRedriven") == 1


def test_the_definition_is_that_of_the_start_though_the_machine_was_updated(engine):
    engine.functions["old"] = broken = Switch()
    old = chain(Old=task("old"))
    arn = engine.run(old)
    machine = engine.describe(arn)["stateMachineArn"]
    new = json.dumps(chain(New=task("new")))
    engine.client.update_state_machine(stateMachineArn=machine, definition=new)
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.entered(arn) == ["Old"]
    described = engine.client.describe_state_machine_for_execution(executionArn=arn)
    assert json.loads(described["definition"]) == old


def test_a_listing_tells_the_redrives(engine, failed):
    engine.functions["task"] = Switch()
    engine.redrive(failed)
    machine = engine.describe(failed)["stateMachineArn"]
    listing = engine.client.list_executions
    (item,) = listing(stateMachineArn=machine, statusFilter="FAILED")["executions"]
    described = engine.describe(failed)
    assert {key: item[key] for key in ("redriveCount", "redriveDate", "stopDate", "status")} == {
        "redriveCount": 1,
        "redriveDate": described["redriveDate"],
        "stopDate": described["stopDate"],
        "status": "FAILED",
    }
    for impossible in ({"redriveFilter": "REDRIVEN"}, {"statusFilter": "PENDING_REDRIVE"}):
        code, _ = refused(listing, stateMachineArn=machine, **impossible)
        assert code == "ValidationException"


def test_a_stopped_execution_ends_at_once_as_the_caller_says_and_is_redriven(engine):
    engine.functions["task"] = held = Gate()
    definition = chain(All=inline_map(chain(Task=task("task", Next="End"), End=task("end"))))
    arn = engine.start(definition, [1])
    assert held.reached.wait(PATIENCE)
    stop = {"executionArn": arn, "error": "Operator", "cause": "by hand"}
    stopped = engine.client.stop_execution(**stop)
    described = engine.describe(arn)
    assert described["status"] == "ABORTED"
    assert described["stopDate"] == stopped["stopDate"]
    assert (described["error"], described["cause"]) == ("Operator", "by hand")
    assert engine.types(arn)[-4:] == [
        "TaskStateAborted",
        "MapIterationAborted",
        "MapStateAborted",
        "ExecutionAborted",
    ]
    assert engine.client.stop_execution(**stop)["stopDate"] == stopped["stopDate"]

    engine.functions["task"] = again = Gate()
    engine.calls.clear()
    engine.client.redrive_execution(executionArn=arn)
    assert again.reached.wait(PATIENCE)
    # The function that ran on through the stop answers now: to nobody.
    name = f"execution {arn.rsplit(':', 1)[1]}"
    held.open()
    engine.wait_for(lambda: [thread.name for thread in threading.enumerate()].count(name) == 1)
    assert engine.describe(arn)["status"] == "RUNNING"
    again.open()
    assert engine.ended(arn)["status"] == "SUCCEEDED"
    assert engine.called("task") == engine.called("end") == [1]
    assert engine.types(arn).count("MapIterationSucceeded") == 1


def test_a_machine_that_timed_out_has_its_whole_time_again(engine):
    engine.functions |= {"quick": lambda value: value, "slow": (held := Gate())}
    definition = chain(Quick=task("quick", Next="Slow"), Slow=task("slow")) | {"TimeoutSeconds": 2}
    arn = engine.run(definition)
    described = engine.describe(arn)
    assert described["status"] == "TIMED_OUT"
    assert described["stopDate"]
    assert described["redriveStatus"] == "REDRIVABLE"
    assert engine.types(arn)[-2:] == ["TaskStateAborted", "ExecutionTimedOut"]
    held.open()

    again = engine.redrive(arn)
    assert again["status"] == "SUCCEEDED"
    assert [name for name, _ in engine.calls] == ["slow"]
    assert again["stopDate"] - again["startDate"] > timedelta(seconds=2)


def test_nothing_goes_on_of_an_execution_that_timed_out(engine):
    before = threading.active_count()
    engine.functions["task"] = held = Gate()
    items = inline_map(chain(Task=task("task")), MaxConcurrency=1)
    arn = engine.run(chain(All=items) | {"TimeoutSeconds": 1}, [1, 2, 3])
    assert engine.describe(arn)["status"] == "TIMED_OUT"
    ended = engine.history(arn)
    held.open()
    engine.wait_for(lambda: threading.active_count() <= before)
    assert engine.called("task") == [1]
    assert engine.history(arn) == ended


def test_an_execution_that_is_stopped_as_it_starts_stays_stopped(engine):
    for _ in range(20):
        arn = engine.start(chain(Task=task("task", Next="End"), End=task("end")))
        engine.client.stop_execution(executionArn=arn)
        status = engine.ended(arn)["status"]
        assert (
            engine.types(arn)[-1]
            == {
                "ABORTED": "ExecutionAborted",
                "SUCCEEDED": "ExecutionSucceeded",
            }[status]
        )


def test_a_tasks_timeout_starts_afresh(engine):
    engine.functions["slow"] = held = Gate()
    arn = engine.run(chain(Slow=task("slow", TimeoutSeconds=1)))
    assert engine.describe(arn)["error"] == "States.Timeout"
    held.open()
    assert engine.redrive(arn)["status"] == "SUCCEEDED"


def test_what_is_kept_of_a_finished_execution_is_small(engine):
    from moto.stepfunctions.parser.models import stepfunctions_parser_backends

    from local_stack.aws import ACCOUNT, REGION

    engine.functions["work"] = Switch(fits=lambda value: value == 99)
    arn = engine.run(
        chain(All=inline_map(chain(Work=task("work")), MaxConcurrency=1)), list(range(100))
    )
    backend = stepfunctions_parser_backends[ACCOUNT][REGION]
    kept = backend.describe_execution(arn).exec_worker
    assert kept.length > 600
    assert len(kept._kept) < 40_000
    assert not hasattr(kept.env, "states")
