"""What each type of state does on a redrive.

https://docs.aws.amazon.com/step-functions/latest/dg/redrive-executions.html
"""

import json
import time
from datetime import UTC, datetime, timedelta

import pytest

from workflow.engine import Failure, Gate, Switch, chain, inline_map, task


def output(engine, arn):
    return json.loads(engine.describe(arn)["output"])


def parallel(*branches, **fields):
    return {"Type": "Parallel", "Branches": list(branches), "End": True} | fields


def test_a_task_starts_again_and_what_was_done_before_it_is_kept(engine):
    engine.functions["second"] = broken = Switch()
    engine.functions["first"] = lambda value: value | {"made": 1}
    arn = engine.run(chain(First=task("first", Next="Second"), Second=task("second")), {"a": 0})
    assert engine.describe(arn)["status"] == "FAILED"
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.calls == [("second", {"a": 0, "made": 1})]
    assert engine.entered(arn) == ["Second"]
    assert output(engine, arn) == {"a": 0, "made": 1}


def test_a_pass_that_failed_is_left_and_not_executed(engine):
    bad = {"Type": "Pass", "Parameters": {"x.$": "$.absent"}, "Next": "After"}
    arn = engine.run(chain(Bad=bad, After=task("after")), {"a": 1})
    assert engine.describe(arn)["error"] == "States.Runtime"

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.since_redrive(arn)[0]["type"] == "PassStateExited"
    assert engine.entered(arn) == ["After"]
    assert engine.called("after") == [{"a": 1}]


def test_a_pass_that_was_left_is_not_executed_and_one_that_was_never_entered_is(engine):
    engine.functions["task"] = broken = Switch()
    before = {"Type": "Pass", "Result": "before", "Next": "Task"}
    after = {"Type": "Pass", "Result": "after", "End": True}
    arn = engine.run(chain(Before=before, Task=task("task", Next="After"), After=after))
    broken.repair()

    engine.redrive(arn)
    assert engine.entered(arn) == ["Task", "After"]
    assert engine.called("task") == ["before"]
    assert output(engine, arn) == "after"


def test_a_choice_that_failed_is_evaluated_again(engine):
    rule = {"Variable": "$$.Execution.RedriveCount", "NumericGreaterThan": 0, "Next": "Done"}
    choice = {"Type": "Choice", "Choices": [rule]}
    arn = engine.run(chain(Choose=choice, Done={"Type": "Succeed"}))
    assert engine.describe(arn)["status"] == "FAILED"

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.entered(arn) == ["Choose", "Done"]


