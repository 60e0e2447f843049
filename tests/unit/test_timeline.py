"""Each event is told in words, with the state and the iteration that it belongs to."""

import json

import pytest

from execution_history import Step, timeline
from fixtures.histories import (
    failing_map,
    history,
    map_started_thrice,
    retried_and_caught,
    timed_out_map,
)


def told(*events):
    return timeline(history(*events))


def test_events_of_iterations_that_run_at_once_are_told_apart():
    entries = told(*failing_map())
    places = {entry.id: (entry.state, "/".join(map(str, entry.path))) for entry in entries}
    assert [entry.id for entry in entries] == list(range(1, 26))
    assert places[1] == (None, "")
    assert places[3] == ("Seats", "")
    assert {places[n] for n in (6, 7, 8, 9)} == {("A", "Seats[0]")}
    assert {places[n] for n in (10, 11, 22)} == {("B", "Seats[0]")}
    assert {places[n] for n in range(16, 21)} == {("B", "Seats[1]")}
    assert (places[21], places[23]) == (("Seats", "Seats[1]"), ("Seats", "Seats[0]"))
    assert (places[24], places[25]) == (("Seats", ""), (None, ""))


def test_an_attempt_is_told_by_its_number_and_its_error():
    words = [entry.words for entry in told(*failing_map())[16:20]]
    assert words == [
        "attempt 1 of B",
        "attempt 1 of B failed: Broken: first",
        "attempt 2 of B",
        "attempt 2 of B failed: Broken: second",
    ]


def test_a_redrive_counts_the_attempts_from_one_again():
    entries = told(*failing_map(redriven=True), ("TaskStateEntered", 5, {"name": "B"}))
    assert entries[25].words == "redrive 1"
    more = [("TaskStateEntered", 5, {"name": "B"}), ("TaskScheduled", 27, {})]
    assert told(*failing_map(redriven=True), *more)[-1].words == "attempt 1 of B"


def test_a_lambda_functions_error_is_told_in_its_own_words_and_not_as_json():
    entries = told(*retried_and_caught())
    assert entries[13].words == (
        "attempt 4 of Invoke failed: Exception: Some exception was raised."
    )
    assert entries[14].words == "left Invoke, whose failure was caught"
    assert all("{" not in entry.words for entry in entries)


def test_the_end_says_why():
    [*_, failed] = told(*map_started_thrice())
    assert failed.words == "the execution failed: NoError: by design"


def test_an_abort_that_does_not_tell_its_iteration_is_put_in_no_wrong_one():
    """AWS points each of these TaskStateAborted at the first Task that timed out."""
    entries = {entry.id: entry for entry in told(*timed_out_map())}
    for n in (25, 27, 29, 31):
        assert (entries[n].state, entries[n].path) == ("Each", ())
    assert [entries[n].path for n in (24, 26, 28, 30)] == [
        (Step("Each", index),) for index in range(4)
    ]
    assert [entries[n].path[0].key for n in (20, 21, 22, 23)] == [0, 2, 1, 3]


def test_a_state_that_aws_invents_later_is_told_by_its_type():
    entries = told(
        ("ExecutionStarted", 0, {"input": "{}"}),
        ("TaskStateEntered", 0, {"name": "Call", "input": "{}"}),
        ("QuantumLeapObserved", 2, {"secret": "{}"}),
        ("HTTPCallRetried", 0),
        ("ExecutionPaused", 2),
    )
    assert [(entry.state, entry.words) for entry in entries[2:]] == [
        ("Call", "quantum leap observed in Call"),
        (None, "http call retried"),
        (None, "execution paused"),
    ]


@pytest.mark.parametrize("cut", [1, 5, 12, 20, 24])
def test_a_part_of_a_history_is_told_as_far_as_it_goes(cut):
    whole = told(*failing_map())
    assert told(*failing_map()[:cut]) == whole[:cut]


def test_no_states_data_is_told():
    token = json.dumps({"token": "not-for-eyes"})
    entries = told(
        ("ExecutionStarted", 0, {"input": token}),
        ("TaskStateEntered", 0, {"name": "Call", "input": token}),
        ("TaskScheduled", 2, {"parameters": token}),
        ("TaskSucceeded", 3, {"output": token}),
        ("TaskStateExited", 4, {"name": "Call", "output": token}),
        ("ExecutionSucceeded", 5, {"output": token}),
    )
    assert len(entries) == 6
    assert "not-for-eyes" not in " ".join(entry.words for entry in entries)


def test_a_long_cause_is_shortened_to_a_line():
    cause = "so it goes\n" * 100
    [entry] = told(("ExecutionFailed", 0, {"error": "Long", "cause": cause}))
    assert "\n" not in entry.words
    assert entry.words.endswith("…")
    assert len(entry.words) < 200
