"""The running local stack: moto's server, the Lambda service and the pipe, as one."""

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local_stack.aws import Endpoint, forget_aws_configuration, role_credentials
from local_stack.deploy import Deployment, deploy, switch_compute
from local_stack.emails import Outbox
from local_stack.holder_api import HolderApi
from local_stack.lambda_service import (
    FaultPlan,
    FunctionSpec,
    Invocation,
    LambdaService,
    TooManyRequests,
)
from local_stack.moto_server import MotoServer
from local_stack.permissions.guard import Caller, Guard
from local_stack.permissions.needs import invoke_function, write_log
from local_stack.pipe import Pipe
from local_stack.progress import StepEvent, say, step_event
from local_stack.subjects import subject_of

MY_TICKETS = "minitickets-dev-my-tickets"
_MOST_RUNNING = 50  # executions; each holds about ten threads of this process


@dataclass(frozen=True)
class Options:
    """``out`` receives emails and logs while the stack runs. ``port`` 0 is any free one.

    ``listening`` hears the endpoint's address, ahead of the deployment.
    """

    out: Path
    port: int = 0
    time_scale: float = 1
    watch: Callable[[StepEvent], None] = lambda _: None
    listening: Callable[[str], None] = lambda _: None


class LocalStack:
    """Use as a context manager: nothing of it is left behind, whatever happens inside.

    One at a time in a process, since moto's state belongs to the process.
    """

    def __init__(self, options: Options, faults: FaultPlan | None = None) -> None:
        forget_aws_configuration()
        self.faults = faults or FaultPlan()
        self.outbox = Outbox(options.out / "emails")
        self._watch = options.watch
        self._time_scale = options.time_scale
        self._server = MotoServer(options.port, self.outbox, self.faults)
        self.endpoint: Endpoint = self._server.endpoint
        self.guard: Guard = self._server.guard
        try:
            self._bring_up(options)
        except BaseException:
            self._server.close()
            raise

    def _bring_up(self, options: Options) -> None:
        from local_stack import interpreter
        from local_stack.permissions import account

        options.listening(self.endpoint.url)
        self.deployment: Deployment = deploy(self.endpoint, options.time_scale)
        self.guard.check(account.roles())
        self._log_dir = options.out / "logs"
        self.lambda_service = self._new_lambda_service()
        self.run_machines()
        breakable = self.deployment.booking_states
        self._server.fault_control.deployed(breakable, options.time_scale)
        self.holder_api: HolderApi = self._server.holder_api
        self.holder_api.deployed(partial(self._invoke, MY_TICKETS))
        caller = role_credentials(self.endpoint, self.deployment.pipe.role, "pipe")
        self.pipe = Pipe(
            self.deployment.pipe,
            self.endpoint.client("sqs", caller),
            self.endpoint.client("stepfunctions", caller),
            busy=lambda: interpreter.running() >= _MOST_RUNNING,
            report=lambda trouble: say(f"The pipe cannot go on: {trouble}"),
        )

    def __enter__(self) -> Self:
        try:
            self._prewarm()
        except BaseException:
            self.close()
            raise
        if self.deployment.pipe.runs:
            self.pipe.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._watch = lambda _: None  # what is cut off now says nothing of the system
        self.pipe.stop()
        self.lambda_service.close()
        self._server.close()

    def switch_compute(self, on: bool) -> None:
        """Update the stack with another ``ComputeEnabled``: off stops the pipe before the functions
        go, on has the functions before the pipe starts, as CloudFormation does it."""
        self.pipe.stop()
        self.deployment = switch_compute(self.endpoint, self.deployment, on)
        self.lambda_service.close()
        self.lambda_service = self._new_lambda_service()
        if self.deployment.pipe.runs:
            self._prewarm()
            self.pipe.start()

    def _prewarm(self) -> None:
        """A booking's functions: a reconciliation starts its own when somebody asks for one."""
        deployed = self.deployment
        self.lambda_service.prewarm(
            {name for name, state in deployed.states.items() if state in deployed.booking_states}
        )

    def _new_lambda_service(self) -> LambdaService:
        return LambdaService(
            self.deployment.functions,
            log_dir=self._log_dir,
            workers_per_function=min(8, max(2, os.cpu_count() or 2)),
            faults=self.faults,
            states=self.deployment.states,
            subject_of=subject_of,
            may_log=self._may_log,
        )

    def client(self, service: str) -> Any:
        return self.endpoint.client(service)

    def output(self, name: str) -> str:
        """An output of the template, such as ``BookingQueueUrl``."""
        return self.deployment.outputs[name]

    def run_machines(self) -> None:
        """Have every state machine call this stack's functions, as far as its role may."""
        from local_stack import interpreter

        def why_not(role: str, function: str) -> str | None:
            return self.guard.why_not(Caller.of(role, "states"), invoke_function(function))

        interpreter.install(self._invoke, self._time_scale, why_not)

    def _may_log(self, function: FunctionSpec) -> bool:
        from local_stack.permissions import account

        caller = account.session(function.environment["AWS_ACCESS_KEY_ID"])
        return caller is None or not self.guard.why_not(caller, *write_log(function.log_group))

    def _invoke(self, function: str, payload: bytes) -> Invocation:
        state = self.deployment.states.get(function)
        if state is None:
            return self.lambda_service.invoke(function, payload)
        result: Invocation | TooManyRequests
        try:
            result = self.lambda_service.invoke(function, payload)
        except TooManyRequests as refusal:
            result = refusal
        # Whoever watches cannot change what happened: a failing watch would fail a step that
        # was done, and its retry would send a second email.
        with contextlib.suppress(Exception):
            self._watch(step_event(state, subject_of(payload), result))
        if isinstance(result, TooManyRequests):
            raise result
        return result
