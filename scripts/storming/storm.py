"""A storm on a running local stack, from the first publication to the last."""

import time
from collections import Counter
from collections.abc import Callable

from local_stack import interpreter
from local_stack.aws import role_credentials
from local_stack.pipe import Pipe
from local_stack.queue_counts import in_flight, visible
from local_stack.stack import LocalStack
from storming.delivering import Deliveries, TroubledMachine, TroubledQueue, attributes
from storming.plan import (
    Abort,
    Delivery,
    KillWorker,
    Kind,
    Outage,
    Plan,
    Publication,
    Publish,
    Step,
)
from storming.tampering import Tampering

MOST_RUNNING = 24
"""Executions at a time. With more, the few workers of a machine with two processors often take
longer than the shortened grace (10 s) for the siblings of a failing seat."""

_VISIBILITY_SECONDS = 2
"""The template's 360 s at the storm's time scale would be 7; at 2 a dead letter takes 10 s."""

_MOST_WAITING = 12  # messages in the queue before the outbox pauses
_DEAD_LETTERS = 2  # of an outage
_OUTAGE_SECONDS = 40  # an outage's bound
_PATIENCE = 180  # seconds without room for one more message: the system hangs
_STEP_SECONDS = 0.05


class StuckError(Exception):
    """The system did not come to where it must; the message says what is left."""


class Storm:
    """Takes the stack over before its pipe starts; ``report`` hears how it goes on."""

    def __init__(self, stack: LocalStack, plan: Plan, report: Callable[[str], None]) -> None:
        self._stack = stack
        self._plan = plan
        self._report = report
        self._sqs = stack.client("sqs")
        self._queue = stack.output("BookingQueueUrl")
        self._dead = stack.output("BookingDeadLetterQueueUrl")
        self._functions = [function.name for function in stack.deployment.functions]
        self._delivery: dict[int, Delivery] = {p.number: p.delivery for p in plan.publications}
        self.deliveries = Deliveries(self._delivery.__getitem__)
        self.sent: dict[int, str] = {}
        self.counts: Counter[str] = Counter()
        self.tampering = Tampering(stack, plan.deleted, plan.occupied)
        self._sqs.set_queue_attributes(
            QueueUrl=self._queue, Attributes={"VisibilityTimeout": str(_VISIBILITY_SECONDS)}
        )
        self._outage_over, self._outage_until = 0, 0.0
        stack.pipe = self._troubled_pipe()

    def _troubled_pipe(self) -> Pipe:
        stack = self._stack
        caller = role_credentials(stack.endpoint, stack.deployment.pipe.role, "pipe")
        self._troubled = TroubledQueue(stack.endpoint.client("sqs", caller), self.deliveries)
        return Pipe(
            stack.deployment.pipe,
            self._troubled,
            TroubledMachine(stack.endpoint.client("stepfunctions", caller), self.deliveries),
            busy=lambda: interpreter.running() >= MOST_RUNNING,
        )

    def rage(self) -> None:
        """Take every step of the plan. Raises StuckError when the system stops taking messages."""
        steps = self._plan.steps
        for number, step in enumerate(steps, start=1):
            self._take(step)
            self._report(f"{number:,} of {len(steps):,} steps")
            self.wait_until(lambda: self.queued() <= _MOST_WAITING, _PATIENCE)
        self.wait_until(lambda: not self.deliveries.outage.is_set(), _PATIENCE)

    def publish(self, publication: Publication) -> None:
        answer = self._sqs.send_message(
            QueueUrl=self._queue,
            MessageBody=publication.body,
            MessageAttributes=attributes(publication.number),
        )
        self.sent[publication.number] = answer["MessageId"]

    def subside(self) -> None:
        """Deliver what is owed, and nothing else but once. Faults go on, so that what fails for
        good has failed before it is mended."""
        self.deliveries.calm.set()
        self.deliveries.outage.clear()

    def mend(self) -> None:
        """Lift the faults, and mend what can be mended from outside."""
        self._stack.faults.lift()
        self.tampering.mend()

    def wait_for_quiet(self, seconds: float) -> None:
        """Until no message is under way and no execution runs. Raises StuckError after that."""
        self.wait_until(lambda: self._under_way() == 0, seconds)

    def wait_until(self, holds: Callable[[], bool], seconds: float) -> None:
        """Wait, and start the pipe again if it was killed."""
        deadline = time.monotonic() + seconds
        while True:
            self._revive_pipe()
            self._end_outage()
            if holds():
                return
            if time.monotonic() > deadline:
                raise StuckError(f"{self._under_way()} messages and executions under way")
            time.sleep(_STEP_SECONDS)

    def dead_letters(self) -> int:
        return visible(self._sqs, self._dead)

    def _take(self, step: Step) -> None:
        match step:
            case Publish(publication, faults):
                for fault in faults:
                    self._stack.faults.add(fault)
                if publication.booking and publication.kind is Kind.FIRST:
                    self.tampering.occupy(publication.booking)
                self.publish(publication)
            case KillWorker(function, worker):
                name = self._functions[function % len(self._functions)]
                self.counts["workers killed"] += self._stack.lambda_service.kill_worker(
                    name, worker
                )
            case Abort(which):
                self._abort(which)
            case Outage():
                self.counts["outages of StartExecution"] += 1
                self._outage_over = self.dead_letters() + _DEAD_LETTERS
                self._outage_until = time.monotonic() + _OUTAGE_SECONDS
                self.deliveries.outage.set()

    def _abort(self, which: int) -> None:
        client = self._stack.client("stepfunctions")
        running = client.list_executions(
            stateMachineArn=self._stack.output("StateMachineArn"), statusFilter="RUNNING"
        )["executions"]
        if running:
            arn = running[which % len(running)]["executionArn"]
            client.stop_execution(executionArn=arn, error="Storm", cause="stopped by hand")
            self.counts["executions stopped by hand"] += 1

    def _revive_pipe(self) -> None:
        if self.deliveries.killed.is_set():
            self.deliveries.killed.clear()
            self._stack.pipe.start()

    def _end_outage(self) -> None:
        if not self.deliveries.outage.is_set():
            return
        if self.dead_letters() >= self._outage_over or time.monotonic() > self._outage_until:
            self.deliveries.outage.clear()

    def queued(self) -> int:
        return visible(self._sqs, self._queue) + in_flight(self._sqs, self._queue)

    def _under_way(self) -> int:
        return self.queued() + self._troubled.owed + interpreter.running()
