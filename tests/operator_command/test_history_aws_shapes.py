"""Histories in AWS's shapes are read rightly: who failed, after how often, who was stopped."""

import json
from datetime import UTC, datetime

import pytest

from execution_history import Status, explain, matrices, read_history, unreached
from fixtures.histories import REDRIVEN, a_loop_of_maps, failing_map, history


def labels(runs):
    return [run.label for run in runs]


def test_the_failing_iteration_is_blamed_with_its_attempts_and_its_sibling_is_not():
    read = read_history(history(*failing_map()))
    assert (read.status, read.error) == ("FAILED", "Broken")
    [failure] = read.failures
    assert (failure.label, failure.tries, failure.error) == ("Seats[1]/B", 2, "Broken")
    assert failure.cause == "second"
    assert labels(read.aborted) == ["Seats[0]/B"]
    assert read.caught == read.retried == []


def test_a_nameless_abort_is_found_by_the_events_that_led_to_it():
    events = history(*failing_map())[:22]  # TaskStateAborted has come, MapIterationAborted has not
    read = read_history(events)
    by_label = {run.label: run.status for run in read.current}
    assert by_label["Seats[0]/B"] is Status.ABORTED
    assert by_label["Seats[0]/A"] is Status.SUCCEEDED


def test_siblings_that_time_out_at_the_same_moment_are_told_apart_by_the_iterations_events():
    """AWS points every TaskStateAborted at the task that failed, not at the one it stopped."""
    tasks = [
        event
        for n in range(3)
        for event in (
            ("TaskStateEntered", 4 + n, {"name": "Call", "input": "{}"}),
            ("TaskScheduled", 7 + 2 * n, {"timeoutInSeconds": 5}),
        )
    ]
    read = read_history(
        history(
            ("ExecutionStarted", 0, {"input": "{}"}),
            ("MapStateEntered", 0, {"name": "Each", "input": "{}"}),
            ("MapStateStarted", 2, {"length": 3}),
            *(("MapIterationStarted", 3, {"name": "Each", "index": n}) for n in range(3)),
            *tasks,  # 7 to 12
            ("TaskTimedOut", 8, {"error": "States.Timeout"}),
            ("TaskTimedOut", 12, {"error": "States.Timeout"}),
            ("TaskTimedOut", 10, {"error": "States.Timeout"}),
            ("MapIterationFailed", 13, {"name": "Each", "index": 0}),
            ("TaskStateAborted", 13),
            ("MapIterationAborted", 13, {"name": "Each", "index": 1}),
            ("TaskStateAborted", 13),
            ("MapIterationAborted", 13, {"name": "Each", "index": 2}),
            ("TaskStateAborted", 13),
            ("MapStateFailed", 13),
            ("ExecutionFailed", 22, {"error": "States.Timeout"}),
        )
    )
    assert labels(read.failures) == ["Each[0]/Call"]
    assert labels(read.aborted) == ["Each[1]/Call", "Each[2]/Call"]
    assert [len(run.attempts) for run in read.aborted] == [1, 1]
    [matrix] = matrices(read)
    assert [row.status for row in matrix.rows] == ["failed", "aborted", "aborted"]


def test_an_iteration_is_stopped_by_its_own_event_before_the_map_has_failed():
    """Also where the nameless TaskStateAborted points at the task that failed."""
    events = failing_map()
    events[21] = ("TaskStateAborted", 20)
    read = read_history(history(*events)[:23])
    assert (labels(read.failures), labels(read.aborted)) == (["Seats[1]/B"], ["Seats[0]/B"])
    [matrix] = matrices(read)
    assert [row.status for row in matrix.rows] == ["aborted", "failed"]


def test_a_failure_whose_retry_succeeded_is_not_blamed():
    read = read_history(
        history(
            ("ExecutionStarted", 0, {"input": "{}"}),
            ("TaskStateEntered", 0, {"name": "Call", "input": "{}"}),
            ("LambdaFunctionScheduled", 2, {"resource": "arn"}),
            ("LambdaFunctionFailed", 3, {"error": "Shaky", "cause": "{}"}),
            ("LambdaFunctionScheduled", 4, {"resource": "arn"}),
            ("LambdaFunctionStarted", 5),
            ("LambdaFunctionSucceeded", 6, {"output": "{}"}),
            ("TaskStateExited", 7, {"name": "Call", "output": "{}"}),
            ("FailStateEntered", 8, {"name": "Give up", "input": "{}"}),
            ("ExecutionFailed", 9, {"error": "GaveUp", "cause": "by design"}),
        )
    )
    assert labels(read.retried) == ["Call"]
    [failure] = read.failures
    assert (failure.name, failure.error, failure.cause) == ("Give up", "GaveUp", "by design")


