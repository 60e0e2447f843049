"""What a holder is shown: the function of My tickets, asked as its API asks it.

An operator has no holder's token, so the function is invoked itself, with the event that API
Gateway would make of one. The answers are those of ``functions/my_tickets.py``.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from operations.failures import NoAnswer
from operations.target import Target

HeldBooking = dict[str, Any]


class HolderPage(NamedTuple):
    bookings: list[HeldBooking]
    has_more: bool


@dataclass(frozen=True)
class Holders:
    target: Target

    def pages(self, user: str) -> Iterator[HolderPage]:
        """A page after the other, its bookings newest event first.

        Raises NoAnswer, and what boto3 raises.
        """
        page = self._ask(user, None)
        yield HolderPage(page["bookings"], "next" in page)
        while "next" in page:
            page = self._ask(user, page["next"])
            yield HolderPage(page["bookings"], "next" in page)

    def _ask(self, user: str, position: str | None) -> dict[str, Any]:
        claims = {"sub": user}
        event = {
            "version": "2.0",
            "routeKey": "GET /tickets",
            "queryStringParameters": {"next": position} if position else None,
            "requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": None}}},
        }
        name = self.target.named("my-tickets")
        aws_lambda = self.target.client("lambda")
        try:
            answer = aws_lambda.invoke(FunctionName=name, Payload=json.dumps(event))
        except aws_lambda.exceptions.ResourceNotFoundException as error:
            raise NoAnswer(
                f"There is no function {name} in {self.target.where}: compute is off, or the stage "
                "is another."
            ) from error
        said = json.loads(answer["Payload"].read())
        if "FunctionError" in answer:
            raise NoAnswer(f"{name} failed: {said.get('errorMessage') or said.get('errorType')}")
        content: dict[str, Any] = json.loads(said["body"])
        if said["statusCode"] != 200:
            code = content["error"]["code"]
            raise NoAnswer(f"{name} answered {said['statusCode']} {code}. Its log says why.")
        return content


def ready(booking: HeldBooking) -> int:
    """How many of the booking's seats the holder can see the ticket of."""
    return sum("imageUrl" in ticket for ticket in booking["tickets"])
