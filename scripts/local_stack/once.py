"""``scripts/run --once``: fulfil the bookings of one file, write what came of them, and stop."""

import contextlib
import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from local_stack.lambda_service import FaultPlan
from local_stack.out_folder import clear
from local_stack.progress import StepEvent
from local_stack.publish import RefusedError, publish
from local_stack.results import (
    OPEN_STATUSES,
    executions,
    list_executions,
    rows,
    write_results,
)
from local_stack.stack import LocalStack, Options

_POLL_SECONDS = 0.05


@dataclass
class Summary:
    """The one JSON object on stdout. ``failed`` counts FAILED, TIMED_OUT and ABORTED."""

    started: float = field(default_factory=time.monotonic)
    messages: int = 0
    refused: int = 0
    executions: dict[str, int] = field(default_factory=lambda: {"succeeded": 0, "failed": 0})
    dead_letters: int = 0
    tickets: dict[str, int] = field(default_factory=lambda: {"creating": 0, "ready": 0})
    emails: int = 0

    @property
    def complete(self) -> bool:
        return not self.refused and not self.dead_letters and not self.executions["failed"]

    def to_json(self) -> str:
        return json.dumps(
            {
                "messages": self.messages,
                "refused": self.refused,
                "executions": self.executions,
                "deadLetters": self.dead_letters,
                "tickets": self.tickets,
                "emails": self.emails,
                "seconds": round(time.monotonic() - self.started, 2),
            }
        )


def run_once(bodies: list[bytes], out: Path, faults: FaultPlan, time_scale: float) -> int:
    """Return the exit code: 0 when every body became a SUCCEEDED execution, else 1."""
    summary = Summary()
    try:
        clear(out)
        say("Starting the local stack …")
        options = Options(out=out, time_scale=time_scale, watch=say_progress)
        with LocalStack(options, faults) as stack:
            try:
                _publish(stack, bodies, summary)
                _wait_for_all(stack, summary)
                _say_what_failed(stack)
            finally:
                _count(stack, summary)
                write_results(stack, out)
    finally:
        print(summary.to_json(), flush=True)
    return 0 if summary.complete else 1


def say(sentence: str) -> None:
    """Say it on stderr in one write, since steps of many seats speak at once.

    Nobody has to listen: a closed or full stderr stops nothing.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(sentence + "\n")


def say_progress(event: StepEvent) -> None:
    sentence = event.sentence()
    if sentence:
        say(sentence)


def _publish(stack: LocalStack, bodies: list[bytes], summary: Summary) -> None:
    sqs, queue = stack.client("sqs"), stack.output("BookingQueueUrl")
    for number, body in enumerate(bodies, start=1):
        try:
            publish(sqs, queue, body)
            summary.messages += 1
        except RefusedError as refusal:
            summary.refused += 1
            say(f"line {number} refused by SQS: {refusal}")


def _wait_for_all(stack: LocalStack, summary: Summary) -> None:
    """Wait until every message is a finished execution or a dead letter."""
    while True:
        statuses = [execution["status"] for execution in list_executions(stack)]
        finished = sum(status not in OPEN_STATUSES for status in statuses)
        if finished == len(statuses) and finished + dead_letters(stack) >= summary.messages:
            return
        time.sleep(_POLL_SECONDS)


def _say_what_failed(stack: LocalStack) -> None:
    for execution in executions(stack):
        if execution["status"] != "SUCCEEDED":
            reason = f"{execution['error'] or ''}: {_words(execution['cause'])}"
            say(f"{execution['bookingId'] or 'a message'}  {execution['status']}  {reason}")
    for fault in stack.faults.active():
        if fault.times is not None:
            say(f"fault {fault} is left over: nothing came by that it fits")


def _words(cause: str | None) -> str:
    """A failed function's own message out of the execution's cause."""
    try:
        return str(json.loads(cause or "")["errorMessage"])
    except (ValueError, LookupError, TypeError):
        return cause or ""


def dead_letters(stack: LocalStack) -> int:
    attributes = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.output("BookingDeadLetterQueueUrl"),
        AttributeNames=["ApproximateNumberOfMessages"],
    )
    return int(attributes["Attributes"]["ApproximateNumberOfMessages"])


def _count(stack: LocalStack, summary: Summary) -> None:
    statuses = Counter(execution["status"] for execution in list_executions(stack))
    succeeded = statuses.pop("SUCCEEDED", 0)
    failed = sum(n for status, n in statuses.items() if status not in OPEN_STATUSES)
    summary.executions = {"succeeded": succeeded, "failed": failed}
    summary.dead_letters = dead_letters(stack)
    tickets = Counter(str(row["status"]) for row in rows(stack, "TicketsTableName"))
    summary.tickets = {"creating": tickets["creating"], "ready": tickets["ready"]}
    summary.emails = len(stack.outbox.sent)
