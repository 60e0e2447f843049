"""Reads what is durable after a storm, through the APIs, and searches all of it for secrets."""

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local_stack.results import rows
from local_stack.stack import LocalStack
from operations.executions import Executions
from operations.queues import DeadLetters
from storming import watching
from storming.facts import Claim, Email, Facts, Leak, Run, Ticket, TicketKey, Write
from storming.healing import Healing
from storming.plan import Identity, Plan
from storming.reading import causes, read_run
from storming.secrets import TOKEN, addresses_in, tokens_in
from storming.storm import Storm

_SHOWN = ("eventName", "venue", "timeZone")
_READERS = 2  # of images at a time: reading waits for the stack, decoding for a processor


def collect(stack: LocalStack, plan: Plan, storm: Storm, healing: Healing, logs: Path) -> Facts:
    """``logs`` is the folder of the functions' logs and of what the storm itself said."""
    writes = watching.ticket_writes(watching.changes(stack, "TicketsTableName"))
    claim_writes, jobs = watching.job_writes(watching.changes(stack, "ProcessedJobsTableName"))
    scan = Scan(_all_tokens(writes))
    runs = tuple(_runs(stack, scan))
    scan.logs(logs)
    scan.emails(stack)
    scan.jobs(stack)
    return Facts(
        publications={publication.number: publication for publication in plan.publications},
        sent=storm.sent,
        runs=runs,
        tickets=tuple(_tickets(stack)),
        writes=writes,
        claims={claim.booking: claim for claim in _claims(stack, claim_writes)},
        jobs=jobs,
        objects=_objects(stack),
        emails=tuple(
            Email(sent.booking_id, sent.message_id, sent.recipient) for sent in stack.outbox.sent
        ),
        returned=frozenset(healing.returned),
        queued=storm.queued(),
        dead=tuple(_dead(stack)),
        removed=tuple(storm.tampering.removals),
        leaks=tuple(scan.leaks),
        scanned=scan.counts,
    )


@dataclass
class Scan:
    """Searches texts for the tokens that ever were in the table, and some for addresses."""

    tokens: Mapping[str, str]
    leaks: list[Leak] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def text(self, sort: str, place: str, text: str) -> None:
        self.counts[sort] += 1
        for token in tokens_in(text, self.tokens):
            self.leaks.append(Leak(place, f"the token of {self.tokens[token]}"))

    def without_addresses(self, place: str, text: str) -> None:
        if addresses_in(text):
            self.leaks.append(Leak(place, "an email address"))

    def logs(self, folder: Path) -> None:
        for file in sorted(folder.glob("*.log")):
            with file.open(encoding="utf-8", errors="replace") as lines:
                for number, line in enumerate(lines, start=1):
                    self.text("log lines", f"{file.name}:{number}", line)
                    self.without_addresses(f"{file.name}:{number}", line)

    def emails(self, stack: LocalStack) -> None:
        for sent in stack.outbox.sent:
            self.text("emails", f"email {sent.number}", f"{sent.subject}\n{sent.text}\n{sent.html}")

    def jobs(self, stack: LocalStack) -> None:
        for job in rows(stack, "ProcessedJobsTableName"):
            self.text("job records", f"job {job['jobKey']}", repr(job))


def _all_tokens(writes: Mapping[TicketKey, Iterable[Write]]) -> dict[str, str]:
    """The ticket of every token that ever was in the table."""
    found = {
        write.token: key[1] for key, changes in writes.items() for write in changes if write.token
    }
    if not all(TOKEN.fullmatch(token) for token in found):
        raise ValueError("a token does not look like one, so the search would not see it")
    return found


def _runs(stack: LocalStack, scan: Scan) -> Iterator[Run]:
    executions = Executions(stack.client("stepfunctions"), stack.output("StateMachineArn"))
    for listed in executions.list():
        described = executions.describe(listed.arn)
        events = list(executions.history(listed.arn))
        scan.text("executions", described.arn, repr(described))
        scan.text("histories", f"history of {described.arn}", json.dumps(events, default=str))
        scan.counts["events"] += len(events)
        for cause in causes(events):
            scan.without_addresses(f"cause in {described.arn}", cause)
        yield read_run(described, events)


def _tickets(stack: LocalStack) -> Iterator[Ticket]:
    for row in rows(stack, "TicketsTableName"):
        yield Ticket(
            user_id=row["userId"],
            ticket_id=row["ticketId"],
            booking=row["bookingId"],
            seat=int(row["seatNumber"]),
            identity=Identity.of(row),
            shown=_shown(row),
            status=row["status"],
            created_at=row["createdAt"],
            image_key=row["imageKey"],
            token=row["token"],
        )


def _claims(stack: LocalStack, writes: Mapping[str, int]) -> Iterator[Claim]:
    for row in rows(stack, "ProcessedJobsTableName"):
        kind, _, booking = row["jobKey"].partition(":")
        if kind == "booking.accepted":
            yield Claim(booking, Identity.of(row), _shown(row), writes.get(booking, 0))


def _shown(row: Mapping[str, Any]) -> tuple[str | None, ...]:
    return tuple(row.get(name) for name in _SHOWN)


def _objects(stack: LocalStack) -> dict[str, str | None]:
    s3, bucket = stack.client("s3"), stack.output("TicketImagesBucketName")
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def read(key: str) -> str | None:
        return decoded(s3.get_object(Bucket=bucket, Key=key)["Body"].read())

    with ThreadPoolExecutor(_READERS) as readers:
        return dict(zip(keys, readers.map(read, keys), strict=True))


def decoded(png: bytes) -> str | None:
    """What the image's one code says, by a reader that shares nothing with its writer."""
    import zxingcpp
    from PIL import Image

    # Grey, and QR codes alone: three times as fast as what the reader would try otherwise.
    grey = Image.open(io.BytesIO(png)).convert("L")
    found = zxingcpp.read_barcodes(grey, formats=zxingcpp.barcode_formats_from_str("QRCode"))
    return str(found[0].text) if len(found) == 1 else None


def _dead(stack: LocalStack) -> Iterator[str]:
    queue = stack.output("BookingDeadLetterQueueUrl")
    return (letter.id for letter in DeadLetters(stack.client("sqs"), queue).look())
