"""The processed-jobs table: key ``jobKey``, TTL attribute ``expiresAt``.

``booking.accepted:<bookingId>`` is a booking's identity claim and never expires.
``booking.confirmed:<bookingId>`` is its email: ``sending`` under a lease, then ``done``.
"""

from typing import Any, Self

from botocore.exceptions import ClientError

from minitickets.adapters.clients import client
from minitickets.adapters.items import condition_failed, from_item, item_in_the_way, to_item
from minitickets.domain.booking import Booking
from minitickets.domain.claim import Claim
from minitickets.domain.email_job import DONE, SENDING, EmailJob, Owner, SentEmail

_NAMES = {"#status": "status", "#owner": "owner"}
_IS_OWN = "(#owner = :owner AND redriveCount = :redrives)"


class JobsTable:
    def __init__(self, dynamodb: Any, name: str) -> None:
        self._dynamodb = dynamodb
        self._name = name

    @classmethod
    def connect(cls, name: str) -> Self:
        return cls(client("dynamodb"), name)

    def claim(self, booking: Booking, identity: str, execution: str, now: str) -> Claim | None:
        record = {
            **booking.to_json(),
            "jobKey": f"booking.accepted:{booking.booking_id}",
            "identity": identity,
            "executionArn": execution,
            "acceptedAt": now,
        }
        found = self._put(record, "attribute_not_exists(jobKey)")
        return Claim(found["identity"], Booking.from_json(found)) if found else None

    def read(self, booking_id: str) -> EmailJob | None:
        answer = self._dynamodb.get_item(
            TableName=self._name, Key=to_item({"jobKey": _email(booking_id)}), ConsistentRead=True
        )
        return _job(from_item(answer["Item"])) if "Item" in answer else None

    def lease(
        self, booking_id: str, owner: Owner, now: int, until: int, expires: int
    ) -> EmailJob | None:
        found = self._put(
            _sending(booking_id, owner, until, expires),
            "attribute_not_exists(jobKey) OR expiresAt <= :now "
            f"OR (#status = :sending AND ({_IS_OWN} OR leaseUntil <= :now))",
            {":now": now, ":sending": SENDING, **_own(owner)},
        )
        return _job(found) if found else None

    def release(self, booking_id: str, owner: Owner, now: int, expires: int) -> None:
        self._put(
            _sending(booking_id, owner, now, expires),
            f"#status = :sending AND {_IS_OWN}",
            {":sending": SENDING, **_own(owner)},
        )

    def record_sent(self, sent: SentEmail, now: int) -> None:
        record = {
            "jobKey": _email(sent.booking_id),
            "status": DONE,
            "owner": sent.execution,
            "messageId": sent.message_id,
            "completedAt": sent.completed_at,
            "expiresAt": sent.expires_at,
        }
        self._put(
            record,
            "attribute_not_exists(jobKey) OR #status = :sending OR expiresAt <= :now",
            {":sending": SENDING, ":now": now},
        )

    def _put(
        self,
        record: dict[str, Any],
        condition: str,
        values: dict[str, str | int | None] | None = None,
    ) -> dict[str, Any] | None:
        """Put under a condition; where it fails, return the record in the way."""
        request: dict[str, Any] = {}
        if values:
            request["ExpressionAttributeValues"] = to_item(values)
            request["ExpressionAttributeNames"] = {
                name: attribute for name, attribute in _NAMES.items() if name in condition
            }
        try:
            self._dynamodb.put_item(
                TableName=self._name,
                Item=to_item(record),
                ConditionExpression=condition,
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
                **request,
            )
        except ClientError as error:
            if condition_failed(error):
                return item_in_the_way(error)
            raise
        return None


def _email(booking_id: str) -> str:
    return f"booking.confirmed:{booking_id}"


def _own(owner: Owner) -> dict[str, str | int | None]:
    return {":owner": owner.execution, ":redrives": owner.redrives}


def _sending(booking_id: str, owner: Owner, until: int, expires: int) -> dict[str, Any]:
    return {
        "jobKey": _email(booking_id),
        "status": SENDING,
        "owner": owner.execution,
        "redriveCount": owner.redrives,
        "leaseUntil": until,
        "expiresAt": expires,
    }


def _job(record: dict[str, Any]) -> EmailJob:
    return EmailJob(
        status=record["status"],
        owner=Owner(record["owner"], record.get("redriveCount", 0)),
        lease_until=record.get("leaseUntil", 0),
        expires_at=record["expiresAt"],
    )
