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
    an execution costs threads here.
    """

    def __init__(
        self, settings: PipeSettings, sqs: Any, stepfunctions: Any, busy: Callable[[], bool]
    ) -> None:
        self._settings = settings
        self._sqs = sqs
        self._stepfunctions = stepfunctions
        self._busy = busy
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
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
        queue = self._sqs.get_queue_url(QueueName=self._settings.source.rsplit(":", 1)[1])
        while not self._stopping.is_set():
            if self._busy() or not self._deliver_some(queue["QueueUrl"]):
                self._stopping.wait(_PAUSE_SECONDS)

    def _deliver_some(self, queue: str) -> bool:
        """Deliver what the queue holds, up to ten messages; False when there was none."""
        try:
            messages = self._receive(queue)
            for message in messages:
                self._deliver(queue, message)
        except (ClientError, BotoCoreError):
            return False  # what was received becomes visible again
        return bool(messages)

    def _receive(self, queue: str) -> list[dict[str, Any]]:
        # No long polling: moto's would hold up the stop for its whole wait.
        answer = self._sqs.receive_message(
            QueueUrl=queue,
            MaxNumberOfMessages=10,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        return list(answer.get("Messages", []))

    def _deliver(self, queue: str, message: dict[str, Any]) -> None:
        try:
            self._stepfunctions.start_execution(
                stateMachineArn=self._settings.target,
                name=str(uuid.uuid4()),
                input=json.dumps([self._record(message)], ensure_ascii=False),
            )
        except (ClientError, BotoCoreError) as error:
            self.refused.append(f"{message['MessageId']}: {error}")
            return
        self._sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        self.started += 1

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
