"""AWS calls as scheduling points: what a handler asks of AWS, and what it is told.

A request is the one that botocore really sends; an answer is read by botocore as a real one.
"""

import json
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ConnectTimeoutError, ReadTimeoutError
from moto.core.botocore_stubber import BotocoreStubber, MockRawResponse

# A moto account of the explorer's own: other tests of this process keep theirs.
ACCOUNT = "202600000006"
_moto = BotocoreStubber()


class Reply(NamedTuple):
    """An answer of AWS; of its headers those that botocore reads."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def reach(self, call: "Call") -> AWSResponse:
        raw: Any = MockRawResponse(self.body)
        return AWSResponse(call.url, self.status, dict(self.headers), raw)


@dataclass(frozen=True)
class NotSent:
    """The connection was not made: AWS knows nothing of the call."""

    def reach(self, call: "Call") -> AWSResponse:
        raise ConnectTimeoutError(endpoint_url=call.url)


@dataclass(frozen=True)
class ReplyLost:
    """The caller waited in vain for AWS's answer."""

    def reach(self, call: "Call") -> AWSResponse:
        raise ReadTimeoutError(endpoint_url=call.url)


Answer = Reply | NotSent | ReplyLost


@dataclass(frozen=True)
class Call:
    """``subject`` is an item's or an object's key, or an email's address.

    Of the headers only ``conditions`` tell calls apart: the others differ by the hour.
    """

    operation: str
    subject: str
    method: str
    url: str
    conditions: tuple[tuple[str, str], ...]
    body: bytes
    headers: tuple[tuple[str, str], ...] = field(compare=False, repr=False)

    @classmethod
    def of(cls, operation: str, request: AWSPreparedRequest) -> "Call":
        headers = {k.lower(): _text(v) for k, v in request.headers.items()}
        body = request.body or b""
        content = body.encode() if isinstance(body, str) else body
        if not isinstance(content, bytes):
            content = content.read()
        url, subject = request.url, _subject(operation, request.url, content)
        conditions = tuple(sorted((k, v) for k, v in headers.items() if _matters(k)))
        every = tuple(headers.items())
        return cls(operation, subject, request.method, url, conditions, content, every)

    @property
    def reads(self) -> bool:
        return self.operation in ("GetItem", "GetObject")

    def __str__(self) -> str:
        return f"{self.operation} {self.subject}"

    def send(self) -> Reply:
        """Let moto do it."""
        headers: Any = {**dict(self.headers), "x-moto-account-id": ACCOUNT}
        request = AWSPreparedRequest(self.method, self.url, headers, self.body, False)
        answer = _moto.process_request(request)
        assert answer is not None, f"moto does not know {self}"
        status, given, body = answer
        kept = sorted((k.lower(), str(v)) for k, v in given.items() if _is_read(k.lower()))
        return Reply(status, tuple(kept), body.encode() if isinstance(body, str) else body)


def refused(code: str, status: int) -> Reply:
    """SES's refusal of an email."""
    headers = (("content-type", "application/json"), ("x-amzn-errortype", code))
    return Reply(status, headers, b'{"message": "on purpose"}')


def _matters(header: str) -> bool:
    return header in ("x-amz-target", "if-match", "if-none-match", "range") or _is_read(header)


def _is_read(header: str) -> bool:
    kept = ("content-type", "etag", "x-amzn-errortype")
    return header in kept or header.startswith("x-amz-meta-")


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _subject(operation: str, url: str, content: bytes) -> str:
    if not content.startswith(b"{"):
        return url.split("/", 3)[3]  # S3's calls
    fields = json.loads(content)
    if operation == "SendEmail":
        return ", ".join(fields["Destination"]["ToAddresses"])
    key = fields.get("Key") or fields.get("Item") or {}
    found = key.get("ticketId") or key.get("jobKey") or {}
    return str(found.get("S", ""))
