"""One execution, from its description and its history to what a verdict needs of it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from execution_history import Attempt, History, StateRun, Status, read_history
from local_stack.subjects import booking_of
from operations.executions import Described
from storming.delivering import number_of
from storming.facts import Failure, Run

_MAP = "IssueTickets"
_ENDS = ("ExecutionFailed", "ExecutionAborted", "ExecutionTimedOut", "ExecutionSucceeded")
_NO_ANSWER = ("Runtime.ExitError", "Sandbox.Timedout", "States.Timeout")
_INJECTED = "InjectedError"
_LOST_ON_REQUEST = "is lost on request"  # by local_stack.lambda_service, of a lost reply


def read_run(execution: Described, events: Sequence[Mapping[str, Any]]) -> Run:
    """``events`` are the whole history, oldest first."""
    history = read_history(events)
    (record,) = records = json.loads(execution.input)
    end = next((n for n, event in enumerate(events) if event["type"] in _ENDS), None)
    return Run(
        arn=execution.arn,
        status=execution.status,
        error=execution.error,
        message_id=record["messageId"],
        publication=number_of(record["messageAttributes"]),
        booking=booking_of(records),
        started_at=execution.started_at,
        stopped_at=events[end]["timestamp"] if end is not None else None,
        redrives=execution.redrives,
        retries=sum(max(0, len(run.attempts) - 1) for run in history.runs),
        failure=_failure(events, end),
        skipped=frozenset(_seats(history, "AlreadyReady")),
        wrote=frozenset(_seats(history, "Written")),
        acknowledged=tuple(_acknowledged(history)),
        lost=sum(_lost(run, n) for run in _visits(history, "SendEmail") for n in _numbers(run)),
    )


def causes(history: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The errors' texts in a history."""
    for event in history:
        for details in event.values():
            if isinstance(details, Mapping) and "cause" in details:
                yield f"{details.get('error')} {details['cause']}"


def _failure(events: Sequence[Mapping[str, Any]], end: int | None) -> Failure | None:
    if end is None or events[end]["type"] != "ExecutionFailed":
        return None
    then = read_history(events[: end + 1])
    done: set[int | None] = set()
    for path, status in then.iterations.items():
        if status is Status.SUCCEEDED and isinstance(path[-1].key, int):
            done.add(path[-1].key + 1)
    if any(run.status is Status.SUCCEEDED for run in _visits(then, "RecordEmailJob")):
        done.add(None)
    lengths = [run.length or 0 for run in _visits(then, _MAP)]
    everything = {None, *range(1, max(lengths, default=0) + 1)}
    by = {_seat(run) for run in then.failures}
    return Failure(
        error=then.error or "",
        by=frozenset(by),
        finished=frozenset(done),
        unfinished=frozenset(everything - done - by),
        grace=(events[end]["timestamp"] - _first_failed(then)).total_seconds(),
    )


def _first_failed(history: History) -> datetime:
    """When the error that ended the execution first came up, in the state that it ended in."""
    ends = (
        attempt.ended_at
        for run in history.failures
        for attempt in run.attempts
        if attempt.error == history.error and attempt.ended_at
    )
    return min(ends, default=history.stopped_at or datetime.max.replace(tzinfo=UTC))


def _visits(history: History, name: str) -> Iterator[StateRun]:
    return (run for run in history.runs if run.name == name)


def _seats(history: History, name: str) -> Iterator[int]:
    return (seat for run in _visits(history, name) if (seat := _seat(run)) is not None)


def _seat(run: StateRun) -> int | None:
    """Iterations count from 0, seats from 1; None for what is no seat's."""
    keys = [step.key for step in run.path if isinstance(step.key, int)]
    return keys[-1] + 1 if keys else None


def _acknowledged(history: History) -> Iterator[str]:
    for run in _visits(history, "SendEmail"):
        if run.status is Status.SUCCEEDED and run.output:
            sent = json.loads(run.output)["sent"]
            if sent["email"] == "sent":
                yield sent["messageId"]


def _numbers(run: StateRun) -> range:
    return range(len(run.attempts))


def _lost(run: StateRun, number: int) -> bool:
    """Whether that attempt of SendEmail may have sent an email that the execution knows nothing of.

    It ended without an answer, or its answer came to nothing as the execution was stopped.
    """
    attempt: Attempt = run.attempts[number]
    if attempt.failed:
        on_request = attempt.error == _INJECTED and _LOST_ON_REQUEST in (attempt.cause or "")
        return on_request or attempt.error in _NO_ANSWER
    last = number == len(run.attempts) - 1
    return not (last and run.status is Status.SUCCEEDED)
