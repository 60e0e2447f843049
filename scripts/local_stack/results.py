"""What a run leaves behind, as files: the tables, the images and the executions."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from execution_status import OPEN
from local_stack.stack import LocalStack
from local_stack.subjects import booking_of

# What is known of an execution that has ended, by its ARN and its end: a redrive gives it another.
Ended = dict[tuple[str, datetime], dict[str, Any]]


def write_results(stack: LocalStack, out: Path, ended: Ended | None = None) -> None:
    """Write ``tickets/``, ``tickets.jsonl``, ``jobs.jsonl`` and ``executions.jsonl`` into ``out``.

    The tables hold QR tokens, so only their owner can read these files. Who writes them again and
    again gives the same ``ended`` each time: it spares a request for each execution.
    """
    write_images(stack, out)
    _write_lines(out / "tickets.jsonl", rows(stack, "TicketsTableName"))
    _write_lines(out / "jobs.jsonl", rows(stack, "ProcessedJobsTableName"))
    _write_lines(out / "executions.jsonl", executions(stack, ended))


def write_images(stack: LocalStack, out: Path) -> None:
    s3, bucket = stack.client("s3"), stack.output("TicketImagesBucketName")
    folder = out / "tickets"
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for entry in page.get("Contents", []):
            file = folder / entry["Key"].rsplit("/", 1)[1]
            if not file.exists():  # a key's image never changes
                file.write_bytes(s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read())


def rows(stack: LocalStack, table: str) -> Iterator[dict[str, Any]]:
    """Every record of the table that the template's output ``table`` names, as plain values."""
    pages = stack.client("dynamodb").get_paginator("scan")
    for page in pages.paginate(TableName=stack.output(table), ConsistentRead=True):
        for item in page["Items"]:
            yield plain(item)


def plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB's typed item as plain values."""
    from boto3.dynamodb.types import TypeDeserializer

    read = TypeDeserializer().deserialize
    return {name: read(value) for name, value in item.items()}


def executions(stack: LocalStack, ended: Ended | None = None) -> Iterator[dict[str, Any]]:
    """Every execution, oldest first; those in ``ended`` from there, and others that end into it."""
    ended = {} if ended is None else ended
    for listed in list_executions(stack):
        arn = listed["executionArn"]
        if listed["status"] in OPEN:
            yield _execution(stack, arn)
            continue
        key = arn, listed["stopDate"]
        if key not in ended:
            ended[key] = _execution(stack, arn)
        yield ended[key]


def _execution(stack: LocalStack, arn: str) -> dict[str, Any]:
    found = stack.client("stepfunctions").describe_execution(executionArn=arn)
    return {
        "bookingId": booking_of(json.loads(found["input"])),
        "executionArn": found["executionArn"],
        "status": found["status"],
        "error": found.get("error"),
        "cause": found.get("cause"),
        "redriveCount": found.get("redriveCount", 0),
        "output": json.loads(found["output"]) if "output" in found else None,
    }


def list_executions(stack: LocalStack) -> list[dict[str, Any]]:
    """All executions, oldest first."""
    pages = stack.client("stepfunctions").get_paginator("list_executions")
    newest_first = [
        execution
        for page in pages.paginate(stateMachineArn=stack.output("StateMachineArn"))
        for execution in page["executions"]
    ]
    return newest_first[::-1]


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    lines = (json.dumps(record, ensure_ascii=False, default=int) + "\n" for record in records)
    with path.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(lines)
