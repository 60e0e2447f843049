"""The tickets table: key ``userId`` and ``ticketId``."""

from typing import Any, Self

from botocore.exceptions import ClientError

from minitickets.adapters.clients import client
from minitickets.adapters.items import (
    condition_failed,
    from_item,
    item_in_the_way,
    readable,
    to_item,
)
from minitickets.domain.booking import Booking, ticket_id
from minitickets.domain.seats import CREATING, READY, Ticket, TicketRef

_SHOWN = (
    "ticketId", "userId", "bookingId", "seatNumber", "quantity", "eventId", "eventName", "venue",
    "startsAt", "timeZone", "imageKey", "status",
)  # fmt: skip


class TicketsTable:
    def __init__(self, dynamodb: Any, name: str) -> None:
        self._dynamodb = dynamodb
        self._name = name

    @classmethod
    def connect(cls, name: str, *, read_seconds: float = 3) -> Self:
        """``read_seconds`` bounds the wait for one answer."""
        return cls(client("dynamodb", read_seconds=read_seconds), name)

    def put_new(self, ticket: Ticket) -> Ticket | None:
        try:
            self._dynamodb.put_item(
                TableName=self._name,
                Item=to_item(_record(ticket)),
                ConditionExpression="attribute_not_exists(ticketId)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except ClientError as error:
            if condition_failed(error):
                return _ticket(item_in_the_way(error))
            raise
        return None

    def read(self, user_id: str, ticket_id: str) -> Ticket | None:
        answer = self._dynamodb.get_item(
            TableName=self._name,
            Key=to_item({"userId": user_id, "ticketId": ticket_id}),
            ConsistentRead=True,
        )
        return _ticket(from_item(answer["Item"])) if "Item" in answer else None

    def page_of(self, user_id: str, after: str, limit: int) -> tuple[list[dict[str, Any]], bool]:
        """One Query: the user's records behind the ticket id ``after``, in the order of ids.

        At most ``limit`` and a megabyte; the second value says that more follow. Without the
        token, which a list of tickets has no use for.
        """
        start = to_item({"userId": user_id, "ticketId": after})
        answer = self._dynamodb.query(
            TableName=self._name,
            KeyConditionExpression="userId = :user",
            ExpressionAttributeValues=to_item({":user": user_id}),
            ProjectionExpression=", ".join(f"#{name}" for name in _SHOWN),
            ExpressionAttributeNames={f"#{name}": name for name in _SHOWN},
            # Whoever has read the email looks at once: a stale answer would contradict it.
            ConsistentRead=True,
            Limit=limit,
            **({"ExclusiveStartKey": start} if after else {}),
        )
        return [readable(item) for item in answer["Items"]], "LastEvaluatedKey" in answer

    def mark_ready(self, ref: TicketRef, ready_at: str) -> bool:
        key = {"userId": ref.user_id, "ticketId": ticket_id(ref.booking_id, ref.seat_number)}
        try:
            self._dynamodb.update_item(
                TableName=self._name,
                Key=to_item(key),
                # An update without attribute_exists would create a ghost of a deleted ticket.
                ConditionExpression="attribute_exists(ticketId) AND bookingId = :booking "
                "AND createdAt = :created",
                UpdateExpression="SET #status = :ready, readyAt = if_not_exists(readyAt, :now)",
                ExpressionAttributeNames={"#status": "status"},
                ExpressionAttributeValues=to_item(
                    {
                        ":booking": ref.booking_id,
                        ":created": ref.created_at,
                        ":ready": READY,
                        ":now": ready_at,
                    }
                ),
            )
        except ClientError as error:
            if condition_failed(error):
                return False
            raise
        return True


def _record(ticket: Ticket) -> dict[str, str | int | None]:
    return {
        **ticket.booking.to_json(),
        "ticketId": ticket.ticket_id,
        "seatNumber": ticket.seat_number,
        "eventDate": ticket.event_date,
        "eventDateKey": ticket.event_date_key,
        "token": ticket.token,
        "imageKey": ticket.image_key,
        "status": CREATING,
        "createdAt": ticket.created_at,
    }


def _ticket(record: dict[str, Any]) -> Ticket:
    return Ticket(
        booking=Booking.from_json(record),
        seat_number=record["seatNumber"],
        token=record["token"],
        status=record["status"],
        created_at=record["createdAt"],
    )
