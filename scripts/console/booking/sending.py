"""Put one body into the booking queue, once or several times at the same moment."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from local_stack.publish import RefusedError, publish
from operations.context import Operator


@dataclass(frozen=True)
class Outcome:
    """``message`` is the id that SQS gave; None with the ``refusal``, SQS's reason."""

    message: str | None
    refusal: str = ""

    @property
    def words(self) -> str:
        if self.message is None:
            return f"SQS refuses it: {self.refusal}"
        return f"Sent as message {self.message}"


def send(operator: Operator, body: str, times: int) -> list[Outcome]:
    """Send the body verbatim. Raises boto3's errors if SQS cannot be asked at all."""
    sqs, queue = operator.target.client("sqs"), operator.queue("bookings")
    together = threading.Barrier(times)

    def one(_: int) -> Outcome:
        together.wait()
        return _send_one(sqs, queue, body)

    with ThreadPoolExecutor(times) as threads:
        return list(threads.map(one, range(times)))


def _send_one(sqs: Any, queue: str, body: str) -> Outcome:
    try:
        # What is no text, such as half of a surrogate pair, is refused like any other bad body.
        return Outcome(publish(sqs, queue, body.encode(errors="surrogatepass")))
    except RefusedError as refusal:
        return Outcome(None, str(refusal))