def test_what_a_catch_took_care_of_is_named_as_caught_and_not_blamed():
    handed_on = json.dumps({"Error": "Shaky", "Cause": "why"})
    read = read_history(
        history(
            ("ExecutionStarted", 0, {"input": "{}"}),
            ("ParallelStateEntered", 0, {"name": "Both", "input": "{}"}),
            ("ParallelStateStarted", 2),
            ("FailStateEntered", 3, {"name": "Left", "input": "{}"}),
            ("ParallelStateFailed", 4),
            ("ParallelStateExited", 5, {"name": "Both", "output": handed_on}),
            ("TaskStateEntered", 6, {"name": "Call", "input": handed_on}),
            ("TaskScheduled", 7, {}),
            ("TaskFailed", 8, {"error": "Shaky", "cause": "again"}),
            ("TaskStateExited", 9, {"name": "Call", "output": handed_on}),
            ("ExecutionSucceeded", 10, {"output": handed_on}),
        )
    )
    assert read.status == "SUCCEEDED"
    assert read.failures == []
    assert [(run.label, run.error) for run in read.caught] == [
        ("Call", "Shaky"),
        ("Both[Left]/Left", "Shaky"),
    ]


def test_a_map_that_is_retried_counts_by_its_last_attempt_alone():
    read = read_history(
        history(
            ("ExecutionStarted", 0, {"input": "{}"}),
            ("MapStateEntered", 0, {"name": "Each", "input": "{}"}),
            ("MapStateStarted", 2, {"length": 1}),
            ("MapIterationStarted", 3, {"name": "Each", "index": 0}),
            ("FailStateEntered", 4, {"name": "No", "input": "{}"}),
            ("MapIterationFailed", 5, {"name": "Each", "index": 0}),
            ("MapStateStarted", 5, {"length": 1}),
            ("MapIterationStarted", 7, {"name": "Each", "index": 0}),
            ("PassStateEntered", 8, {"name": "Yes", "input": "{}"}),
            ("PassStateExited", 9, {"name": "Yes", "output": "{}"}),
            ("MapIterationSucceeded", 10, {"name": "Each", "index": 0}),
            ("MapStateSucceeded", 11),
            ("MapStateExited", 12, {"name": "Each", "output": "[]"}),
            ("ExecutionSucceeded", 13, {"output": "[]"}),
        )
    )
    assert labels(read.current) == ["Each", "Each[0]/Yes"]
    assert read.failures == []
    assert len(read.current[0].attempts) == 2


def test_a_failure_two_maps_deep_is_blamed_at_its_own_place():
    read = read_history(
        history(
            ("ExecutionStarted", 0, {"input": "{}"}),
            ("MapStateEntered", 0, {"name": "Rows", "input": "{}"}),
            ("MapStateStarted", 2, {"length": 2}),
            ("MapIterationStarted", 3, {"name": "Rows", "index": 0}),
            ("MapIterationStarted", 3, {"name": "Rows", "index": 1}),
            ("MapStateEntered", 4, {"name": "Seats", "input": "{}"}),  # 6
            ("MapStateEntered", 5, {"name": "Seats", "input": "{}"}),  # 7
            ("MapStateStarted", 6, {"length": 1}),
            ("MapStateStarted", 7, {"length": 1}),
            ("MapIterationStarted", 8, {"name": "Seats", "index": 0}),  # 10
            ("MapIterationStarted", 9, {"name": "Seats", "index": 0}),
            ("TaskStateEntered", 10, {"name": "Call", "input": "{}"}),  # 12
            ("TaskStateEntered", 11, {"name": "Call", "input": "{}"}),
            ("TaskScheduled", 13, {}),
            ("TaskFailed", 14, {"error": "Broken"}),  # 15
            ("MapIterationFailed", 15, {"name": "Seats", "index": 0}),
            ("MapStateFailed", 15),
            ("MapIterationFailed", 17, {"name": "Rows", "index": 1}),
            ("MapIterationAborted", 17, {"name": "Rows", "index": 0}),
            ("MapStateFailed", 17),
            ("ExecutionFailed", 20, {"error": "Broken"}),
        )
    )
    assert labels(read.failures) == ["Rows[1]/Seats[0]/Call"]
    assert set(labels(read.aborted)) == {"Rows[0]/Seats", "Rows[0]/Seats[0]/Call"}


