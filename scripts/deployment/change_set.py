"""A change set of a stack, from its creation to its end."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deployment.changes import Change, read_changes
from deployment.stack import Stack, StackError

_PAUSE = 3  # seconds between two looks
_CHANGE_SET_SECONDS = 300
_STACK_SECONDS = 3600
_NO_CHANGES = ("didn't contain changes", "No updates are to be performed")
_CANCELLED = "cancelled"  # "Resource creation cancelled": another resource's failure is the cause

Sleep = Callable[[float], None]


@dataclass(frozen=True)
class ChangeSet:
    """``stack`` is the stack's id; ``creates`` says that executing it makes the stack."""

    id: str
    stack: str
    creates: bool
    changes: list[Change]


@dataclass(frozen=True)
class Event:
    """What became of one resource. ``reason`` is CloudFormation's own, of a failure only."""

    resource: str
    type: str
    status: str
    reason: str

    @property
    def failed(self) -> bool:
        return self.status.endswith("_FAILED") and _CANCELLED not in self.reason.lower()


def create_change_set(
    client: Any,
    name: str,
    before: Stack | None,
    request: Mapping[str, Any],
    sleep: Sleep = time.sleep,
) -> ChangeSet | None:
    """Ask CloudFormation what ``request`` would change; None if it would change nothing.

    ``request`` holds the template, the parameters and the change set's name. Raises StackError.
    """
    kind = "UPDATE" if before else "CREATE"
    made = client.create_change_set(StackName=name, ChangeSetType=kind, **request)
    change_set = ChangeSet(made["Id"], made["StackId"], before is None, [])
    try:
        pages = _wait_for(client, change_set, sleep)
    except BaseException:
        discard(client, change_set)
        raise
    if pages is None:
        discard(client, change_set)
        return None
    change_set.changes.extend(read_changes(pages))
    return change_set


def discard(client: Any, change_set: ChangeSet) -> None:
    """Leave everything as it was before the change set."""
    client.delete_change_set(ChangeSetName=change_set.id, StackName=change_set.stack)
    if change_set.creates:
        client.delete_stack(StackName=change_set.stack)


def execute(
    client: Any,
    change_set: ChangeSet,
    token: str,
    say: Callable[[Event], None],
    sleep: Sleep = time.sleep,
) -> tuple[str, list[Event]]:
    """Execute it and follow it to its end: the stack's last status, and what failed.

    The end is the stack's own event, not its status, which may still be that from before.
    Raises StackError if it takes longer than an hour.
    """
    newest = next(_events(client, change_set.stack), {}).get("EventId")
    client.execute_change_set(
        ChangeSetName=change_set.id, StackName=change_set.stack, ClientRequestToken=token
    )
    failures: list[Event] = []
    for _ in range(_STACK_SECONDS // _PAUSE):
        for found in _since(client, change_set.stack, newest):
            newest = found["EventId"]
            event = _event(found)
            say(event)
            if found["PhysicalResourceId"] == change_set.stack:
                if not event.status.endswith("_IN_PROGRESS"):
                    return event.status, failures
            elif event.failed:
                failures.append(event)
        sleep(_PAUSE)
    raise StackError("The stack has not come to an end within an hour; CloudFormation goes on.")


def _wait_for(
    client: Any, change_set: ChangeSet, sleep: Sleep
) -> Sequence[Mapping[str, Any]] | None:
    for _ in range(_CHANGE_SET_SECONDS // _PAUSE):
        page = client.describe_change_set(ChangeSetName=change_set.id, StackName=change_set.stack)
        if page["Status"] == "CREATE_COMPLETE":
            return list(_pages(client, change_set, page))
        if page["Status"] == "FAILED":
            reason = page.get("StatusReason", "no reason given")
            if any(words in reason for words in _NO_CHANGES):
                return None
            raise StackError(f"CloudFormation refuses the change: {reason}")
        sleep(_PAUSE)
    raise StackError("CloudFormation has not made the change set within five minutes.")


def _pages(
    client: Any, change_set: ChangeSet, page: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    yield page
    while page.get("NextToken"):
        page = client.describe_change_set(
            ChangeSetName=change_set.id, StackName=change_set.stack, NextToken=page["NextToken"]
        )
        yield page


def _since(client: Any, stack: str, newest: str | None) -> list[dict[str, Any]]:
    """The events after that one, oldest first."""
    found = []
    for event in _events(client, stack):
        if event["EventId"] == newest:
            break
        found.append(event)
    return found[::-1]


def _events(client: Any, stack: str) -> Iterator[dict[str, Any]]:
    """Newest first. By the stack's id: a stack that is gone is found by that alone."""
    for page in client.get_paginator("describe_stack_events").paginate(StackName=stack):
        yield from page["StackEvents"]


def _event(found: Mapping[str, Any]) -> Event:
    return Event(
        found["LogicalResourceId"],
        found.get("ResourceType", ""),
        found["ResourceStatus"],
        found.get("ResourceStatusReason", "") if "FAILED" in found["ResourceStatus"] else "",
    )
