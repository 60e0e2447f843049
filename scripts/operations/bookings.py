"""What the tables tell an operator of a booking: its claim, its email, its seats.

Read without the attributes that nobody here needs; a ticket's token never leaves its table.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from local_stack.messages import is_id


@dataclass(frozen=True)
class Claim:
    """``booking.accepted:<bookingId>``: the first execution that accepted the booking."""

    execution_arn: str
    user_id: str
    quantity: int
    accepted_at: datetime | None


@dataclass(frozen=True)
class EmailRecord:
    """``booking.confirmed:<bookingId>``. An expired one counts as absent: TTL deletes late.

    ``lease_until`` is 0 when there is no lease, since the email is sent. Times are epoch seconds.
    """

    status: str
    owner: str
    expires_at: int
    lease_until: int = 0

    def holds(self, now: datetime) -> bool:
        return self.expires_at > now.timestamp()

    def is_leased(self, now: datetime) -> bool:
        """Whether a run may be sending the email now."""
        return self.lease_until > now.timestamp()


@dataclass(frozen=True)
class Bookings:
    dynamodb: Any
    jobs_table: str
    tickets_table: str

    def claim(self, booking: str) -> Claim | None:
        facts = "executionArn, userId, quantity, acceptedAt"
        found = self._job("booking.accepted", booking, facts)
        if not found:
            return None
        return Claim(
            execution_arn=found["executionArn"]["S"],
            user_id=found["userId"]["S"],
            quantity=int(found["quantity"]["N"]),
            accepted_at=_instant(found.get("acceptedAt", {}).get("S")),
        )

    def email(self, booking: str) -> EmailRecord | None:
        facts = "#status, #owner, expiresAt, leaseUntil"
        found = self._job("booking.confirmed", booking, facts)
        if not found:
            return None
        return EmailRecord(
            status=found["status"]["S"],
            owner=found["owner"]["S"],
            expires_at=int(found["expiresAt"]["N"]),
            lease_until=int(found.get("leaseUntil", {}).get("N", 0)),
        )

    def seats_ready(self, booking: str, user: str) -> int:
        """How many of the booking's tickets are marked ready."""
        query = {
            "TableName": self.tickets_table,
            "KeyConditionExpression": "userId = :user AND begins_with(ticketId, :booking)",
            "FilterExpression": "#status = :ready AND bookingId = :id",
            "ExpressionAttributeNames": {"#status": "status"},
            "ExpressionAttributeValues": {
                ":user": {"S": user},
                ":booking": {"S": f"{booking}-"},
                ":id": {"S": booking},
                ":ready": {"S": "ready"},
            },
            "Select": "COUNT",
        }
        pages = self.dynamodb.get_paginator("query").paginate(**query)
        return sum(int(page["Count"]) for page in pages)

    def _job(self, kind: str, booking: str, attributes: str) -> dict[str, Any] | None:
        if not is_id(booking):
            return None  # no message with it is accepted, and a key of any length AWS refuses
        names = {"#status": "status", "#owner": "owner"}
        used = {name: value for name, value in names.items() if name in attributes}
        answer = self.dynamodb.get_item(
            TableName=self.jobs_table,
            Key={"jobKey": {"S": f"{kind}:{booking}"}},
            ProjectionExpression=attributes,
            **({"ExpressionAttributeNames": used} if used else {}),
        )
        item: dict[str, Any] | None = answer.get("Item")
        return item


def _instant(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
