"""The requests that reach the stack's endpoint, in order: what the steps really asked of AWS."""

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from local_stack import endpoint
from local_stack.emails import booking_tag

_WRITES = (
    "BatchWriteItem", "DeleteItem", "PutItem", "PutObject", "TransactWriteItems", "UpdateItem",
    "DELETE ", "PATCH ", "POST ", "PUT ",
)  # fmt: skip


@dataclass
class AwsCall:
    """``began`` and ``ended`` count up over all calls; ``subject`` is an item's or object's key, or
    an email's booking."""

    operation: str
    subject: str
    request: bytes
    began: int
    ended: int = 0
    status: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.request)
        return fields


class AwsCalls:
    """``before`` is called with each call in the server's thread, ahead of its work."""

    def __init__(self, before: Callable[[AwsCall], None] = lambda _: None) -> None:
        self._before = before
        self._numbers = itertools.count(1)
        self._calls: list[AwsCall] = []
        self._lock = threading.Lock()

    def of(self, operation: str, subject: str = "") -> list[AwsCall]:
        """The calls whose subject contains ``subject``, in the order of their beginning."""
        with self._lock:
            return [c for c in self._calls if c.operation == operation and subject in c.subject]

    def writing(self) -> list[str]:
        """The operations that write into a table or a bucket, in their order."""
        with self._lock:
            return [c.operation for c in self._calls if c.operation.startswith(_WRITES)]

    def pass_on(self, serve: Any, application: Any, environ: Any, start: Any) -> Any:
        request = endpoint.read_body(environ)
        operation, subject = read_call(environ, request)
        with self._lock:
            call = AwsCall(operation, subject, request, next(self._numbers))
            self._calls.append(call)
        self._before(call)

        def note(status: str, headers: Any, *rest: Any) -> Any:
            call.status = int(status.split()[0])
            return start(status, headers, *rest)

        answer = serve(application, environ, note)
        with self._lock:
            call.ended = next(self._numbers)
        return answer


@contextmanager
def aws_calls(before: Callable[[AwsCall], None] = lambda _: None) -> Iterator[AwsCalls]:
    calls, serve = AwsCalls(before), endpoint.AwsEndpoint.__call__

    def call(self: endpoint.AwsEndpoint, environ: Any, start: Any) -> Any:
        return calls.pass_on(serve, self, environ, start)

    with patch.object(endpoint.AwsEndpoint, "__call__", call):
        yield calls


def read_call(environ: Any, request: bytes) -> tuple[str, str]:
    """The operation, and the key or booking that it is about."""
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    if target.startswith("DynamoDB_"):
        fields = json.loads(request)
        key = fields.get("Key") or fields.get("Item") or {}
        found = key.get("ticketId") or key.get("jobKey") or {}
        return target.partition(".")[2], found.get("S", "")
    if target:
        return target.partition(".")[2], ""
    if "/tickets/" in environ["PATH_INFO"] and environ["REQUEST_METHOD"] == "PUT":
        return "PutObject", environ["PATH_INFO"].split("/", 2)[2]
    if environ["PATH_INFO"] == "/v2/email/outbound-emails":
        return "SendEmail", booking_tag(json.loads(request)) or ""
    return f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}", ""
