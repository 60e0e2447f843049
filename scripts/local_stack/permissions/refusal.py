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
    from _typeshed.wsgi import StartResponse

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
    """A WSGI application that refuses, in the protocol of the service."""

    service: str
    message: str

    def __call__(self, start: "StartResponse", method: str) -> Iterable[bytes]:
        status = _STATUS.get(self.service, HTTPStatus.FORBIDDEN)
        content_type, body = self._xml() if self.service == "s3" else self._json()
        headers = [
            ("Content-Type", content_type),
            ("Content-Length", str(len(body))),
            ("x-amzn-RequestId", str(uuid.uuid4())),
        ]
        if self.service != "s3":
            headers.append(("x-amzn-ErrorType", "AccessDeniedException"))
        if self.service == "sqs":  # the code that it had before it spoke JSON
            headers.append(("x-amzn-query-error", "AccessDenied;Sender"))
        start(f"{status.value} {status.phrase}", headers)
        return [] if method == "HEAD" else [body]

    def _json(self) -> tuple[str, bytes]:
        error = {"__type": "AccessDeniedException", "message": self.message}
        return "application/x-amz-json-1.0", json.dumps(error).encode()

    def _xml(self) -> tuple[str, bytes]:
        """https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html"""
        error = f"<Error><Code>AccessDenied</Code><Message>{escape(self.message)}</Message></Error>"
        return "application/xml", f'<?xml version="1.0" encoding="UTF-8"?>\n{error}'.encode()