@pytest.mark.parametrize("shape", REDRIVEN.values(), ids=REDRIVEN)
def test_what_a_redrive_mended_is_blamed_no_more_and_what_it_keeps_stays_done(shape):
    read = read_history(history(*failing_map(redriven=True), *shape))
    assert (read.status, read.redrives, read.failures) == ("RUNNING", 1, [])
    by_label = {run.label: run for run in read.current}
    assert by_label["Seats[1]/B"].status is Status.SUCCEEDED
    assert (len(by_label["Seats[1]/B"].attempts), by_label["Seats[1]/B"].tries) == (3, 1)
    assert by_label["Seats[0]/A"].status is Status.SUCCEEDED
    assert by_label["Seats[0]/B"].status is Status.PENDING
    assert len(read.current) == 5  # no state is there twice
    [matrix] = matrices(read)
    assert [row.status for row in matrix.rows] == [Status.PENDING, Status.SUCCEEDED]


def test_a_redrive_that_fails_elsewhere_blames_the_new_failure_alone():
    more = [
        ("TaskStateEntered", 4, {"name": "B", "input": "1"}),
        ("TaskScheduled", 27, {}),
        ("TaskFailed", 28, {"error": "Worse", "cause": "third"}),
        ("MapIterationFailed", 29, {"name": "Seats", "index": 0}),
        ("MapStateFailed", 29),
        ("ExecutionFailed", 31, {"error": "Worse", "cause": "third"}),
    ]
    read = read_history(history(*failing_map(redriven=True), *more))
    assert [(run.label, run.error) for run in read.failures] == [("Seats[0]/B", "Worse")]
    assert "Seats[1]/B" in labels(read.aborted)


def test_what_is_logged_after_the_end_does_not_count():
    """The local stack's interpreter lets siblings log on when the execution has failed."""
    late = [("TaskSucceeded", 11, {}), ("TaskStateExited", 26, {"name": "B", "output": "2"})]
    read = read_history(history(*failing_map(), *late))
    assert labels(read.aborted) == ["Seats[0]/B"]
    assert read.status == "FAILED"


@pytest.mark.parametrize(
    ("ending", "status"), [("ExecutionTimedOut", "TIMED_OUT"), ("ExecutionAborted", "ABORTED")]
)
def test_an_execution_ended_from_outside_blames_no_state(ending, status):
    read = read_history(history(*failing_map()[:11], (ending, 11, {})))
    assert (read.status, read.failures) == (status, [])
    assert set(labels(read.aborted)) == {"Seats", "Seats[0]/B"}


def test_a_state_that_fails_without_an_attempt_gets_the_executions_error():
    read = read_history(
        history(
            ("ExecutionStarted", 0),
            ("ChoiceStateEntered", 0, {"name": "Which?"}),
            ("ExecutionFailed", 2, {"error": "States.Runtime", "cause": "no choice matches"}),
        )
    )
    [failure] = read.failures
    assert (failure.name, failure.error) == ("Which?", "States.Runtime")
    assert failure.attempts == []


@pytest.mark.parametrize(
    "written",
    [
        datetime(2026, 11, 30, 18, 0, tzinfo=UTC),  # boto3
        "2026-11-30T19:00:00+01:00",  # the AWS CLI, version 2
        1796061600.0,  # version 1
    ],
)
def test_times_are_read_as_boto3_and_both_aws_clis_give_them(written):
    [event] = history(("ExecutionStarted", 0, {}))
    read = read_history([{**event, "timestamp": written}])
    assert read.started_at == datetime(2026, 11, 30, 18, 0, tzinfo=UTC)


