"""Small state machines on the local Step Functions: each Task's function is a Python callable."""

import itertools
import json
import threading
import time
from collections.abc import Callable
from typing import Any

from local_stack.aws import Endpoint
from local_stack.lambda_service import Invocation

PATIENCE = 20  # seconds, after which a wait fails the test
_POLL_SECONDS = 0.01
_ROLE = "arn:aws:iam::123456789012:role/any"
_numbers = itertools.count(1)

Function = Callable[[Any], Any]


class Failure(Exception):
    """Raised by a function to fail with this error name."""


def task(function: str, **fields: Any) -> dict[str, Any]:
    """A Task that hands its input to ``function``, whose answer is its output."""
    ends = {} if "Next" in fields else {"End": True}
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": function, "Payload.$": "$"},
        "OutputPath": "$.Payload",
    } | (ends | fields)


def chain(**states: Any) -> dict[str, Any]:
    """States that begin with the first; a Next is theirs to give."""
    return {"StartAt": next(iter(states)), "States": states}


def inline_map(states: dict[str, Any], **fields: Any) -> dict[str, Any]:
    processor = {"ProcessorConfig": {"Mode": "INLINE"}} | states
    return {"Type": "Map", "ItemProcessor": processor, "End": True} | fields


class Engine:
    def __init__(self, endpoint: Endpoint) -> None:
        self.client: Any = endpoint.client("stepfunctions")
        self.functions: dict[str, Function] = {}
        self.calls: list[tuple[str, Any]] = []
        self.arn = ""
        self._lock = threading.Lock()

    def reset(self) -> None:
        self.functions, self.calls = {}, []

    def invoke(self, name: str, payload: bytes) -> Invocation:
        value = json.loads(payload)
        with self._lock:
            self.calls.append((name, value))
        try:
            answer = self.functions.get(name, lambda given: given)(value)
        except Failure as failure:
            body = {"errorType": str(failure), "errorMessage": "on purpose"}
            return Invocation(json.dumps(body).encode(), "Unhandled")
        return Invocation(json.dumps(answer).encode(), None)

    def called(self, name: str) -> list[Any]:
        """The payloads that the function was invoked with."""
        with self._lock:
            return [payload for called, payload in self.calls if called == name]

    def create(self, definition: dict[str, Any], kind: str = "STANDARD") -> str:
        name = f"small-{next(_numbers)}"
        made = self.client.create_state_machine(
            name=name, definition=json.dumps(definition), roleArn=_ROLE, type=kind
        )
        return str(made["stateMachineArn"])

    def start(self, definition: dict[str, Any], value: Any = None, kind: str = "STANDARD") -> str:
        machine, name = self.create(definition, kind), f"run-{next(_numbers)}"
        # Known before the start, so that the functions can look at their own execution.
        self.arn = f"{machine.replace(':stateMachine:', ':execution:')}:{name}"
        started = self.client.start_execution(
            stateMachineArn=machine, name=name, input=json.dumps({} if value is None else value)
        )
        assert started["executionArn"] == self.arn
        return self.arn

    def run(self, definition: dict[str, Any], value: Any = None, kind: str = "STANDARD") -> str:
        """Start an execution, and wait for its end."""
        arn = self.start(definition, value, kind)
        self.ended(arn)
        return arn

    def describe(self, arn: str) -> dict[str, Any]:
        return dict(self.client.describe_execution(executionArn=arn))

    def ended(self, arn: str) -> dict[str, Any]:
        self.wait_for(lambda: self.describe(arn)["status"] != "RUNNING")
        return self.describe(arn)

    def redrive(self, arn: str) -> dict[str, Any]:
        """Redrive, wait, and describe. Forgets the calls of before."""
        with self._lock:
            self.calls.clear()
        self.client.redrive_execution(executionArn=arn)
        return self.ended(arn)

    def history(self, arn: str) -> list[dict[str, Any]]:
        pages = self.client.get_paginator("get_execution_history").paginate(executionArn=arn)
        return [event for page in pages for event in page["events"]]

    def types(self, arn: str) -> list[str]:
        return [event["type"] for event in self.history(arn)]

    def since_redrive(self, arn: str) -> list[dict[str, Any]]:
        """The events of the last redrive, after ``ExecutionRedriven``."""
        events = self.history(arn)
        last = max(i for i, event in enumerate(events) if event["type"] == "ExecutionRedriven")
        return events[last + 1 :]

    def entered(self, arn: str) -> list[str]:
        """The states entered since the redrive."""
        details = [event.get("stateEnteredEventDetails") for event in self.since_redrive(arn)]
        return [detail["name"] for detail in details if detail]

    def wait_for(self, holds: Callable[[], Any], seconds: float = PATIENCE) -> None:
        deadline = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(f"not reached within {seconds} s")
            time.sleep(_POLL_SECONDS)


class Switch:
    """A function that fails with ``error`` until it is repaired, for the payloads that fit."""

    def __init__(self, error: str = "Broken", fits: Callable[[Any], bool] = lambda _: True) -> None:
        self.error: str | None = error
        self.fits = fits

    def repair(self) -> None:
        self.error = None

    def __call__(self, value: Any) -> Any:
        if self.error and self.fits(value):
            raise Failure(self.error)
        return value


class Gate:
    """A function that answers once it is opened; ``reached`` tells that it was called."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.opened = threading.Event()

    def open(self) -> None:
        self.opened.set()

    def __call__(self, value: Any) -> Any:
        self.reached.set()
        assert self.opened.wait(PATIENCE)
        return value
