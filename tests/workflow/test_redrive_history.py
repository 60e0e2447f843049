"""What the history shows of what failed, of what was aborted and of a redrive.

The shapes are those of histories recorded on AWS: an iteration that fails among four, a caught
Parallel, a Map that retries.
"""

import threading
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from execution_history import read_history
from local_stack.redrive import history_page
from workflow.engine import Gate, Switch, chain, inline_map, task


def of_type(events, kind):
    return [event for event in events if event["type"] == kind]


def fail_one_of_four(engine, failing):
    """Iteration ``failing`` fails while the others are in their Task. Returns the execution."""
    others = [Gate() for _ in range(4)]

    def work(value):
        if value != failing:
            return others[value](value)
        for index, gate in enumerate(others):
            assert index == failing or gate.reached.wait(10)
        return Switch()(value)

    engine.functions["work"] = work
    arn = engine.run(
        chain(All=inline_map(chain(Work=task("work", Next="End"), End=task("end")))), [0, 1, 2, 3]
    )
    return arn, others


def test_siblings_of_a_failed_iteration_are_shown_as_aborted(engine):
    arn, others = fail_one_of_four(engine, failing=2)
    events = engine.history(arn)
    failed = of_type(events, "TaskFailed")[0]
    after = [(event["type"], event["previousEventId"]) for event in events[failed["id"] :]]
    aborted = [("TaskStateAborted", failed["id"]), ("MapIterationAborted", failed["id"])]
    assert after == [
        ("MapIterationFailed", failed["id"]),
        *aborted * 3,
        ("MapStateFailed", failed["id"]),
        ("ExecutionFailed", failed["id"] + 8),
    ]
    indices = [e["mapIterationAbortedEventDetails"] for e in of_type(events, "MapIterationAborted")]
    assert indices == [{"name": "All", "index": index} for index in (0, 1, 3)]
    for gate in others:
        gate.open()


def test_what_an_aborted_task_answers_later_is_not_in_the_history_and_leads_to_nothing(engine):
    arn, others = fail_one_of_four(engine, failing=2)
    before = engine.history(arn)
    for gate in others:
        gate.open()
    engine.functions["work"] = Gate()
    engine.functions["work"].open()

    assert engine.redrive(arn)["status"] == "SUCCEEDED"
    events = engine.history(arn)
    assert events[: len(before)] == before
    assert sorted(engine.called("work")) == sorted(engine.called("end")) == [0, 1, 2, 3]


def test_siblings_of_a_failed_branch_are_shown_as_aborted(engine):
    held = Gate()

    def fail(value):
        assert held.reached.wait(10)
        return Switch()(value)

    engine.functions |= {"held": held, "fail": fail}
    both = {"Type": "Parallel", "End": True}
    inner = chain(Items=inline_map(chain(Held=task("held"))))
    both["Branches"] = [inner, chain(Break=task("fail"))]
    arn = engine.run(chain(Both=both), [1])
    held.open()
    assert engine.types(arn)[-6:] == [
        "TaskFailed",
        "TaskStateAborted",
        "MapIterationAborted",
        "MapStateAborted",
        "ParallelStateFailed",
        "ExecutionFailed",
    ]


def test_a_redrive_appends_to_the_history_it_finds(engine):
    engine.functions["task"] = broken = Switch()
    arn = engine.run(chain(Task=task("task")))
    before = engine.history(arn)
    engine.redrive(arn)
    broken.repair()
    engine.redrive(arn)

    events = engine.history(arn)
    assert events[: len(before)] == before
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    redriven = of_type(events, "ExecutionRedriven")
    assert [e["executionRedrivenEventDetails"]["redriveCount"] for e in redriven] == [1, 2]
    for event in redriven:
        assert events[event["previousEventId"] - 1]["type"] == "ExecutionFailed"
        following = events[event["id"]]
        assert following["type"] == "TaskStateEntered"
        assert following["previousEventId"] == event["id"]
    assert len(of_type(events, "ExecutionStarted")) == 1


