"""What must hold, judged by what lasts alone: nothing here asks the code under test.

The email's account follows the words of G5. SES's acceptance of an email is an excuse for one more
if nobody heard of it (a lost reply, a crash or a stop of SendEmail), if another run takes over
while it is unrecorded and its lease is over, or if it came after the end of its own lease.
"""

import functools
from io import BytesIO

import zxingcpp
from PIL import Image

from exploration.aws import Store
from exploration.booking import CLAIM_KEY, EMAIL_KEY
from exploration.steps import Start
from exploration.system import DAWN, LEASE
from exploration.world import Ledger, World

IDENTITY = ("ticketId", "bookingId", "seatNumber", "token", "createdAt", "imageKey")


class Violation(Exception):
    """A guarantee is broken. ``guarantee`` is its number in the design."""

    def __init__(self, guarantee: str, words: str) -> None:
        super().__init__(f"{guarantee}: {words}")
        self.guarantee = guarantee


def require(holds: object, guarantee: str, words: str) -> None:
    if not holds:
        raise Violation(guarantee, words)


def called(before: World, after: World, arn: str, start: Start, *, unheard: bool) -> World:
    """Judge what one call changed. ``unheard``: no execution will learn that it was done."""
    old, new = before.store, after.store
    if old is new:
        return after
    tickets_kept(old, new)
    every_ready_ticket_can_be_scanned(new)
    claim, job = old.jobs.get(CLAIM_KEY), old.jobs.get(EMAIL_KEY)
    require(claim in (None, new.jobs.get(CLAIM_KEY)), "G4", "the booking's claim was changed")
    if job and job["status"] == "done" and job["expiresAt"] > epoch(after.clock):
        require(job == new.jobs.get(EMAIL_KEY), "G5", "the record of a sent email was changed")
    ledger = after.ledger
    if job != new.jobs.get(EMAIL_KEY):
        ledger = _outlived(ledger, after.clock, arn)
    if len(new.emails) > len(old.emails):
        ledger = _accepted(ledger, after.clock, arn, start.clock + LEASE, unheard)
    if new.jobs.get(EMAIL_KEY, {}).get("status") == "done":
        ledger = ledger._replace(unrecorded=frozenset())
    return after._replace(ledger=ledger)


def tickets_kept(old: Store, new: Store) -> None:
    for key, ticket in old.tickets.items():
        now = new.tickets.get(key, {})
        changed = [name for name in IDENTITY if ticket.get(name) != now.get(name)]
        require(not changed, "G1", f"{', '.join(changed)} of a seat changed")
        if ticket["status"] == "ready":
            require(now == ticket, "G1", "a ready ticket changed")


def every_ready_ticket_can_be_scanned(store: Store) -> None:
    for key, ticket in store.tickets.items():
        if ticket.get("status") == "ready":
            image = store.objects.get(ticket.get("imageKey", ""))
            require(image, "G2", "a ticket is ready without its image")
            payload = f"MT1.{key}.{ticket.get('token')}"
            require(
                _scanned(image or b"") == payload, "G2", "a ready ticket's QR is not its token's"
            )


def forgotten(ledger: Ledger) -> Ledger:
    """After 30 days the next email is a first one again."""
    return ledger._replace(emails=0, excuses=0, unrecorded=frozenset())


def _outlived(ledger: Ledger, clock: int, arn: str) -> Ledger:
    """Another run takes over, or records, what was sent under a lease that is over."""
    outlived = {(owner, end) for owner, end in ledger.unrecorded if end <= clock and owner != arn}
    excuses = ledger.excuses + len(outlived)
    return ledger._replace(excuses=excuses, unrecorded=ledger.unrecorded - outlived)


def _accepted(ledger: Ledger, clock: int, arn: str, lease_ends: int, unheard: bool) -> Ledger:
    heard = () if unheard else ((arn, lease_ends),)
    ledger = Ledger(
        emails=ledger.emails + 1,
        excuses=ledger.excuses + (lease_ends <= clock or unheard),
        unrecorded=ledger.unrecorded.union(heard),
    )
    # An acceptance excuses the next email, not itself.
    allowed = 1 + ledger.excuses - (lease_ends > clock and unheard)
    words = f"email number {ledger.emails} of one booking, where {allowed} may be"
    require(ledger.emails <= allowed, "G5" if allowed > 1 else "G6", words)
    return ledger


def epoch(clock: int) -> int:
    return int(DAWN.timestamp()) + clock


@functools.cache
def _scanned(png: bytes) -> str | None:
    with Image.open(BytesIO(png)) as image:
        found = zxingcpp.read_barcodes(image)
    return found[0].text if len(found) == 1 else None
