"""What stands between a caller and moto: the points where AWS is stricter, or keeps more.

- A web page is refused (:mod:`local_stack.own_requests`).
- DynamoDB and S3: one request at a time each. moto checks a condition and writes in two steps, so
  of two racing conditional puts both could win.
- SQS: a body that AWS does not take is refused (moto takes it).
- SES: faults are played here, and what was requested is kept.
- The faults are seen and changed at a path of their own (:mod:`local_stack.fault_control`).
- My tickets, and its users' tokens, have theirs (:mod:`local_stack.holder_api`).
"""

import json
import re
import threading
import uuid
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from local_stack.emails import Outbox, booking_tag
from local_stack.fault_control import PATH, FaultControl
from local_stack.holder_api import PATHS, HolderApi
from local_stack.lambda_service import FaultPlan
from local_stack.own_requests import REFUSAL, is_own
from local_stack.request_body import read_body

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MAXIMUM_MESSAGE_SIZE = 64 * 1024  # bytes; the template's queues
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
_NOT_IN_A_MESSAGE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SES_REFUSALS = {
    "ses-throttle": (
        HTTPStatus.TOO_MANY_REQUESTS,
        "TooManyRequestsException",
        "Maximum sending rate exceeded.",
    ),
    "ses-reject": (HTTPStatus.BAD_REQUEST, "MessageRejected", "Email address is not verified."),
    "ses-pause": (
        HTTPStatus.BAD_REQUEST,
        "SendingPausedException",
        "Sending paused for this account.",
    ),
}


class AwsEndpoint:
    """A WSGI application around moto's."""

    def __init__(self, moto: "WSGIApplication", outbox: Outbox, faults: FaultPlan) -> None:
        self._moto = moto
        self._outbox = outbox
        self._faults = faults
        self._dynamodb = threading.Lock()
        self._s3 = threading.Lock()
        self.fault_control = FaultControl(faults)
        self.holder_api = HolderApi()

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        if not is_own(environ):
            return _error(start, HTTPStatus.FORBIDDEN, "AccessDeniedException", REFUSAL)
        if environ["PATH_INFO"] == PATH:
            return self.fault_control(environ, start)
        if environ["PATH_INFO"].startswith(PATHS):
            return self.holder_api(environ, start)
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        if target.startswith("DynamoDB_"):
            with self._dynamodb:
                return list(self._moto(environ, start))
        if "/s3/aws4_request" in environ.get("HTTP_AUTHORIZATION", ""):
            with self._s3:
                return list(self._moto(environ, start))
        if target.startswith("AmazonSQS.SendMessage"):
            return self._send_message(environ, start)
        if environ["PATH_INFO"] == "/v2/email/outbound-emails":
            return self._send_email(environ, start)
        return self._moto(environ, start)

    def _send_message(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        request = json.loads(read_body(environ))
        for entry in request.get("Entries", [request]):
            refusal = message_refusal(entry.get("MessageBody", ""))
            if refusal:
                return _error(start, HTTPStatus.BAD_REQUEST, *refusal)
        return self._moto(environ, start)

    def _send_email(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        request = json.loads(read_body(environ))
        fault = self._faults.take_ses(booking_tag(request))
        if fault:
            return _error(start, *_SES_REFUSALS[fault])
        status, answer = _call(self._moto, environ, start)
        if status.startswith("200"):
            self._outbox.add(json.loads(answer)["MessageId"], request)
        return [answer]


def message_refusal(body: str) -> tuple[str, str] | None:
    """SQS's error code and reason for a message body that it does not take; None if it does."""
    if not body:
        return "MissingParameter", "The request must contain the parameter MessageBody."
    if _NOT_IN_A_MESSAGE.search(body):
        return "InvalidMessageContents", "The message contains characters outside the allowed set."
    if len(body.encode()) > MAXIMUM_MESSAGE_SIZE:
        return (
            "InvalidParameterValue",
            f"Message must be shorter than {MAXIMUM_MESSAGE_SIZE} bytes.",
        )
    return None


def _call(
    app: "WSGIApplication", environ: "WSGIEnvironment", start: "StartResponse"
) -> tuple[str, bytes]:
    """Call the application; give its status and whole body as well as passing the headers on."""
    seen: list[str] = []

    def note(status: str, headers: list[tuple[str, str]], *rest: Any) -> Callable[[bytes], object]:
        seen.append(status)
        return start(status, headers, *rest)

    answer = b"".join(app(environ, note))
    return seen[0], answer


def _error(start: "StartResponse", status: HTTPStatus, code: str, message: str) -> Iterable[bytes]:
    """An error as AWS's JSON protocols give it: the name in a header and in the body."""
    answer = json.dumps({"__type": code, "message": message}).encode()
    headers = [
        ("Content-Type", "application/x-amz-json-1.0"),
        ("Content-Length", str(len(answer))),
        ("x-amzn-ErrorType", code),
        ("x-amzn-RequestId", str(uuid.uuid4())),
    ]
    start(f"{status.value} {status.phrase}", headers)
    return [answer]
