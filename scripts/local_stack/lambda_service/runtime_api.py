"""The Runtime API, by which a worker fetches events and answers them.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html. One port of 127.0.0.1 serves all
workers. A worker is known by the first segment of its path, which cannot be guessed: no other user
of the machine can fetch or answer its events.
"""

from __future__ import annotations

import json
import secrets
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Protocol

from local_stack.lambda_service.function import (
    MAX_RESPONSE_BYTES,
    UNHANDLED,
    Invocation,
    response_too_large,
)

if TYPE_CHECKING:
    from local_stack.lambda_service.event import Event

_VERSION = "2018-06-01"
_READ_BYTES = 1 << 16
_POLL_SECONDS = 0.05
"""How long `close` may have to wait for the accepting thread."""

_Request = socket.socket | tuple[bytes, socket.socket]


class RuntimeEnd(Protocol):
    """The service's end of one worker."""

    def next_event(self) -> Event | None:
        """Wait for the next event; None when there will be no more."""

    def answer(self, request_id: str, invocation: Invocation) -> bool:
        """Take the answer to an event; False if that event is not the one being worked on."""

    def init_failed(self, failure: Invocation) -> None:
        """Take the reason why the worker cannot take events."""


class RuntimeApi:
    """The server and the workers that it knows."""

    def __init__(self) -> None:
        self._ends: dict[str, RuntimeEnd] = {}
        self._server = _Server(self._ends)
        host, port = self._server.server_address[:2]
        self._address = f"{host!s}:{port}"
        threading.Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), daemon=True
        ).start()

    def register(self, end: RuntimeEnd) -> str:
        """The worker's own AWS_LAMBDA_RUNTIME_API."""
        key = secrets.token_urlsafe(16)
        self._ends[key] = end
        return f"{self._address}/{key}"

    def unregister(self, api_address: str) -> None:
        self._ends.pop(api_address.rpartition("/")[2], None)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, ends: dict[str, RuntimeEnd]) -> None:
        self.ends = ends
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: _Request, client_address: object) -> None:
        # A worker that was killed leaves a broken connection: that is not news.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    # An unbuffered response goes out in pieces and then waits for the client's delayed
    # acknowledgement: 44 ms an invocation.
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        match self._route():
            case end, ["invocation", "next"]:
                self._next(end)
            case _:
                self._refuse(404, "ResourceNotFound", self.path)

    def do_POST(self) -> None:
        body = self._body()
        match self._route():
            case end, ["invocation", request_id, "response"]:
                self._answer(end, request_id, body, function_error=None)
            case end, ["invocation", request_id, "error"]:
                self._answer(end, request_id, body, function_error=UNHANDLED)
            case end, ["init", "error"]:
                end.init_failed(Invocation(body or b"", UNHANDLED))
                self._reply(202, b'{"status":"OK"}')
            case _:
                self._refuse(404, "ResourceNotFound", self.path)

    def handle_expect_100(self) -> bool:
        proceed = super().handle_expect_100()
        self.wfile.flush()
        return proceed

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        pass

    def _route(self) -> tuple[RuntimeEnd, list[str]] | None:
        key, _, path = self.path.removeprefix("/").partition(f"/{_VERSION}/runtime/")
        end = self.server.ends.get(key)
        return None if end is None else (end, path.split("/"))

    def _next(self, end: RuntimeEnd) -> None:
        event = end.next_event()
        if event is None:
            self.close_connection = True
            return
        self._reply(
            200,
            event.payload,
            {
                "Lambda-Runtime-Aws-Request-Id": event.request_id,
                "Lambda-Runtime-Deadline-Ms": str(event.deadline_ms),
                "Lambda-Runtime-Invoked-Function-Arn": event.function_arn,
                "Lambda-Runtime-Trace-Id": event.trace_id,
            },
        )

    def _answer(
        self, end: RuntimeEnd, request_id: str, body: bytes | None, function_error: str | None
    ) -> None:
        answer = response_too_large() if body is None else Invocation(body, function_error)
        if not end.answer(request_id, answer):
            self._refuse(400, "InvalidRequestID", "Invalid request ID")
        elif body is None:
            self._refuse(
                413,
                "RequestEntityTooLarge",
                f"Exceeded maximum allowed payload size ({MAX_RESPONSE_BYTES} bytes).",
            )
        else:
            self._reply(202, b'{"status":"OK"}')

    def _body(self) -> bytes | None:
        """The request's body; None if it is too large."""
        left = int(self.headers.get("Content-Length", "0"))
        if left <= MAX_RESPONSE_BYTES:
            return self.rfile.read(left)
        while left > 0 and (chunk := self.rfile.read(min(left, _READ_BYTES))):
            left -= len(chunk)
        return None

    def _refuse(self, status: int, error_type: str, message: str) -> None:
        self._reply(status, json.dumps({"errorType": error_type, "errorMessage": message}).encode())

    def _reply(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
