"""The holder's whole story: storage breaks, nobody redrives, and reconciliation brings the tickets.

All of it is seen as the holder sees it, and mended as the operator mends it.
"""

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from minitickets.clock import iso
from operations.cli import main
from workflow.aws_calls import aws_calls
from workflow.grants import without
from workflow.harness import Fulfilment, booking, statuses
from workflow.holder import Holder, fetch
from workflow.reconciling import change, lose_images, new_date
from workflow.tools import decoded, everything, object_keys, payload, tokens

pytestmark = pytest.mark.slow  # fifteen seconds of bookings that fail and are mended

SEATS = 10  # so that one lost image is no more than the share that is mended without asking


class Operator:
    """Types ``minitickets`` with ``--json``; never told a token."""

    def __init__(self, fulfilment: Fulfilment, capsys: pytest.CaptureFixture[str]) -> None:
        self._fulfilment = fulfilment
        self._capsys = capsys

    def types(self, *words: str, code: int = 0) -> dict[str, Any]:
        url = self._fulfilment.stack.endpoint.url
        assert main([*words, "--json", "--endpoint", url]) == code
        found: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return found

    def reconciles(self, day: date, *options: str, code: int = 0) -> dict[str, int]:
        """What it found of that date, without what is none."""
        told = self.types("reconcile", "--from", str(day), "--to", str(day), *options, code=code)
        return {n: v for n, v in told["report"].items() if type(v) is int and v}

    def sees(self, user: str, booking_id: str) -> dict[str, Any]:
        (held,) = self.types("my-tickets", user)["bookings"]
        assert held["bookingId"] == booking_id
        return dict(held)


@pytest.fixture
def operator(fulfilment: Fulfilment, capsys: pytest.CaptureFixture[str]) -> Operator:
    return Operator(fulfilment, capsys)


def opened(held: dict[str, Any]) -> dict[int, str]:
    """What the code of each of the booking's images says, by seat, each fetched by its link."""
    codes = {}
    for ticket in held["tickets"]:
        status, png, headers = fetch(ticket["imageUrl"])
        assert (status, headers["Content-Type"]) == (200, "image/png")
        codes[ticket["seatNumber"]] = decoded(png)
    return codes


def shown(held: dict[str, Any]) -> tuple[str, Counter[tuple[str, bool]]]:
    """The booking's status; and its tickets' statuses, and whether they have a link, counted."""
    return held["status"], Counter((t["status"], "imageUrl" in t) for t in held["tickets"])


def test_tickets_that_storage_lost_are_creating_until_reconciliation_and_then_have_their_images(
    fulfilment, operator
):
    day, user = new_date(), "usr_whole_story"
    message = booking(userId=user, quantity=SEATS, startsAt=f"{day}T20:00:00+01:00")
    id_, holder = message["bookingId"], Holder(fulfilment, user)

    # Book while S3 takes no image.
    with without(fulfilment, "WriteTicketImageRole", "s3:PutObject"):
        (failed,) = fulfilment.fulfil(message)
    assert (failed["status"], object_keys(fulfilment, id_)) == ("FAILED", {})
    assert "AccessDenied" in failed["cause"]
    assert "PutObject" in failed["cause"]
    kept = tokens(fulfilment, id_)
    assert len(set(kept.values())) == SEATS
    all_creating = ("creating", Counter({("creating", False): SEATS}))
    assert shown(holder.bookings()[id_]) == all_creating
    assert shown(operator.sees(user, id_)) == all_creating

    # Storage is back; nobody redrives. Too young to be touched, then old enough.
    assert operator.reconciles(day) == {"dates": 1, "checked": SEATS, "young": SEATS}
    assert shown(holder.bookings()[id_]) == all_creating
    old = iso(datetime.now(UTC) - timedelta(minutes=16))
    for seat in kept:
        change(fulfilment, id_, seat, "SET createdAt = :old", {":old": old})
    before = everything(fulfilment, id_)
    found = {"dates": 1, "checked": SEATS, "stale": SEATS}
    dry = operator.reconciles(day, "--dry-run", code=1)
    assert (dry, everything(fulfilment, id_)) == (found | {"left": SEATS}, before)
    assert operator.reconciles(day) == found | {"repaired": SEATS}

    # The holder has every ticket, with the code that the table has had from the start.
    all_ready = ("ready", Counter({("ready", True): SEATS}))
    assert shown(holder.bookings()[id_]) == all_ready
    assert shown(operator.sees(user, id_)) == all_ready
    assert tokens(fulfilment, id_) == kept
    codes = {seat: payload(ticket) for seat, ticket in fulfilment.tickets(id_).items()}
    assert opened(holder.bookings()[id_]) == codes
    assert [(e["status"], e["redriveCount"]) for e in fulfilment.executions(id_)] == [("FAILED", 0)]


def test_an_image_that_was_deleted_opens_nothing_until_reconciliation_and_is_the_same_then(
    fulfilment, operator
):
    day, user = new_date(), "usr_lost_image"
    message = booking(userId=user, quantity=SEATS, startsAt=f"{day}T20:00:00+01:00")
    assert statuses(fulfilment.fulfil(message)) == ["SUCCEEDED"]
    id_, holder = message["bookingId"], Holder(fulfilment, user)
    codes = opened(holder.bookings()[id_])

    ((key, png),) = lose_images(fulfilment, id_, 4).items()
    url = holder.bookings()[id_]["tickets"][3]["imageUrl"]
    status, said, _ = fetch(url)
    assert status == 403  # who may not list a bucket is not told what is missing
    assert b"<Code>AccessDenied</Code>" in said
    found = {"dates": 1, "checked": SEATS, "ready": SEATS, "missing": 1}
    assert operator.reconciles(day, "--dry-run", code=1) == found | {"left": 1}
    assert fetch(url)[0] == 403
    with aws_calls() as calls:
        assert operator.reconciles(day) == found | {"repaired": 1}
    assert Counter(calls.writing()) == {"PutObject": 1, "UpdateItem": 1}

    assert fulfilment.image(key) == png
    assert opened(holder.bookings()[id_]) == codes
    assert codes == {seat: payload(ticket) for seat, ticket in fulfilment.tickets(id_).items()}
