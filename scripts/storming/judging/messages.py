"""G4, G7 and G8: what became of each message and of each execution."""

from collections import defaultdict
from collections.abc import Iterator

from storming.facts import Facts, Failure, Run
from storming.judging.verdict import Verdict, count
from storming.plan import Kind, Publication

_FINAL = ("SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED")
_WITH_GRACE = ("TicketConflict", "TicketMissing", "EmailRejected")


def judge_g4(facts: Facts) -> Verdict:
    """A message with another identity than the claimed one changes nothing and fails by name."""
    broken = [*_claims(facts), *_records(facts)]
    refused = 0
    for run in facts.runs:
        publication = _publication(facts, run)
        claim = facts.claims.get(publication.booking or "") if publication else None
        if publication is None or publication.identity is None or claim is None:
            continue
        conflicts, failed = publication.identity != claim.identity, run.error == "BookingConflict"
        refused += conflicts
        if conflicts and not (failed and run.status == "FAILED"):
            broken.append(f"{run.booking}: a conflicting message ended {_end(run)}, in {run.arn}")
        if conflicts and (run.wrote or run.skipped):
            broken.append(f"{run.booking}: a conflicting message reached its seats, in {run.arn}")
        if failed and not conflicts:
            broken.append(f"{run.booking}: its own message ended {_end(run)}, in {run.arn}")
    counted = f"{count(refused, 'conflict')} refused, {count(len(facts.claims), 'claim')}"
    return Verdict("G4", "a conflicting message changes nothing", refused, counted, tuple(broken))


def _claims(facts: Facts) -> Iterator[str]:
    published = {(p.booking, p.identity) for p in facts.publications.values() if p.identity}
    for claim in facts.claims.values():
        if claim.writes != 1:
            yield f"{claim.booking}: its claim was written {claim.writes} times"
        if (claim.booking, claim.identity) not in published:
            yield f"{claim.booking}: its claim is of no message that was published"


def _records(facts: Facts) -> Iterator[str]:
    for ticket in facts.tickets:
        claim = facts.claims.get(ticket.booking)
        if claim and (ticket.identity, ticket.shown) != (claim.identity, claim.shown):
            yield f"{ticket.ticket_id}: its record tells another booking than the claim"


def _end(run: Run) -> str:
    return f"{run.status} {run.error or ''}".strip()


def _publication(facts: Facts, run: Run) -> Publication | None:
    return facts.publications.get(run.publication) if run.publication is not None else None


def judge_g7(facts: Facts) -> Verdict:
    """Every message that SQS accepted came to its end, and after healing to the right one."""
    by_message, by_publication = defaultdict(list), defaultdict(list)
    for run in facts.runs:
        by_message[run.message_id].append(run)
        by_publication[run.publication].append(run)
    broken = [
        f"{_subject(run)}: still {run.status}, in {run.arn}"
        for run in facts.runs
        if run.status not in _FINAL
    ]
    for number, message_id in facts.sent.items():
        publication, runs = facts.publications[number], by_publication[number]
        name = f"{publication.booking or 'a message'} ({publication.kind}, message {message_id})"
        if message_id in facts.dead:
            broken.append(f"{name}: still a dead letter")
        elif not by_message[message_id] and message_id not in facts.returned:
            broken.append(f"{name}: neither an execution nor a dead letter")
        elif not runs:
            broken.append(f"{name}: a dead letter, sent back, without an execution")
        else:
            broken += _wrong_end(facts, publication, runs, name)
    unknown = sorted(set(facts.dead) - set(facts.sent.values()))
    broken += [f"message {id_}: still a dead letter" for id_ in unknown]
    if facts.queued:
        broken.append(f"{count(facts.queued, 'message')} still in the queue")
    broken += [
        f"{ticket.ticket_id}: not ready after all was healed"
        for ticket in facts.tickets
        if ticket.status != "ready"
    ]
    messages = count(len(facts.sent), "message")
    counted = (
        f"{messages}, {count(len(facts.runs), 'execution')}, "
        f"{count(len(facts.returned), 'dead letter')} sent back"
    )
    return Verdict("G7", "no message disappears", len(facts.sent), counted, tuple(broken))


def _subject(run: Run) -> str:
    return run.booking or f"message {run.message_id}"


def _wrong_end(facts: Facts, publication: Publication, runs: list[Run], name: str) -> Iterator[str]:
    claim = facts.claims.get(publication.booking or "")
    if publication.kind is Kind.INVALID:
        wrong = [run for run in runs if (run.status, run.error) != ("FAILED", "InvalidBooking")]
        yield from (f"{name}: {_end(run)} and not InvalidBooking, in {run.arn}" for run in wrong)
    elif claim is None:
        yield f"{name}: its booking was never accepted"
    elif publication.identity == claim.identity and not any(
        run.status == "SUCCEEDED" for run in runs
    ):
        ends = ", ".join(f"{_end(run)} in {run.arn}" for run in runs)
        yield f"{name}: no execution of it succeeded: {ends}"


def judge_g8(facts: Facts) -> Verdict:
    """What runs beside a failure gets the whole grace to finish, before the failure ends it.

    Whether it is enough depends on the machine that the storm runs on, so what was not finished
    then is counted and not blamed. Errors without a name of their own are left out: their grace is
    their retries, which a storm shortens to a few seconds, and the work not at all.
    """
    graced = [(run, run.failure) for run in facts.runs if run.failure and _has_grace(run.failure)]
    broken = tuple(
        f"{run.booking}: {count(len(failure.unfinished), 'part')} unfinished when "
        f"{failure.error} ended {run.arn} after {failure.grace:.1f} s of grace"
        for run, failure in graced
        if failure.unfinished and failure.grace < facts.grace
    )
    finished = sum(len(failure.finished) for _, failure in graced)
    siblings = finished + sum(len(failure.unfinished) for _, failure in graced)
    counted = (
        f"{count(len(graced), 'execution')} failed after the grace, in which {finished} of "
        f"{count(siblings, 'other part')} were finished"
    )
    return Verdict("G8", "one failure does not stop the others", siblings, counted, broken)


def _has_grace(failure: Failure) -> bool:
    return failure.error in _WITH_GRACE
