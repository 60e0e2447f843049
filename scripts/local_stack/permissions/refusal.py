"""AccessDenied as each of AWS's services says it.

The sentence is that of https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
but for what services make of it: SES has a form of its own
(https://github.com/nodemailer/nodemailer/issues/1734), SQS writes the action in lower case
(https://github.com/RaiderIO/keystone.guru/issues/3901), S3 quotes the resource.
"""

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from local_stack.permissions.policy import Need, Verdict

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_QUERY = "application/x-www-form-urlencoded"
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'

# The JSON protocols of these two answer with 400, others with 403:
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
# https://docs.aws.amazon.com/step-functions/latest/apireference/CommonErrors.html
_STATUS = {"dynamodb": HTTPStatus.BAD_REQUEST, "states": HTTPStatus.BAD_REQUEST}


def sentence(caller: str, need: Need, verdict: Verdict) -> str:
    """Why the caller, an ARN, may not do what it needs."""
    service, _, operation = need.action.partition(":")
    if service == "ses":
        asked = f"`{need.action}' on resource `{need.resource}'"
        return f"User `{caller}' is not authorized to perform {asked}"
    action = f"{service}:{operation.lower()}" if service == "sqs" else need.action
    resource = f'"{need.resource}"' if service == "s3" else need.resource
    why = (
        "with an explicit deny in an identity-based policy"
        if verdict.denied
        else f"because no identity-based policy allows the {action} action"
    )
    return f"User: {caller} is not authorized to perform: {action} on resource: {resource} {why}"


@dataclass(frozen=True)
class Refusal:
    """A WSGI application that refuses, in the protocol of the service that is called."""

    service: str
    message: str

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        status = _STATUS.get(self.service, HTTPStatus.FORBIDDEN)
        if self.service == "s3" or environ.get("CONTENT_TYPE", "").startswith(_QUERY):
            headers, body = self._xml()
        else:
            headers, body = self._json()
        headers += [
            ("Content-Length", str(len(body))),
            ("x-amzn-RequestId", str(uuid.uuid4())),
        ]
        start(f"{status.value} {status.phrase}", headers)
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]

    def _json(self) -> tuple[list[tuple[str, str]], bytes]:
        error = {"__type": "AccessDeniedException", "message": self.message}
        headers = [
            ("Content-Type", "application/x-amz-json-1.0"),
            ("x-amzn-ErrorType", "AccessDeniedException"),
        ]
        if self.service == "sqs":  # the code that it had before it spoke JSON
            headers.append(("x-amzn-query-error", "AccessDenied;Sender"))
        return headers, json.dumps(error).encode()

    def _xml(self) -> tuple[list[tuple[str, str]], bytes]:
        """S3's error is the document, the query protocol's stands within one.

        https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
        """
        error = f"<Error><Code>AccessDenied</Code><Message>{escape(self.message)}</Message></Error>"
        if self.service != "s3":
            error = f"<ErrorResponse>{error}</ErrorResponse>"
        return [("Content-Type", "application/xml")], f"{_XML}{error}".encode()
