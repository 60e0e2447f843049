"""The executions of one state machine, through the APIs that AWS and the local stack share.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_Operations.html
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

from botocore.exceptions import ClientError

from local_stack.messages import booking_of
from operations.rates import Bucket
from operations.target import RECONCILIATIONS


def is_reconciliation(arn: str) -> bool:
    """Whether the execution is one, by its machine's name, which its ARN holds."""
    return arn.split(":")[-2].endswith(RECONCILIATIONS)


@dataclass(frozen=True)
class Listed:
    """What a listing tells of an execution: neither its input nor its error."""

    arn: str
    name: str
    status: str
    started_at: datetime
    stopped_at: datetime | None
    redrives: int

    @property
    def is_reconciliation(self) -> bool:
        return is_reconciliation(self.arn)


@dataclass(frozen=True)
class Described(Listed):
    """``redrivable`` is None where the API does not say; ``reason`` then tells nothing either.

    ``input`` and ``output`` are JSON texts; only an execution that succeeded has an output.
    """

    input: str
    output: str | None
    error: str | None
    cause: str | None
    redrivable: bool | None
    reason: str | None

    @property
    def booking(self) -> str | None:
        return booking_of(self.input)

    @classmethod
    def read(cls, answer: Mapping[str, Any]) -> Self:
        status = answer.get("redriveStatus")
        return cls(
            **_listed(answer),
            input=answer.get("input", ""),
            output=answer.get("output"),
            error=answer.get("error"),
            cause=answer.get("cause"),
            redrivable=None if status is None else status == "REDRIVABLE",
            reason=answer.get("redriveStatusReason"),
        )


@dataclass(frozen=True)
class Executions:
    """``limits``: a bucket per API; an API without one is called as fast as it answers."""

    client: Any
    machine: str
    limits: Mapping[str, Bucket] = field(default_factory=dict)

    def list(self, status: str | None = None, since: datetime | None = None) -> Iterator[Listed]:
        """Newest first. ``since`` is about the start."""
        wanted = {"statusFilter": status} if status else {}
        for page in self._pages("ListExecutions", stateMachineArn=self.machine, **wanted):
            for execution in page["executions"]:
                listed = Listed(**_listed(execution))
                if since and listed.started_at < since:
                    return
                yield listed

    def describe(self, arn: str) -> Described:
        return Described.read(self._call("DescribeExecution", executionArn=arn))

    def history(self, arn: str) -> Iterator[dict[str, Any]]:
        """Every event, oldest first, page by page."""
        for page in self._pages("GetExecutionHistory", executionArn=arn, maxResults=1000):
            yield from page["events"]

    def newest(self, arn: str, count: int) -> Sequence[dict[str, Any]]:
        """That many events, the newest first."""
        asked = {"executionArn": arn, "maxResults": count, "reverseOrder": True}
        events: list[dict[str, Any]] = self._call("GetExecutionHistory", **asked)["events"]
        return events

    def history_after(self, arn: str, event_id: int, page: int) -> Sequence[dict[str, Any]]:
        """The events after that one, oldest first, read in pages of that size from the newest."""
        asked = {"executionArn": arn, "maxResults": page, "reverseOrder": True}
        newer: list[dict[str, Any]] = []
        for answer in self._pages("GetExecutionHistory", **asked):
            found = [event for event in answer["events"] if event["id"] > event_id]
            newer += found
            if len(found) < len(answer["events"]):
                break
        return sorted(newer, key=lambda event: int(event["id"]))

    def definition(self, arn: str) -> dict[str, Any] | None:
        """What the execution runs, which a later deployment does not change; None if forbidden."""
        try:
            answer = self._call("DescribeStateMachineForExecution", executionArn=arn)
        except ClientError as error:
            if error.response["Error"].get("Code", "").startswith("AccessDenied"):
                return None
            raise
        found = json.loads(answer["definition"])
        return found if isinstance(found, dict) else None

    def redrive(self, execution: Listed) -> None:
        """Raises ``ExecutionNotRedrivable`` as a ClientError.

        The token is the same for every try to redrive an execution that was redriven as often:
        within 15 minutes, asking again after a lost answer redrives nothing twice.
        """
        seen = f"{execution.arn} {execution.redrives}"
        token = hashlib.sha256(seen.encode()).hexdigest()
        self._call("RedriveExecution", executionArn=execution.arn, clientToken=token)

    def start(self, name: str, input_: str) -> str:
        """Start one; return its ARN."""
        answer = self._call("StartExecution", stateMachineArn=self.machine, name=name, input=input_)
        return str(answer["executionArn"])

    def _pages(self, api: str, **arguments: Any) -> Iterator[dict[str, Any]]:
        page = self._call(api, **arguments)
        yield page
        while page.get("nextToken"):
            page = self._call(api, **arguments, nextToken=page["nextToken"])
            yield page

    def _call(self, api: str, **arguments: Any) -> dict[str, Any]:
        if api in self.limits:
            self.limits[api].take()
        method = "".join(f"_{c.lower()}" if c.isupper() else c for c in api).lstrip("_")
        answer: dict[str, Any] = getattr(self.client, method)(**arguments)
        return answer


def _listed(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "arn": answer["executionArn"],
        "name": answer["name"],
        "status": answer["status"],
        "started_at": answer["startDate"],
        "stopped_at": answer.get("stopDate"),
        "redrives": answer.get("redriveCount", 0),
    }
