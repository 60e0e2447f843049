"""What a step says when it ends, and where its execution goes, held against what lasts then.

A handler's last call and its end are one moment here, so nothing has changed in between.
"""

import json
from typing import Any

from exploration import workflow
from exploration.aws import Store
from exploration.booking import CLAIM_KEY, identity_of
from exploration.oracle import is_recorded, require, shows_its_token
from exploration.world import Branch, Delivery, World

_THIRTY_DAYS = 30 * 24 * 3600
_PERMANENT = ("TicketConflict", "TicketMissing", "EmailRejected")


def answered(world: World, branch: Branch, result: str, goes_to: str) -> None:
    """Raises oracle.Violation. ``goes_to``: the state that follows, or ENDED."""
    answer, given, store = json.loads(result), json.loads(branch.data), world.store
    match branch.state:
        case "AcceptBooking":
            _accepted(store, answer, body_of(branch.data))
        case "Creating":
            _reserved(store, answer, given["seatNumber"], goes_to)
        case "Written":
            _written(store, answer, given["seatNumber"])
        case "Ready":
            require(_ticket(store, given["seatNumber"])["status"] == "ready", "G2", "not marked")
        case "SendEmail":
            _sent(world, answer, given["email"])
        case "RecordEmailJob" if given["sent"]["email"] == "sent":
            nearly_all = world.clock + _THIRTY_DAYS - 3600  # the handler's clock may be older
            require(is_recorded(store, nearly_all), "G5", "it is not remembered for 30 days")


def failed(delivery: Delivery, error: str) -> None:
    """The execution fails for good; what else it had to do must not have suffered."""
    if error not in _PERMANENT:
        return
    for branch in delivery.branches:
        if branch.error is None:
            require(branch.state == workflow.ENDED, "G8", f"{error} stopped {branch.name}")


def body_of(records: str) -> dict[str, Any]:
    """The message in an execution's input."""
    return dict(json.loads(json.loads(records)[0]["body"]))


def _accepted(store: Store, answer: Any, message: dict[str, Any]) -> None:
    require(answer["email"] == message["email"], "G5", "another address than the message's")
    claim, booking = store.jobs[CLAIM_KEY], answer["booking"]
    require(identity_of(claim) == identity_of(booking), "G4", "another booking than the claim's")
    names = {name: claim.get(name) for name in booking}
    require(names == booking, "G4", "other facts than the claim's")


def _reserved(store: Store, answer: Any, seat: int, goes_to: str) -> None:
    status = _ticket(store, seat)["status"]
    require(answer == {"seatNumber": seat, "status": status}, "G3", f"the seat is {status}")
    skipped = goes_to == workflow.ENDED
    require(skipped == (status == "ready"), "G3", f"a seat that was {status} goes to {goes_to}")


def _written(store: Store, answer: Any, seat: int) -> None:
    ticket = store.tickets.get(f"bk-{seat:05}")
    if ticket and ticket["createdAt"] == answer["createdAt"]:
        image = store.objects.get(ticket["imageKey"], b"")
        shows_its_token(ticket, image, "what was written is not the ticket's")


def _sent(world: World, answer: Any, address: str) -> None:
    if answer["email"] == "sent":
        require(world.store.emails[-1:] == (address,), "G5", "sent to somebody else")
        accepted = answer["messageId"] == f"message-{len(world.store.emails)}"
        require(accepted, "G5", "it says sent of an email that SES did not accept")
    else:
        require(is_recorded(world.store, world.clock), "G5", "it says sent before; nobody knows")


def _ticket(store: Store, seat: int) -> dict[str, Any]:
    return store.tickets.get(f"bk-{seat:05}", {"status": "missing"})
