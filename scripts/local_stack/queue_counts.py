"""How many messages a queue holds: on AWS nearly, on the local stack exactly.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_GetQueueAttributes.html
"""

from typing import Any


def visible(sqs: Any, queue: str) -> int:
    """Those that can be received from the queue of that URL now."""
    return _count(sqs, queue, "ApproximateNumberOfMessages")


def in_flight(sqs: Any, queue: str) -> int:
    """Those that were received, and are hidden from others meanwhile."""
    return _count(sqs, queue, "ApproximateNumberOfMessagesNotVisible")


def _count(sqs: Any, queue: str, what: str) -> int:
    answer = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[what])
    return int(answer["Attributes"][what])
