"""The booking queue and its dead-letter queue."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from local_stack.messages import booking_in
from local_stack.publish import RefusedError, lines, publish
from local_stack.queue_counts import in_flight

_LOOKING_SECONDS = 120  # for how long a message that is looked at is hidden from others
_LONG_POLL_SECONDS = 2
_BATCH = 10


@dataclass(frozen=True)
class Refusal:
    """A line, from 1, that SQS did not take."""

    line: int
    reason: str


@dataclass(frozen=True)
class DeadLetter:
    """``sent_at`` is when the outbox published it; ``received`` counts receipts, ours included."""

    id: str
    body: str
    sent_at: datetime | None
    received: int
    receipt: str
    attributes: dict[str, Any]

    @property
    def booking(self) -> str | None:
        return booking_in(self.body)


def publish_lines(sqs: Any, queue: str, content: bytes) -> Iterator[Refusal | None]:
    """Send each line as one message to the queue of that URL; yield what came of each.

    Raises ClientError for what is not about the line, such as a missing permission.
    """
    for line, body in enumerate(lines(content), start=1):
        try:
            publish(sqs, queue, body)
        except RefusedError as refusal:
            error = refusal.__cause__
            if isinstance(error, ClientError) and not _about_the_message(error):
                raise error from None
            yield Refusal(line, str(refusal))
        else:
            yield None


@dataclass(frozen=True)
class DeadLetters:
    """The dead-letter queue at ``url``. SQS lists nothing: looking is receiving."""

    sqs: Any
    url: str

    def hidden(self) -> int:
        """How many messages someone else is looking at: they cannot be listed now."""
        return in_flight(self.sqs, self.url)

    def look(self) -> Iterator[DeadLetter]:
        """Every message once. Each is hidden until :meth:`put_back`, or for two minutes."""
        seen: set[str] = set()
        while True:
            answer = self.sqs.receive_message(
                QueueUrl=self.url,
                MaxNumberOfMessages=_BATCH,
                # A short poll asks some of SQS's servers only: no answer would not mean none there.
                WaitTimeSeconds=_LONG_POLL_SECONDS,
                VisibilityTimeout=_LOOKING_SECONDS,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
            fresh = [m for m in answer.get("Messages", []) if m["MessageId"] not in seen]
            if not fresh:  # nothing left, or it comes round again
                return
            seen.update(message["MessageId"] for message in fresh)
            yield from map(_dead_letter, fresh)

    def put_back(self, letter: DeadLetter) -> None:
        """Let others see the message again."""
        self.sqs.change_message_visibility(
            QueueUrl=self.url, ReceiptHandle=letter.receipt, VisibilityTimeout=0
        )

    def send_back(self, letter: DeadLetter, queue: str) -> None:
        """Give it to the booking queue again.

        Sent before it is deleted: what interrupts this leaves it in both queues, and a second
        delivery of a booking changes nothing.
        """
        self.sqs.send_message(
            QueueUrl=queue, MessageBody=letter.body, MessageAttributes=letter.attributes
        )
        self.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=letter.receipt)


def _dead_letter(message: dict[str, Any]) -> DeadLetter:
    system = message.get("Attributes", {})
    sent = system.get("SentTimestamp")
    return DeadLetter(
        id=message["MessageId"],
        body=message["Body"],
        sent_at=datetime.fromtimestamp(int(sent) / 1000, UTC) if sent else None,
        received=int(system.get("ApproximateReceiveCount", 0)),
        receipt=message["ReceiptHandle"],
        attributes=_sendable(message.get("MessageAttributes", {})),
    )


def _sendable(attributes: dict[str, Any]) -> dict[str, Any]:
    allowed = ("DataType", "StringValue", "BinaryValue")
    return {
        name: {key: part for key, part in value.items() if key in allowed}
        for name, value in attributes.items()
    }


def _about_the_message(error: ClientError) -> bool:
    codes = ("InvalidMessageContents", "InvalidParameterValue", "MissingParameter")
    return error.response["Error"].get("Code", "").rpartition(".")[2].startswith(codes)
