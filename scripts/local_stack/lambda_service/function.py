"""What a function is, what an invocation gives back, and AWS's shapes for what went wrong."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MAX_REQUEST_BYTES = 6 * 1024 * 1024
"""The quota of a synchronous invocation
(https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html)."""

MAX_RESPONSE_BYTES = MAX_REQUEST_BYTES + 100
"""What the Runtime API takes of a response: AWS allows 100 bytes on top of the quota."""

UNHANDLED = "Unhandled"


@dataclass(frozen=True)
class FunctionSpec:
    """What the template says of one function.

    `environment` holds the template's variables and the `AWS_*` ones of its role; `handler` is
    `module.function`, found in `code_dir`.
    """

    name: str
    arn: str
    handler: str
    code_dir: Path
    environment: Mapping[str, str]
    timeout_seconds: int
    memory_mb: int

    @property
    def log_group(self) -> str:
        return f"/aws/lambda/{self.name}"


@dataclass(frozen=True)
class Invocation:
    """What the service answers: the function's result, or its error.

    `function_error` is what AWS puts into `X-Amz-Function-Error`: "Unhandled", or None for a
    success. The payload of a failure is `{"errorType", "errorMessage", …}`.
    """

    payload: bytes
    function_error: str | None


class TooManyRequests(Exception):
    """The service refuses the call (HTTP 429): the function has not been called.

    https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors
    """

    reason = "ReservedFunctionConcurrentInvocationLimitExceeded"


class RequestTooLargeError(Exception):
    """The payload is over 6 MB (HTTP 413, RequestTooLargeException)."""


class FunctionNotFoundError(KeyError):
    """No function has this name."""


class LambdaServiceClosedError(Exception):
    """The service has been closed and takes no more calls."""


def failed(error_type: str, error_message: str) -> Invocation:
    body = {"errorType": error_type, "errorMessage": error_message}
    return Invocation(json.dumps(body, ensure_ascii=False).encode(), UNHANDLED)


def timed_out(request_id: str, timeout_seconds: float) -> Invocation:
    return failed(
        "Sandbox.Timedout",
        f"RequestId: {request_id} Error: Task timed out after {timeout_seconds:.2f} seconds",
    )


def exited(request_id: str, returncode: int) -> Invocation:
    """The worker's process ended in an invocation; `returncode` is as in `subprocess`."""
    return failed("Runtime.ExitError", f"RequestId: {request_id} Error: {_exit(returncode)}")


def response_too_large() -> Invocation:
    return failed(
        "Function.ResponseSizeTooLarge",
        "Response payload size exceeded maximum allowed payload size "
        f"({MAX_RESPONSE_BYTES} bytes).",
    )


def _exit(returncode: int) -> str:
    if returncode == 0:
        return "Runtime exited without providing a reason"
    if returncode > 0:
        return f"Runtime exited with error: exit status {returncode}"
    # The words are those of strsignal(3) in lower case: "signal: killed".
    description = signal.strsignal(-returncode) or f"signal {-returncode}"
    return f"Runtime exited with error: signal: {description.lower()}"
