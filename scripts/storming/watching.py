"""Every change of the tables, told by their DynamoDB streams: a record cannot change in between.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from local_stack.results import plain
from local_stack.stack import LocalStack
from storming.facts import EmailJob, TicketKey, Write
from storming.tampering import FOREIGN

Change = Mapping[str, Any]
"""One record of a stream: ``kind``, and the record ``new`` and ``old`` as plain values or None."""


def watch(stack: LocalStack) -> None:
    """Have both tables tell their changes from now on."""
    for table in ("TicketsTableName", "ProcessedJobsTableName"):
        stack.client("dynamodb").update_table(
            TableName=stack.output(table),
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        )


def changes(stack: LocalStack, table: str) -> Iterator[Change]:
    """All changes since :func:`watch`, the oldest first. ``table`` as an output of the template."""
    streams = stack.client("dynamodbstreams")
    (stream,) = streams.list_streams(TableName=stack.output(table))["Streams"]
    described = streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]
    (shard,) = described["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=stream["StreamArn"], ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    while True:
        answer = streams.get_records(ShardIterator=iterator, Limit=1000)
        if not answer["Records"]:
            return
        yield from (_change(record) for record in answer["Records"])
        iterator = answer["NextShardIterator"]


def _change(record: Mapping[str, Any]) -> Change:
    images = {
        name: plain(record["dynamodb"].get(image, {})) or None
        for name, image in (("new", "NewImage"), ("old", "OldImage"))
    }
    return {"kind": record["eventName"], **images}


def ticket_writes(stream: Iterator[Change]) -> dict[TicketKey, tuple[Write, ...]]:
    """What became of each record; those that the storm put there itself are left out."""
    writes: dict[TicketKey, list[Write]] = defaultdict(list)
    for change in stream:
        record, new = change["new"] or change["old"], change["new"] or {}
        if record["bookingId"] != FOREIGN:
            key = record["userId"], record["ticketId"]
            write = Write(change["kind"], new.get("token"), new.get("createdAt"))
            writes[key].append(write)
    return {key: tuple(found) for key, found in writes.items()}


def job_writes(stream: Iterator[Change]) -> tuple[dict[str, int], dict[str, EmailJob]]:
    """How often each booking's claim was written, and what became of its email."""
    claims: dict[str, int] = defaultdict(int)
    emails: dict[str, list[Change]] = defaultdict(list)
    for change in stream:
        kind, _, booking = (change["new"] or change["old"])["jobKey"].partition(":")
        if kind == "booking.accepted":
            claims[booking] += 1
        else:
            emails[booking].append(change["new"] or {"status": "removed", "owner": ""})
    return claims, {booking: _email_job(states) for booking, states in emails.items()}


def _email_job(states: list[Change]) -> EmailJob:
    takeovers, released = 0, True
    for before, after in zip([None, *states], states, strict=False):
        same = before is not None and before["owner"] == after["owner"]
        if before and before["status"] == after["status"] == "sending" and not same:
            takeovers += not released
        # Who gives a lease back writes it once more with an earlier end.
        released = bool(
            same and before and after["status"] == "sending"
            and after["leaseUntil"] < before.get("leaseUntil", 0)
        )  # fmt: skip
    return EmailJob(states[-1]["status"], takeovers)
