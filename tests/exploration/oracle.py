"""What must hold, judged by what lasts alone: nothing here asks the code under test.

The email's account follows the words of G5. SES's acceptance of an email is an excuse for one more
if nobody heard of it (a lost reply, a crash or a stop of SendEmail), if another run takes over
while it is unrecorded and its lease is over, or if it came after the end of its own lease (SES must
have been asked before). There are never more emails than one and one per fault or event so far.
"""

import functools
from io import BytesIO

import zxingcpp
from PIL import Image

from exploration.aws import Item, Store
from exploration.booking import CLAIM_KEY, EMAIL_KEY, IMAGE_KEY
from exploration.calls import Call
from exploration.steps import Invocation
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


def called(
    before: World, after: World, arn: str, invocation: Invocation, *, unheard: bool, spent: int
) -> World:
    """Judge what one call changed.

    ``unheard``: no execution will learn that it was done. ``spent`` faults and events came so far.
    """
    old, new, ledger = before.store, after.store, after.ledger
    if old is new:
        return after
    tickets_kept(old, new)
    ledger = ledger._replace(image_lost=ledger.image_lost and IMAGE_KEY not in new.objects)
    every_ready_ticket_can_be_scanned(new, image_lost=ledger.image_lost)
    claim, job = old.jobs.get(CLAIM_KEY), old.jobs.get(EMAIL_KEY)
    require(claim in (None, new.jobs.get(CLAIM_KEY)), "G4", "the booking's claim was changed")
    if is_recorded(old, after.clock):
        require(job == new.jobs.get(EMAIL_KEY), "G5", "the record of a sent email was changed")
    if job != new.jobs.get(EMAIL_KEY):
        ledger = _outlived(ledger, after.clock, arn)
    if len(new.emails) > len(old.emails):
        lease_ends = invocation.start.clock + LEASE
        require(invocation.asked_at < lease_ends, "G6", "SES is asked on a lease that is over")
        ledger = _accepted(ledger, after.clock, arn, lease_ends, unheard)
        require(ledger.emails <= 1 + spent, "G5", "an email more than there were events")
    if new.jobs.get(EMAIL_KEY, {}).get("status") == "done":
        ledger = ledger._replace(unrecorded=frozenset())
    return after._replace(ledger=ledger)


@functools.cache
def no_token_in(call: Call, store: Store, tickets: str) -> None:
    """A token is sent to no other service than the tickets' table, but as an image."""
    if tickets.encode() not in call.body:
        sent = f"{call.url}{call.headers}".encode() + call.body
        told = [t for t in store.tickets.values() if str(t.get("token")).encode() in sent]
        require(not told, "G9", f"a token is sent by {call}")


def tickets_kept(old: Store, new: Store) -> None:
    for key, ticket in old.tickets.items():
        now = new.tickets.get(key, {})
        changed = [name for name in IDENTITY if ticket.get(name) != now.get(name)]
        require(not changed, "G1", f"{', '.join(changed)} of a seat changed")
        if ticket["status"] == "ready":
            require(now == ticket, "G1", "a ready ticket changed")


def every_ready_ticket_can_be_scanned(store: Store, *, image_lost: bool = False) -> None:
    for ticket in store.tickets.values():
        if ticket.get("status") == "ready":
            image = store.objects.get(ticket.get("imageKey", ""))
            require(image or image_lost, "G2", "a ticket is ready without its image")
            if image:
                shows_its_token(ticket, image, "a ready ticket's QR is not its token's")


def shows_its_token(ticket: Item, image: bytes, words: str) -> None:
    require(_scanned(image) == f"MT1.{ticket['ticketId']}.{ticket.get('token')}", "G2", words)


def is_recorded(store: Store, clock: int) -> bool:
    """Whether it is remembered that the email was sent."""
    job = store.jobs.get(EMAIL_KEY)
    return bool(job and job["status"] == "done" and job["expiresAt"] > epoch(clock))


def forgotten(ledger: Ledger) -> Ledger:
    """After 30 days the next email is a first one again."""
    return ledger._replace(emails=0, excuses=0, unrecorded=frozenset())


def record_lost(ledger: Ledger) -> Ledger:
    """Somebody deleted the email's record, or the lease: the next run cannot know of it."""
    return ledger._replace(excuses=ledger.excuses + 1)


def _outlived(ledger: Ledger, clock: int, arn: str) -> Ledger:
    """Another run takes over, or records, what was sent under a lease that is over."""
    outlived = {(owner, end) for owner, end in ledger.unrecorded if end <= clock and owner != arn}
    excuses = ledger.excuses + len(outlived)
    return ledger._replace(excuses=excuses, unrecorded=ledger.unrecorded - outlived)


def _accepted(ledger: Ledger, clock: int, arn: str, lease_ends: int, unheard: bool) -> Ledger:
    heard = () if unheard else ((arn, lease_ends),)
    ledger = ledger._replace(
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
