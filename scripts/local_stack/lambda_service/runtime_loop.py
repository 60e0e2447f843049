"""A runtime of our own for platforms without AWS's client, with that client's error shapes.

It runs in the worker, which cannot import the rest of this package: the standard library only.
"""

from __future__ import annotations

import http.client
import importlib
import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import TracebackType

Handler = Callable[[object, "Context"], object]
Reply = tuple[bytes, http.client.HTTPMessage]


class RuntimeFaultError(Exception):
    """What the runtime itself finds wrong with a function: `Runtime.…`."""

    def __init__(self, error_type: str, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type


@dataclass
class Context:
    """https://docs.aws.amazon.com/lambda/latest/dg/python-context.html"""

    aws_request_id: str
    invoked_function_arn: str
    deadline_ms: int
    function_name: str = os.environ.get("AWS_LAMBDA_FUNCTION_NAME", "")
    function_version: str = os.environ.get("AWS_LAMBDA_FUNCTION_VERSION", "")
    memory_limit_in_mb: str = os.environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")
    log_group_name: str = os.environ.get("AWS_LAMBDA_LOG_GROUP_NAME", "")
    log_stream_name: str = os.environ.get("AWS_LAMBDA_LOG_STREAM_NAME", "")
    identity: None = None
    client_context: None = None

    def get_remaining_time_in_millis(self) -> int:
        return max(0, self.deadline_ms - int(time.time() * 1000))


class LogStamp(logging.Filter):
    """Gives each log line the request that it belongs to."""

    request_id = ""

    def filter(self, record: logging.LogRecord) -> bool:
        record.aws_request_id = self.request_id
        return True


class RuntimeApiClient:
    """One connection to the Runtime API, kept open."""

    def __init__(self, api_address: str) -> None:
        host, _, path = api_address.partition("/")
        self._connection = http.client.HTTPConnection(host)
        self._root = f"/{path}/2018-06-01/runtime"

    def next(self) -> Reply:
        return self._call("GET", "/invocation/next", None)

    def respond(self, request_id: str, body: bytes) -> None:
        self._call("POST", f"/invocation/{request_id}/response", body)

    def fail(self, request_id: str, error: dict[str, Any]) -> None:
        self._call("POST", f"/invocation/{request_id}/error", json.dumps(error).encode())

    def fail_init(self, error: dict[str, Any]) -> None:
        self._call("POST", "/init/error", json.dumps(error).encode())

    def _call(self, method: str, path: str, body: bytes | None) -> Reply:
        self._connection.request(method, self._root + path, body)
        response = self._connection.getresponse()
        content = response.read()
        if response.status >= 300:
            raise ConnectionError(f"the Runtime API refuses {path}: {response.status}")
        return content, response.headers


def run(handler_name: str) -> None:
    """Load the handler, then do events for as long as the process lives."""
    stamp = LogStamp()
    _log_as_lambda_does(stamp)
    api = RuntimeApiClient(os.environ["AWS_LAMBDA_RUNTIME_API"])
    try:
        handler = load(handler_name)
    except Exception as error:  # noqa: BLE001 (whatever the module raises is the answer)
        report = _report(error, "")
        _print_error(report)
        api.fail_init(report)
        sys.exit(1)
    while True:
        _do_next(api, handler, stamp)


def load(handler_name: str) -> Handler:
    module_name, dot, function_name = handler_name.rpartition(".")
    if not dot:
        raise RuntimeFaultError("Runtime.MalformedHandlerName", f"Bad handler '{handler_name}'")
    try:
        module = importlib.import_module(module_name.replace("/", "."))
    except ImportError as error:
        message = f"Unable to import module '{module_name}': {error}"
        raise RuntimeFaultError("Runtime.ImportModuleError", message) from error
    except SyntaxError as error:
        message = f"Syntax error in module '{module_name}': {error}"
        raise RuntimeFaultError("Runtime.UserCodeSyntaxError", message) from error
    handler: Handler | None = getattr(module, function_name, None)
    if handler is None:
        message = f"Handler '{function_name}' missing on module '{module_name}'"
        raise RuntimeFaultError("Runtime.HandlerNotFound", message)
    return handler


def _do_next(api: RuntimeApiClient, handler: Handler, stamp: LogStamp) -> None:
    payload, headers = api.next()
    request_id = headers["Lambda-Runtime-Aws-Request-Id"]
    stamp.request_id = request_id
    os.environ["_X_AMZN_TRACE_ID"] = headers["Lambda-Runtime-Trace-Id"]
    context = Context(
        aws_request_id=request_id,
        invoked_function_arn=headers["Lambda-Runtime-Invoked-Function-Arn"],
        deadline_ms=int(headers["Lambda-Runtime-Deadline-Ms"]),
    )
    try:
        result = _encode(handler(_decode(payload), context))
    except Exception as error:  # noqa: BLE001 (whatever the function raises is the answer)
        report = _report(error, request_id)
        _print_error(report)
        api.fail(request_id, report)
    else:
        api.respond(request_id, result)


def _decode(payload: bytes) -> object:
    try:
        event: object = json.loads(payload)
    except ValueError as error:
        message = f"Unable to unmarshal input: {error}"
        raise RuntimeFaultError("Runtime.UnmarshalError", message) from error
    return event


def _encode(result: object) -> bytes:
    if isinstance(result, bytes):
        return result
    try:
        return json.dumps(result, ensure_ascii=False).encode()
    except (TypeError, ValueError) as error:
        message = f"Unable to marshal response: {error}"
        raise RuntimeFaultError("Runtime.MarshalError", message) from error


def _report(error: Exception, request_id: str) -> dict[str, Any]:
    if isinstance(error, RuntimeFaultError):
        error_type, frames = error.error_type, []
    else:
        error_type, frames = type(error).__name__, _frames(error.__traceback__)
    return {
        "errorMessage": str(error),
        "errorType": error_type,
        "requestId": request_id,
        "stackTrace": traceback.format_list(frames),
    }


def _frames(trace: TracebackType | None) -> list[traceback.FrameSummary]:
    """The function's own frames, without this module's."""
    frames = traceback.extract_tb(trace)
    return [frame for frame in frames if frame.filename != __file__]


def _print_error(report: dict[str, Any]) -> None:
    headline = f"[ERROR] {report['errorType']}: {report['errorMessage']}"
    text = "\n".join([headline, *report["stackTrace"]])
    # Carriage returns keep the lines of one error together, as AWS's client does.
    print("\r".join(text.splitlines()))


def _log_as_lambda_does(stamp: LogStamp) -> None:
    console = logging.StreamHandler(sys.stdout)
    form = "[%(levelname)s]\t%(asctime)s.%(msecs)03dZ\t%(aws_request_id)s\t%(message)s"
    console.setFormatter(logging.Formatter(form, "%Y-%m-%dT%H:%M:%S"))
    console.addFilter(stamp)
    logging.Formatter.converter = time.gmtime
    logging.getLogger().addHandler(console)