def test_a_history_with_the_newest_event_first_reads_the_same():
    events = history(*failing_map())
    assert read_history(events[::-1]).to_json() == read_history(events).to_json()


def test_states_that_were_never_reached_are_named_in_the_order_of_the_work():
    definition = {
        "StartAt": "Seats",
        "States": {
            "Z": {"Type": "Succeed"},
            "Seats": {
                "Type": "Map",
                "ItemProcessor": {
                    "StartAt": "A",
                    "States": {
                        "C": {"Type": "Task", "End": True},
                        "B": {"Type": "Task", "Next": "C"},
                        "A": {"Type": "Task", "Next": "B"},
                    },
                },
                "Next": "Z",
            },
        },
    }
    read = read_history(history(*failing_map()))
    assert unreached(read, definition) == ["C", "Z"]
    [matrix] = matrices(read, definition)
    assert matrix.columns == ["A", "B"]
    assert [row.label for row in matrix.rows] == ["seat 1", "seat 2"]


def test_an_iteration_that_never_began_has_a_row_of_its_own():
    events = failing_map()
    events[2] = ("MapStateStarted", 2, {"length": 3})
    [matrix] = matrices(read_history(history(*events)))
    assert [(row.label, row.status) for row in matrix.rows][2] == ("seat 3", None)


def test_seats_of_several_bookings_say_whose_they_are_and_none_is_guessed():
    [matrix] = matrices(read_history(history(*a_loop_of_maps()[:15])))
    assert [row.label for row in matrix.rows] == ["bk_1 seat 1", "bk_2 seat 2", "#2"]
    assert matrix.succeeded == 2


def test_a_map_that_a_loop_runs_again_shows_its_last_run_alone():
    [matrix] = matrices(read_history(history(*a_loop_of_maps())))
    assert [row.label for row in matrix.rows] == ["bk_2 seat 2"]


def test_an_iteration_that_a_catch_let_go_is_not_done():
    [matrix] = matrices(read_history(history(*a_loop_of_maps())))
    assert [(row.status, row.done) for row in matrix.rows] == [(Status.SUCCEEDED, False)]
    assert matrix.succeeded == 0


def test_a_lambda_functions_cause_is_unpacked_into_words():
    cause = json.dumps(
        {
            "errorMessage": "the record of seat 2\nis gone",
            "errorType": "TicketMissing",
            "requestId": "r-1",
            "stackTrace": ["  File a, line 1\n", '  File "mark.py", line 9, in handler\n    raise'],
        }
    )
    found = explain("TicketMissing", cause)
    assert found.message == "the record of seat 2 is gone"
    assert found.request_id == "r-1"
    assert found.where == 'File "mark.py", line 9, in handler raise'


@pytest.mark.parametrize(
    ("error", "cause", "words"),
    [
        ("States.Timeout", None, "it took longer than its timeout allows"),
        ("Odd", None, "no cause is given"),
        ("Odd", '{"errorMessage": ""}', "no cause is given"),
        ("Odd", "[1, 2", "[1, 2"),
        (
            "Lambda.Unknown",
            "The cause could not be determined",
            "The cause could not be determined",
        ),
    ],
)
def test_other_causes_stay_what_they_are(error, cause, words):
    assert explain(error, cause).message == words


def test_five_hundred_seats_are_read_in_a_few_seconds():
    events = [
        ("ExecutionStarted", 0, {"input": "{}"}),
        ("MapStateEntered", 0, {"name": "Seats", "input": "{}"}),
        ("MapStateStarted", 2, {"length": 500}),
    ]
    for index in range(500):
        at = len(events) + 1
        events.append(("MapIterationStarted", 3, {"name": "Seats", "index": index}))
        for step in range(3):
            n = at + step * 4
            events += [
                ("TaskStateEntered", n, {"name": f"S{step}", "input": "{}"}),
                ("TaskScheduled", n + 1, {}),
                ("TaskSucceeded", n + 2, {}),
                ("TaskStateExited", n + 3, {"name": f"S{step}", "output": "{}"}),
            ]
        events.append(("MapIterationSucceeded", at + 12, {"name": "Seats", "index": index}))
    read = read_history(history(*events))
    [matrix] = matrices(read)
    assert (read.events, matrix.succeeded) == (7003, 500)
