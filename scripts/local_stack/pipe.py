"""The EventBridge Pipe from the booking queue to the state machine.

As AWS documents it (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html):
the target gets a JSON array of one SQS record; a message is deleted only after StartExecution
accepted it; a refused one becomes visible again after the visibility timeout, and the queue's
redrive policy takes it to the dead-letter queue. Nobody chooses the execution's name, and every
delivery gets another one.
"""

import json
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

_PAUSE_SECONDS = 0.1


@dataclass(frozen=True)
class PipeSettings:
    """What the template's ``AWS::Pipes::Pipe`` says."""

    name: str
    source: str
    target: str
    role: str
    runs: bool = True


class Pipe:
    """Polls from :meth:`start` to :meth:`stop`.

    AWS's pipe knows no bound on running executions. This one starts no more while ``busy()``, since
    an execution costs threads here. ``report`` hears of each refusal by AWS that is a new one.
    """

    def __init__(
        self,
        settings: PipeSettings,
        sqs: Any,
        stepfunctions: Any,
        busy: Callable[[], bool],
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._queue = _queue_url(settings.source)
        self._sqs = sqs
        self._stepfunctions = stepfunctions
        self._busy = busy
        self._report = report
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.trouble: str | None = None
        self.refused: list[str] = []
        self.started = 0

    def start(self) -> None:
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="pipe", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread:
            self._thread.join(timeout=10)

    def _run(self) -> None:
        ready = False
        while not self._stopping.is_set():
            ready = ready or self._succeeds(self._look_at_queue)
            if not ready or self._busy() or not self._succeeds(self._deliver_some):
                self._stopping.wait(_PAUSE_SECONDS)

    def _succeeds(self, act: Callable[[], bool]) -> bool:
        try:
            return act()
        except (ClientError, BotoCoreError) as error:
            self._note(error)
            return False  # what was received becomes visible again

    def _look_at_queue(self) -> bool:
        """AWS's pipe may not start without this permission.

        https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-permissions.html#pipes-perms-sqs
        """
        self._sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["VisibilityTimeout"])
        return True

    def _deliver_some(self) -> bool:
        """Deliver what the queue holds, up to ten messages; False when there was none."""
        messages = self._receive()
        for message in messages:
            self._deliver(message)
        return bool(messages)

    def _note(self, error: Exception) -> None:
        if self.trouble != str(error):
            self.trouble = str(error)
            self._report(self.trouble)

    def _receive(self) -> list[dict[str, Any]]:
        # No long polling: moto's would hold up the stop for its whole wait.
        answer = self._sqs.receive_message(
            QueueUrl=self._queue,
            MaxNumberOfMessages=10,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return list(answer.get("Messages", []))

    def _deliver(self, message: dict[str, Any]) -> None:
        try:
            self._stepfunctions.start_execution(
                stateMachineArn=self._settings.target,
                name=str(uuid.uuid4()),
                input=json.dumps([self._record(message)], ensure_ascii=False),
            )
        except (ClientError, BotoCoreError) as error:
            self.refused.append(f"{message['MessageId']}: {error}")
            self._note(error)
            return
        self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
        self.started += 1
        self.trouble = None

    def _record(self, message: dict[str, Any]) -> dict[str, Any]:
        return {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message.get("Attributes", {}),
            "messageAttributes": message.get("MessageAttributes", {}),
            "md5OfBody": message["MD5OfBody"],
            "eventSource": "aws:sqs",
            "eventSourceARN": self._settings.source,
            "awsRegion": self._settings.source.split(":")[3],
        }


def _queue_url(arn: str) -> str:
    """Made up from the ARN, as AWS's own pipe has no permission to ask for it.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-message-identifiers.html
    """
    _, _, _, region, account, name = arn.split(":")
    return f"https://sqs.{region}.amazonaws.com/{account}/{name}"
