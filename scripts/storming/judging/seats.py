"""G1, G2, G3: the seats, their records and their images."""

from collections import Counter
from collections.abc import Iterator, Sequence

from storming.facts import Facts, TicketKey, Write
from storming.judging.verdict import Verdict, count


def judge_g1(facts: Facts) -> Verdict:
    """One identity per seat, at every moment; as many records as were booked, and no other."""
    expected = set(_seats(facts))
    found = {ticket.key for ticket in facts.tickets}
    broken = [
        *(f"{id_} of {user}: no record" for user, id_ in sorted(expected - found)),
        *(
            f"{id_} of {user}: a record that nobody booked"
            for user, id_ in sorted(found - expected)
        ),
        *_changed(facts),
        *_shared_tokens(facts),
    ]
    writes = sum(map(len, facts.writes.values()))
    bookings = count(len(facts.claims), "booking")
    counted = f"{count(len(found), 'seat')} of {bookings}; {count(writes, 'write')} seen"
    return Verdict("G1", "one identity per seat", len(found), counted, tuple(broken))


def _seats(facts: Facts) -> Iterator[TicketKey]:
    for claim in facts.claims.values():
        for seat in range(1, claim.identity.quantity + 1):
            yield claim.identity.user_id, f"{claim.booking}-{seat:05d}"


def _changed(facts: Facts) -> Iterator[str]:
    removed = Counter(f"{booking}-{seat:05d}" for booking, seat in facts.removed)
    for (_, id_), writes in sorted(facts.writes.items()):
        removals = sum(write.kind == "REMOVE" for write in writes)
        if removals > removed[id_]:
            yield f"{id_}: its record was removed {removals} times, {removed[id_]} by the storm"
        for life in _lives(writes):
            identities = {(write.token, write.created_at) for write in life}
            if len(identities) > 1:
                yield f"{id_}: {len(identities)} identities in {len(life)} writes"
    for ticket in facts.tickets:
        last = facts.writes.get(ticket.key, ())[-1:]
        if [(w.token, w.created_at) for w in last] != [(ticket.token, ticket.created_at)]:
            yield f"{ticket.ticket_id}: the record is not what was last written"


def _lives(writes: Sequence[Write]) -> Iterator[list[Write]]:
    """A record's writes from each insertion to its removal."""
    life: list[Write] = []
    for write in writes:
        if write.kind == "REMOVE":
            yield life
            life = []
        else:
            life.append(write)
    yield life


def _shared_tokens(facts: Facts) -> Iterator[str]:
    times = Counter(ticket.token for ticket in facts.tickets)
    for ticket in facts.tickets:
        if times[ticket.token] > 1:
            yield f"{ticket.ticket_id}: another seat has its token too"


def judge_g2(facts: Facts) -> Verdict:
    """``ready`` implies the image, and its code says the stored token."""
    ready = [ticket for ticket in facts.tickets if ticket.status == "ready"]
    broken = []
    for ticket in ready:
        if ticket.image_key not in facts.objects:
            broken.append(f"{ticket.ticket_id}: ready, and no image at {ticket.image_key}")
        elif facts.objects[ticket.image_key] != f"MT1.{ticket.ticket_id}.{ticket.token}":
            broken.append(f"{ticket.ticket_id}: the code on its image is not the stored token's")
    counted = f"{count(len(ready), 'ready seat')}, {count(len(facts.objects), 'QR code')} decoded"
    return Verdict("G2", "ready means an image that scans", len(ready), counted, tuple(broken))


def judge_g3(facts: Facts) -> Verdict:
    """A seat found ready is not written by that run; each seat has one image key."""
    expected = {f"tickets/{t.booking}/{t.ticket_id}.png" for t in facts.tickets}
    named = {ticket.image_key: ticket for ticket in facts.tickets}
    broken = [
        *(
            f"{named[key].ticket_id}: its image key is {key}"
            for key in sorted(named.keys() - expected)
        ),
        *(f"{key}: an image of no seat" for key in sorted(facts.objects.keys() - expected)),
        *(
            f"{run.booking} seat {seat}: found ready and yet written, in {run.arn}"
            for run in facts.runs
            for seat in sorted(run.skipped & run.wrote)
        ),
    ]
    skipped = sum(len(run.skipped) for run in facts.runs)
    counted = f"{count(skipped, 'skip')}, {count(len(facts.objects), 'image')}"
    promise = "a ready seat is skipped; one image key each"
    return Verdict("G3", promise, skipped, counted, tuple(broken))
