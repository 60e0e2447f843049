"""``scripts/run --once``: fulfil the bookings of one file, write what came of them, and stop."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from execution_status import OPEN
from local_stack.failed import redrive_failed, say_what_failed
from local_stack.lambda_service import FaultPlan
from local_stack.out_folder import clear
from local_stack.progress import say, say_progress
from local_stack.publish import RefusedError, publish
from local_stack.queue_counts import visible
from local_stack.results import (
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


def run_once(
    bodies: list[bytes], out: Path, faults: FaultPlan, time_scale: float, redrive: bool = False
) -> int:
    """Return the exit code: 0 when every body became a SUCCEEDED execution, else 1.

    ``redrive``: afterwards lift the faults, redrive what failed, and report what comes of that.
    """
    summary = Summary()
    try:
        clear(out)
        say("Starting the local stack …")
        options = Options(out=out, time_scale=time_scale, watch=say_progress)
        with LocalStack(options, faults) as stack:
            try:
                _publish(stack, bodies, summary)
                _wait_for_all(stack, summary)
                say_what_failed(stack)
                if redrive:
                    redrive_failed(stack)
                    _wait_for_all(stack, summary)
                    say_what_failed(stack)
            finally:
                _count(stack, summary)
                write_results(stack, out)
    finally:
        print(summary.to_json(), flush=True)
    return 0 if summary.complete else 1


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
        finished = sum(status not in OPEN for status in statuses)
        if finished == len(statuses) and finished + dead_letters(stack) >= summary.messages:
            return
        time.sleep(_POLL_SECONDS)


def dead_letters(stack: LocalStack) -> int:
    return visible(stack.client("sqs"), stack.output("BookingDeadLetterQueueUrl"))


def _count(stack: LocalStack, summary: Summary) -> None:
    statuses = Counter(execution["status"] for execution in list_executions(stack))
    succeeded = statuses.pop("SUCCEEDED", 0)
    failed = sum(n for status, n in statuses.items() if status not in OPEN)
    summary.executions = {"succeeded": succeeded, "failed": failed}
    summary.dead_letters = dead_letters(stack)
    tickets = Counter(str(row["status"]) for row in rows(stack, "TicketsTableName"))
    summary.tickets = {"creating": tickets["creating"], "ready": tickets["ready"]}
    summary.emails = len(stack.outbox.sent)