def test_a_choice_that_was_left_is_not_evaluated_again(engine):
    engine.functions["once"] = broken = Switch()
    rule = {"Variable": "$$.Execution.RedriveCount", "NumericEquals": 0, "Next": "Once"}
    choice = {"Type": "Choice", "Choices": [rule], "Default": "Later"}
    arn = engine.run(chain(Choose=choice, Once=task("once"), Later=task("later")))
    broken.repair()

    engine.redrive(arn)
    assert engine.entered(arn) == ["Once"]


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
def test_a_wait_whose_timestamp_has_passed_goes_on(engine, monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        until = datetime.now(UTC) + timedelta(seconds=5)
        wait = {"Type": "Wait", "TimestampPath": "$.until", "Next": "After"}
        broken = Switch()

        def fail(value):
            engine.wait_for(lambda: "WaitStateEntered" in engine.types(engine.arn))
            return broken(value)

        engine.functions["fail"] = fail
        definition = chain(
            Both=parallel(chain(Hold=wait, After=task("after")), chain(Break=task("fail")))
        )
        arn = engine.start(definition, {"until": until.strftime("%Y-%m-%dT%H:%M:%SZ")})
        engine.ended(arn)
        assert "WaitStateAborted" in engine.types(arn)
        assert datetime.now(UTC) < until
        broken.repair()
        engine.wait_for(lambda: datetime.now(UTC) > until)

        assert engine.redrive(arn)["status"] == "SUCCEEDED"
    finally:
        monkeypatch.undo()
        time.tzset()
    at = {event["type"]: event["timestamp"] for event in engine.since_redrive(arn)}
    assert at["WaitStateExited"] - at["WaitStateEntered"] < timedelta(seconds=1)
    assert engine.called("after")


def test_a_fail_fails_again(engine):
    arn = engine.run(chain(No={"Type": "Fail", "Error": "No", "Cause": "as ever"}))
    again = engine.redrive(arn)
    assert (again["status"], again["error"], again["cause"]) == ("FAILED", "No", "as ever")
    assert [event["type"] for event in engine.since_redrive(arn)] == [
        "FailStateEntered",
        "ExecutionFailed",
    ]


def test_of_a_parallel_only_failed_and_aborted_branches_run_each_from_the_step_not_left(engine):
    engine.functions |= {"b2": (broken := Switch()), "c2": (slow := Gate())}
    engine.functions["a1"] = lambda value: "a"

    def fail_once_others_are_far(value):
        if broken.error:
            assert slow.reached.wait(10)
            engine.wait_for(lambda: engine.types(engine.arn).count("TaskStateExited") >= 3)
        return broken(value)

    engine.functions["b2"] = fail_once_others_are_far
    definition = chain(
        All=parallel(
            chain(A1=task("a1")),
            chain(B1=task("b1", Next="B2"), B2=task("b2")),
            chain(C1=task("c1", Next="C2"), C2=task("c2", Next="C3"), C3=task("c3")),
        )
    )
    arn = engine.start(definition, "in")
    engine.ended(arn)
    slow.open()
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert sorted(name for name, _ in engine.calls) == ["b2", "c2", "c3"]
    assert sorted(engine.entered(arn)) == ["All", "B2", "C2", "C3"]
    assert output(engine, arn) == ["a", "in", "in"]


def seats(**fields):
    steps = chain(One=task("one", Next="Two"), Two=task("two", Next="Three"), Three=task("three"))
    return chain(Seats=inline_map(steps, **fields))


def test_of_a_map_only_failed_and_aborted_iterations_run_each_from_the_step_not_left(engine):
    held = Gate()
    broken = Switch(fits=lambda value: value == 2)

    def two(value):
        if value == 1:
            held(value)
        if value == 2 and broken.error:
            assert held.reached.wait(10)
            engine.wait_for(lambda: "MapIterationSucceeded" in engine.types(engine.arn))
        return broken(value)

    engine.functions["two"] = two
    running = engine.start(seats(), [0, 1, 2])
    engine.ended(running)
    held.open()
    broken.repair()

    assert engine.redrive(running)["status"] == "SUCCEEDED"
    assert engine.called("one") == []
    assert sorted(engine.called("two")) == sorted(engine.called("three")) == [1, 2]
    assert output(engine, running) == [0, 1, 2]


def test_iterations_that_never_started_start_on_the_redrive(engine):
    engine.functions["one"] = broken = Switch(fits=lambda value: value == 1)
    arn = engine.run(seats(MaxConcurrency=1), [0, 1, 2, 3])
    assert engine.called("one") == [0, 1]
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.called("one") == [1, 2, 3]
    assert output(engine, arn) == [0, 1, 2, 3]


def test_an_iteration_that_had_no_items_left_to_do_gives_its_kept_output(engine):
    engine.functions["one"] = lambda value: {"seat": value}
    engine.functions["two"] = broken = Switch(fits=lambda value: value["seat"] == 9)
    arn = engine.run(seats(MaxConcurrency=1), [7, 8, 9])
    broken.repair()
    engine.functions["one"] = lambda value: "never asked for"
    engine.redrive(arn)
    assert output(engine, arn) == [{"seat": 7}, {"seat": 8}, {"seat": 9}]


@pytest.mark.parametrize("kind", ["Parallel", "Map"])
def test_after_the_data_limit_all_branches_and_iterations_run_again(engine, kind):
    size = [200_000]
    engine.functions["large"] = lambda value: "x" * size[0]
    work = chain(Large=task("large"))
    state = parallel(work, work) if kind == "Parallel" else inline_map(work)
    arn = engine.run(chain(Work=state), [1, 2])
    assert engine.describe(arn)["error"] == "States.DataLimitExceeded"
    size[0] = 10

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert len(engine.called("large")) == 2


def test_a_loop_goes_on_in_the_round_that_failed(engine):
    engine.functions["count"] = lambda value: {"n": value["n"] + 1}
    engine.functions["work"] = broken = Switch(fits=lambda value: value["n"] == 3)
    enough = {"Variable": "$.n", "NumericGreaterThanEquals": 5, "Next": "Done"}
    definition = chain(
        Count=task("count", Next="Work"),
        Work=task("work", Next="Enough"),
        Enough={"Type": "Choice", "Choices": [enough], "Default": "Count"},
        Done={"Type": "Succeed"},
    )
    arn = engine.run(definition, {"n": 0})
    assert engine.called("work") == [{"n": 1}, {"n": 2}, {"n": 3}]
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.called("work") == [{"n": 3}, {"n": 4}, {"n": 5}]
    assert engine.called("count") == [{"n": 3}, {"n": 4}]


def test_a_map_in_a_loop_keeps_nothing_of_the_round_before(engine):
    engine.functions["work"] = broken = Switch(fits=lambda value: value == {"round": 1, "i": 1})
    step = chain(Work=task("work"))
    select = {"round.$": "$.round", "i.$": "$$.Map.Item.Value"}
    more = {"Variable": "$.round", "NumericLessThan": 2, "Next": "All"}
    definition = chain(
        All=inline_map(
            step, ItemsPath="$.items", ItemSelector=select, MaxConcurrency=1, ResultPath=None
        )
        | {"Next": "Count"},
        Count=task("count", Next="More"),
        More={"Type": "Choice", "Choices": [more], "Default": "Done"},
        Done={"Type": "Succeed"},
    )
    del definition["States"]["All"]["End"]
    engine.functions["count"] = lambda value: value | {"round": value["round"] + 1}
    arn = engine.run(definition, {"round": 0, "items": [0, 1]})
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.called("work") == [{"round": 1, "i": 1}]


def test_a_failure_that_was_caught_is_not_redriven(engine):
    engine.functions |= {"caught": Switch("Caught"), "last": (broken := Switch("Last"))}
    catch = [{"ErrorEquals": ["Caught"], "Next": "Last"}]
    arn = engine.run(chain(Try=task("caught", Catch=catch), Last=task("last")))
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.entered(arn) == ["Last"]


def test_retries_are_counted_afresh(engine):
    engine.functions["task"] = Switch()
    retry = [{"ErrorEquals": ["Broken"], "IntervalSeconds": 1, "MaxAttempts": 2}]
    arn = engine.run(chain(Task=task("task", Retry=retry)))
    assert len(engine.called("task")) == 3
    assert engine.redrive(arn)["status"] == "FAILED"
    assert len(engine.called("task")) == 3


def test_after_a_parallels_own_retry_the_last_attempt_is_what_goes_on(engine):
    broken = Switch()

    def fail_after_the_other(value):
        attempt = len(engine.called("left"))
        if broken.error:
            engine.wait_for(lambda: engine.types(engine.arn).count("TaskStateExited") == attempt)
        return broken(value)

    engine.functions["left"] = fail_after_the_other
    retry = [{"ErrorEquals": ["Broken"], "IntervalSeconds": 1, "MaxAttempts": 1}]
    step = chain(Left=task("left"))
    arn = engine.start(chain(Both=parallel(step, chain(Right=task("right")), Retry=retry)))
    engine.ended(arn)
    assert len(engine.called("left")) == 2
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.called("left") == [{}]


def test_an_execution_fails_again_and_is_redriven_again(engine):
    engine.functions |= {"a": (a := Switch("A")), "b": (b := Switch("B"))}
    arn = engine.run(chain(A=task("a", Next="B"), B=task("b", Next="C"), C=task("c")))
    a.repair()
    second = engine.redrive(arn)
    assert (second["status"], second["error"], second["redriveCount"]) == ("FAILED", "B", 1)
    assert engine.entered(arn) == ["A", "B"]
    b.repair()
    third = engine.redrive(arn)
    assert (third["status"], third["redriveCount"]) == ("SUCCEEDED", 2)
    assert engine.entered(arn) == ["B", "C"]


def test_a_map_inside_a_parallel_inside_a_map_goes_on_where_it_stopped(engine):
    broken = Switch(fits=lambda value: value == 31)
    engine.functions["work"] = broken
    numbers = chain(
        Numbers=inline_map(chain(Work=task("work", Next="Mark"), Mark=task("mark")))
        | {"MaxConcurrency": 1}
    )
    groups = chain(Fork=parallel(numbers, chain(Aside=task("aside"))))
    arn = engine.run(chain(Groups=inline_map(groups, MaxConcurrency=1)), [[10, 11], [30, 31], [50]])
    assert engine.describe(arn)["status"] == "FAILED"
    engine.functions["aside"] = lambda value: "again"
    broken.repair()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    assert engine.called("work") == [31, 50]
    assert engine.called("mark") == [31, 50]
    assert [group[0] for group in output(engine, arn)] == [[10, 11], [30, 31], [50]]


def test_the_context_tells_the_redrive(engine):
    def tell(value):
        if "time" not in value:
            raise Failure("NotYet")
        return value

    engine.functions["tell"] = tell
    see = {"count.$": "$$.Execution.RedriveCount", "all.$": "$$.Execution"}
    shown = task("show", Parameters={"FunctionName": "show", "Payload": see})
    engine.functions["show"] = broken = Switch()
    arn = engine.run(chain(Show=shown))
    assert engine.called("show")[0]["count"] == 0
    assert "RedriveTime" not in engine.called("show")[0]["all"]
    broken.repair()

    date = engine.redrive(arn)["redriveDate"]
    seen = engine.called("show")[0]
    assert seen["count"] == 1
    told = datetime.fromisoformat(seen["all"]["RedriveTime"])
    assert abs(told - date) < timedelta(seconds=1)
