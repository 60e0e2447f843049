"""One page of an execution's history, as GetExecutionHistory gives it.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_GetExecutionHistory.html
"""

import base64
import binascii
import json
from typing import Any

PAGE = 100
LARGEST_PAGE = 1_000
_DATA = {"input", "inputDetails", "output", "outputDetails"}


class InvalidTokenError(Exception):
    """The token is none that was given for this history, read in this order."""


def page(
    events: list[dict[str, Any]],
    arn: str,
    *,
    size: int = PAGE,
    newest_first: bool = False,
    with_data: bool = True,
    token: str | None = None,
) -> dict[str, Any]:
    """The answer's ``events`` and, unless they are the last, ``nextToken``.

    A token names the next event by its id, so that a history may grow between two pages.
    """
    last = len(events)
    first = _read(token, arn, newest_first) if token else (last if newest_first else 1)
    if newest_first:
        chosen = events[max(first - size, 0) : first][::-1]
        following = first - size if first > size else None
    else:
        chosen = events[first - 1 : first - 1 + size]
        following = first + size if first + size <= last else None
    answer: dict[str, Any] = {
        "events": chosen if with_data else [_without_data(event) for event in chosen]
    }
    if following is not None:
        answer["nextToken"] = _write(following, arn, newest_first)
    return answer


def _write(event_id: int, arn: str, newest_first: bool) -> str:
    return base64.urlsafe_b64encode(json.dumps([event_id, arn, newest_first]).encode()).decode()


def _read(token: str, arn: str, newest_first: bool) -> int:
    try:
        event_id, *rest = json.loads(base64.urlsafe_b64decode(token))
    except (binascii.Error, ValueError, TypeError) as error:
        raise InvalidTokenError(token) from error
    if rest != [arn, newest_first] or not isinstance(event_id, int) or event_id < 1:
        raise InvalidTokenError(token)
    return event_id


def _without_data(event: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {k: v for k, v in value.items() if k not in _DATA}
        if isinstance(value, dict)
        else value
        for key, value in event.items()
    }
