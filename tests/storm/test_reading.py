"""What an execution's history tells the judges."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from fixtures.histories import history
from operations.executions import Described
from storming.facts import Failure
from storming.reading import read_run

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)
SENT = json.dumps({"sent": {"email": "sent", "messageId": "ses-1"}})


def read(*events, **changes):
    record = {"messageId": "m1", "messageAttributes": {"publication": {"stringValue": "7"}}}
    record["body"] = json.dumps({"bookingId": "bk_1"})
    described = {"executionArn": "arn:1", "name": "1", "status": "SUCCEEDED", "startDate": AT}
    described["input"] = json.dumps([record])
    timed = [
        {**event, "timestamp": AT + timedelta(seconds=event["id"])} for event in history(*events)
    ]
    return read_run(Described.read(described | changes), timed)


def send_email(*attempts, end=("TaskStateExited", {"name": "SendEmail", "output": SENT})):
    """An execution of SendEmail alone: each attempt is what followed its TaskScheduled, or None."""
    events = [("ExecutionStarted", 0, {"input": "[]"})]
    events.append(("TaskStateEntered", 0, {"name": "SendEmail", "input": "{}"}))
    for attempt in attempts:
        events.append(("TaskScheduled", len(events), {}))
        if attempt:
            events.append((attempt[0], len(events), attempt[1]))
    if end:
        events.append((end[0], len(events), *end[1:]))
    return events


OK = ("TaskSucceeded", {})


def failed(error, cause=""):
    return ("TaskFailed", {"error": error, "cause": cause})


def test_whose_execution_it_is():
    run = read(*send_email(OK))
    assert (run.message_id, run.publication, run.booking) == ("m1", 7, "bk_1")
    assert run.acknowledged == ("ses-1",)
    assert (run.lost, run.retries, run.failure) == (0, 0, None)


@pytest.mark.parametrize(("attempt", "lost"), [
    (failed("InjectedError", '{"errorMessage":"the reply of f is lost on request"}'), 1),
    (failed("Runtime.ExitError", "signal: killed"), 1),
    (failed("Sandbox.Timedout"), 1),
    (("TaskTimedOut", {"error": "States.Timeout"}), 1),
    (failed("InjectedError", '{"errorMessage":"f fails on request, before its work"}'), 0),
    (failed("EmailInProgress"), 0),
    (failed("EmailThrottled"), 0),
    (failed("EmailRejected"), 0),
    (failed("Lambda.TooManyRequestsException"), 0),
])  # fmt: skip
def test_which_failed_attempts_of_sending_may_have_sent(attempt, lost):
    run = read(*send_email(attempt, OK))
    assert (run.lost, run.retries) == (lost, 1)


@pytest.mark.parametrize("attempt", [None, OK])
def test_an_attempt_that_was_aborted_may_have_sent_and_its_email_is_not_acknowledged(attempt):
    events = send_email(attempt, end=("TaskStateAborted",))
    stopped = ("ExecutionAborted", 0, {})
    run = read(*events, stopped, status="ABORTED")
    assert (run.lost, run.acknowledged) == (1, ())
    again = len(events) + 2
    redriven = [
        ("ExecutionRedriven", len(events) + 1, {"redriveCount": 1}),
        ("TaskStateEntered", again, {"name": "SendEmail", "input": "{}"}),
        ("TaskScheduled", again + 1, {}),
        ("TaskSucceeded", again + 2, {}),
        ("TaskStateExited", again + 3, {"name": "SendEmail", "output": SENT}),
    ]
    run = read(*events, stopped, *redriven)
    assert (run.lost, run.acknowledged) == (1, ("ses-1",))


def seats(second_fails, *, first_done):
    """Two seats at Written, the second of which fails for good; the redrive mends it."""
    events = [
        ("ExecutionStarted", 0, {"input": "[]"}),
        ("MapStateEntered", 0, {"name": "IssueTickets", "input": "{}"}),
        ("MapStateStarted", 2, {"length": 2}),
        ("MapIterationStarted", 3, {"name": "IssueTickets", "index": 0}),
        ("MapIterationStarted", 3, {"name": "IssueTickets", "index": 1}),
        ("TaskStateEntered", 4, {"name": "Written", "input": "{}"}),
        ("TaskScheduled", 6, {}),
        ("TaskStateEntered", 5, {"name": "Written", "input": "{}"}),
        ("TaskScheduled", 8, {}),
    ]
    if first_done:
        events += [
            ("TaskSucceeded", 7, {}),
            ("TaskStateExited", 10, {"name": "Written", "output": "{}"}),
            ("MapIterationSucceeded", 11, {"name": "IssueTickets", "index": 0}),
        ]
    last = len(events)
    events += [
        ("TaskFailed", 9, {"error": "Boom", "cause": ""}),
        ("TaskScheduled", last + 1, {}),
        ("TaskFailed", last + 2, {"error": second_fails, "cause": ""}),
        ("TaskScheduled", last + 3, {}),
        ("TaskFailed", last + 4, {"error": second_fails, "cause": ""}),
        ("MapIterationFailed", last + 5, {"name": "IssueTickets", "index": 1}),
        ("MapStateFailed", last + 5),
        ("ExecutionFailed", last + 7, {"error": second_fails}),
    ]
    return events


GRACE = 5.0  # from the first attempt that failed so to the end, an event a second


def missing(finished, unfinished):
    return Failure("TicketMissing", frozenset({2}), finished, unfinished, GRACE)


@pytest.mark.parametrize(("first_done", "unfinished"), [(True, {None}), (False, {None, 1})])
def test_what_was_unfinished_when_a_seat_failed_the_execution(first_done, unfinished):
    run = read(*seats("TicketMissing", first_done=first_done), status="FAILED")
    finished = frozenset({1} if first_done else ())
    assert run.failure == missing(finished, frozenset(unfinished))
    assert run.wrote == {1, 2}


def test_a_redrive_does_not_make_the_first_failure_unseen():
    events = seats("TicketMissing", first_done=False)
    redriven = ("ExecutionRedriven", len(events), {"redriveCount": 1})
    run = read(*events, redriven, status="RUNNING", redriveCount=1)
    assert run.failure == missing(frozenset(), frozenset({None, 1}))


def test_which_seats_were_skipped():
    run = read(
        ("ExecutionStarted", 0, {"input": "[]"}),
        ("MapStateEntered", 0, {"name": "IssueTickets", "input": "{}"}),
        ("MapStateStarted", 2, {"length": 2}),
        ("MapIterationStarted", 3, {"name": "IssueTickets", "index": 1}),
        ("SucceedStateEntered", 4, {"name": "AlreadyReady", "input": "{}"}),
        ("SucceedStateExited", 5, {"name": "AlreadyReady", "output": "{}"}),
        status="RUNNING",
    )
    assert (run.skipped, run.wrote, run.stopped_at) == ({2}, set(), None)
