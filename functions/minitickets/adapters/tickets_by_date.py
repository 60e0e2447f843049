"""The tickets of an event date: the index ``by-event-date`` of the tickets table."""

from typing import Any, Self

from minitickets.adapters.clients import client
from minitickets.adapters.items import from_item, readable, to_item

INDEX = "by-event-date"
# What a check needs, and no more: so no token is ever read.
_ATTRIBUTES = ("userId", "bookingId", "seatNumber", "status", "createdAt")


class TicketsByDate:
    def __init__(self, dynamodb: Any, table: str) -> None:
        self._dynamodb = dynamodb
        self._table = table

    @classmethod
    def connect(cls, table: str) -> Self:
        return cls(client("dynamodb"), table)

    def page(
        self, date: str, cursor: dict[str, str] | None, size: int
    ) -> tuple[list[dict[str, Any]], dict[str, str] | None]:
        """Up to ``size`` records of the date, and where the next page begins: None after the last.

        An attribute that is neither text nor whole number is left out, since something else wrote
        it. An index lags behind its table, so a ticket may be here as it was a moment ago.
        """
        begin = {"ExclusiveStartKey": to_item(cursor)} if cursor else {}
        names = {f"#{name}": name for name in _ATTRIBUTES}
        answer = self._dynamodb.query(
            TableName=self._table,
            IndexName=INDEX,
            KeyConditionExpression="eventDate = :date",
            ExpressionAttributeValues=to_item({":date": date}),
            ProjectionExpression=", ".join(names),
            ExpressionAttributeNames=names,
            Limit=size,
            **begin,
        )
        last = answer.get("LastEvaluatedKey")
        return [readable(item) for item in answer["Items"]], from_item(last) if last else None