def test_an_iteration_that_was_done_is_told_of_once(engine):
    engine.functions["work"] = Switch(fits=lambda value: value == 2)
    arn = engine.run(chain(All=inline_map(chain(Work=task("work")), MaxConcurrency=1)), [0, 1, 2])
    engine.redrive(arn)
    done = of_type(engine.history(arn), "MapIterationSucceeded")
    assert [e["mapIterationSucceededEventDetails"]["index"] for e in done] == [0, 1]
    failed = of_type(engine.history(arn), "MapIterationFailed")
    assert [e["mapIterationFailedEventDetails"]["index"] for e in failed] == [2, 2]


def test_what_was_aborted_is_not_heard_of_again_while_the_execution_goes_on(engine):
    held, after = Gate(), Gate()
    threads = []

    def work(value):
        if value == 0:
            threads.append(threading.current_thread())
            return held(value)
        assert held.reached.wait(10)
        return Switch()(value)

    engine.functions |= {"work": work, "after": after}
    steps = chain(Work=task("work", Next="More"), More=task("more"))
    catch = [{"ErrorEquals": ["Broken"], "Next": "After"}]
    arn = engine.start(chain(All=inline_map(steps, Catch=catch), After=task("after")), [0, 1])
    assert after.reached.wait(10)
    held.open()
    for thread in threads:
        thread.join(10)
    after.open()
    engine.ended(arn)
    types = engine.types(arn)
    assert types[types.index("MapStateFailed") :] == [
        "MapStateFailed",
        "MapStateExited",
        "TaskStateEntered",
        "TaskScheduled",
        "TaskStarted",
        "TaskSucceeded",
        "TaskStateExited",
        "ExecutionSucceeded",
    ]
    assert engine.called("more") == []


def test_a_state_is_not_left_once_its_execution_is_being_stopped():
    """Between the stop and its event another thread may still come to the end of a state."""
    from moto.stepfunctions.parser.asl.eval.program_state import ProgramStopped

    from local_stack.redrive.progress import Entered, Progress
    from local_stack.redrive.recorder import Recorder

    root = Progress(entered=Entered("Task", "TaskState", 1))
    stopped = ProgramStopped(stop_date=None, error=None, cause=None)
    env = SimpleNamespace(progress=root, _program_state=stopped, next_state_name=None)
    context = SimpleNamespace(env=env, source_event_id=1, last_published_event_id=1)
    recorder = Recorder([{"id": 1}], root)
    details = {"stateExitedEventDetails": {"name": "Task", "output": "{}"}}
    recorder.add_event(context, "TaskStateExited", details)
    recorder.end("ExecutionAborted", {"executionAbortedEventDetails": {}})
    assert [e.get("type") for e in recorder.events[1:]] == ["TaskStateAborted", "ExecutionAborted"]
    assert root.entered
    assert root.exited is None


def test_a_thread_of_something_aborted_starts_nothing_and_is_not_heard():
    from local_stack.redrive.progress import Progress
    from local_stack.redrive.recorder import Abandoned, Recorder

    env = SimpleNamespace(progress=Progress(closed=True), _program_state=None)
    context = SimpleNamespace(env=env, source_event_id=1, last_published_event_id=1)
    recorder = Recorder([{"id": 1}], Progress())
    for start in ("TaskStateEntered", "TaskScheduled", "LambdaFunctionScheduled"):
        with pytest.raises(Abandoned):
            recorder.add_event(context, start, {})
    for end in ("TaskSucceeded", "TaskFailed", "TaskStateExited", "MapIterationSucceeded"):
        recorder.add_event(context, end, {})
    assert recorder.events == [{"id": 1}]


def test_each_event_follows_from_an_earlier_one(engine):
    broken = Switch(fits=lambda value: value == 1)
    engine.functions["work"] = broken
    arn = engine.run(chain(All=inline_map(chain(Work=task("work")))), [0, 1, 2])
    broken.repair()
    engine.redrive(arn)
    assert all(event["previousEventId"] < event["id"] for event in engine.history(arn))


