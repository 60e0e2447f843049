"""Somebody else's hands in the tickets table: a record deleted, a key occupied."""

import contextlib
import json
import threading
from collections.abc import Mapping
from typing import Any

from local_stack.lambda_service import Subject
from local_stack.stack import LocalStack
from local_stack.subjects import subject_of
from storming.bodies import Body
from storming.plan import Seat

FOREIGN = "bk_foreign"


class Tampering:
    """Deletes each of ``deleted`` once, ahead of its image, and occupies keys when asked to."""

    def __init__(
        self, stack: LocalStack, deleted: frozenset[Seat], occupied: Mapping[Seat, Body]
    ) -> None:
        self._dynamodb = stack.client("dynamodb")
        self._table = stack.output("TicketsTableName")
        self._states = stack.deployment.states
        self._to_delete = set(deleted)
        self._occupied = occupied
        self._lock = threading.Lock()
        self.removals: list[Seat] = []
        stack.lambda_service.on_invoke(self._before)

    def occupy(self, booking: str) -> None:
        """Put a foreign record where seats of the booking belong."""
        for (id_, seat), body in self._occupied.items():
            if id_ == booking:
                self._dynamodb.put_item(TableName=self._table, Item=_foreign(body, seat))

    def mend(self) -> None:
        """Remove the foreign records that still stand in the way."""
        for (id_, seat), body in self._occupied.items():
            # Where the condition fails, somebody wrote over the foreign record: for the judges.
            with contextlib.suppress(self._dynamodb.exceptions.ConditionalCheckFailedException):
                self._dynamodb.delete_item(
                    TableName=self._table,
                    Key=_key(body["userId"], id_, seat),
                    ConditionExpression="bookingId = :foreign",
                    ExpressionAttributeValues={":foreign": {"S": FOREIGN}},
                )

    def _before(self, function: str, payload: bytes) -> None:
        if self._states.get(function) == "Written":
            subject = subject_of(payload)
            if self._takes(subject):
                user = json.loads(payload)["userId"]
                key = _key(user, str(subject.booking), int(subject.seat or 0))
                self._dynamodb.delete_item(TableName=self._table, Key=key)

    def _takes(self, subject: Subject) -> bool:
        seat = (subject.booking or "", subject.seat or 0)
        with self._lock:
            if seat not in self._to_delete:
                return False
            self._to_delete.remove(seat)
            self.removals.append(seat)
            return True


def _key(user: str, booking: str, seat: int) -> dict[str, Any]:
    return {"userId": {"S": user}, "ticketId": {"S": f"{booking}-{seat:05d}"}}


def _foreign(body: Body, seat: int) -> dict[str, Any]:
    """A whole record of another booking under the seat's key."""
    texts = ("eventId", "eventName", "startsAt", "venue", "timeZone")
    facts = {name: {"S": body[name]} for name in texts if body[name]}
    return {
        **_key(body["userId"], body["bookingId"], seat),
        **facts,
        "bookingId": {"S": FOREIGN},
        "seatNumber": {"N": str(seat)},
        "quantity": {"N": str(body["quantity"])},
        "token": {"S": "FOREIGN" + "7" * 19},
        "imageKey": {"S": f"tickets/{FOREIGN}/{FOREIGN}-{seat:05d}.png"},
        "status": {"S": "creating"},
        "createdAt": {"S": "2026-01-01T00:00:00Z"},
    }
