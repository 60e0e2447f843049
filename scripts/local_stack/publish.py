"""Put bookings into the queue, as the outbox does: one SQS message per line."""

from typing import Any

from botocore.exceptions import ClientError


class RefusedError(Exception):
    """SQS does not take the line; the message is its reason."""


def lines(content: bytes) -> list[bytes]:
    """One SQS body per line. Only a line feed ends a line: a body may hold any other separator."""
    found = content.split(b"\n")
    return found[:-1] if found[-1] == b"" else found


def publish(sqs: Any, queue_url: str, body: bytes) -> str:
    """Send one body verbatim, and return the id that SQS gives it. Raises RefusedError."""
    try:
        answer = sqs.send_message(QueueUrl=queue_url, MessageBody=body.decode())
    except UnicodeDecodeError:
        raise RefusedError("it is not UTF-8") from None
    except ClientError as error:
        raise RefusedError(error.response["Error"]["Message"]) from error
    return str(answer["MessageId"])