def ids(answer):
    return [event["id"] for event in answer["events"]]


def test_a_history_comes_in_pages_of_100_and_of_the_size_that_is_asked_for(engine):
    arn = engine.run(chain(All=inline_map(chain(Work=task("work")))), list(range(30)))
    get = engine.client.get_execution_history
    every = ids(get(executionArn=arn, maxResults=1000))
    assert len(every) > 200

    assert ids(get(executionArn=arn)) == ids(get(executionArn=arn, maxResults=0)) == every[:100]
    seen, answer = [], get(executionArn=arn, maxResults=7)
    while True:
        assert len(answer["events"]) <= 7
        seen += ids(answer)
        if "nextToken" not in answer:
            break
        answer = get(executionArn=arn, maxResults=7, nextToken=answer["nextToken"])
    assert seen == every

    newest = get(executionArn=arn, reverseOrder=True, maxResults=10)
    assert ids(newest) == every[:-11:-1]
    older = get(executionArn=arn, reverseOrder=True, maxResults=1000, nextToken=newest["nextToken"])
    assert ids(older) == every[-11::-1]
    assert "nextToken" not in older


def test_a_history_comes_without_data_on_request(engine):
    arn = engine.run(chain(Task=task("task")), {"secret": 1})
    answer = engine.client.get_execution_history(executionArn=arn, includeExecutionData=False)
    assert "secret" not in str([e for e in answer["events"] if e["type"] != "TaskScheduled"])


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"nextToken": "made-up"}, "InvalidToken"),
        ({"nextToken": "AAAA"}, "InvalidToken"),
        ({"maxResults": 1001}, "ValidationException"),
    ],
)
def test_a_page_that_cannot_be_given_is_refused(engine, changes, code):
    arn = engine.run(chain(Task=task("task")))
    with pytest.raises(ClientError) as refused:
        engine.client.get_execution_history(executionArn=arn, **changes)
    assert refused.value.response["Error"]["Code"] == code


@pytest.mark.parametrize("size", range(1, 8))
@pytest.mark.parametrize("newest_first", [False, True])
def test_pages_of_any_size_hold_each_event_once(size, newest_first):
    events = [{"id": n} for n in range(1, 7)]
    seen, token = [], None
    while True:
        answer = history_page.page(events, "arn", size=size, newest_first=newest_first, token=token)
        assert answer["events"]
        seen += ids(answer)
        token = answer.get("nextToken")
        if token is None:
            break
    assert seen == ([6, 5, 4, 3, 2, 1] if newest_first else [1, 2, 3, 4, 5, 6])


def test_a_token_of_another_execution_or_order_is_not_taken():
    events = [{"id": n} for n in range(1, 7)]
    token = history_page.page(events, "one", size=2)["nextToken"]
    for arn, newest_first in (("other", False), ("one", True)):
        with pytest.raises(history_page.InvalidTokenError):
            history_page.page(events, arn, newest_first=newest_first, token=token)


def test_a_failed_parallel_points_at_the_branch_that_failed_whoever_spoke_last(engine):
    """Ten races of a branch that fails at once with one that has just begun to wait."""
    both = {"Type": "Parallel", "End": True}
    both["Branches"] = [
        {"StartAt": "Break", "States": {"Break": {"Type": "Fail", "Error": "X"}}},
        {"StartAt": "Late", "States": {"Late": {"Type": "Wait", "Seconds": 60, "End": True}}},
    ]
    for _ in range(10):
        events = engine.history(engine.run(chain(Both=both)))
        (failed,) = of_type(events, "ParallelStateFailed")
        cause = events[failed["previousEventId"] - 1]
        assert cause["stateEnteredEventDetails"]["name"] == "Break"
        assert [state.name for state in read_history(events).failures] == ["Break"]
