"""G5 and G6: the confirmation emails.

Events that may double an email: an attempt of SendEmail that ended without an answer the execution
knows of (a lost reply, a crash, a kill, a timeout, an abort), and a lease that was taken over.
"""

from collections import Counter, defaultdict
from itertools import pairwise

from storming.facts import Email, Facts, Run
from storming.judging.verdict import Verdict, count
from storming.plan import Kind


def events(facts: Facts) -> Counter[str]:
    """How many events that may double its email each booking met."""
    found: Counter[str] = Counter()
    for run in facts.runs:
        if run.booking:
            found[run.booking] += run.lost
    for booking, job in facts.jobs.items():
        found[booking] += job.takeovers
    return found


def judge_g5(facts: Facts) -> Verdict:
    """At least one email per accepted booking; each further one has its event."""
    met, sent = events(facts), _by_booking(facts)
    broken = [*_lost(facts, sent), *_stray(facts)]
    known = {id_ for run in facts.runs for id_ in run.acknowledged}
    for booking, emails in sent.items():
        takeovers = facts.jobs[booking].takeovers if booking in facts.jobs else 0
        unknown = sum(email.message_id not in known for email in emails)
        most_known, most_unknown = 1 + takeovers, met[booking] - takeovers
        if len(emails) > 1 + met[booking]:
            broken.append(f"{booking}: {len(emails)} emails after {count(met[booking], 'event')}")
        elif len(emails) - unknown > most_known or unknown > most_unknown:
            broken.append(
                f"{booking}: {len(emails)} emails, {unknown} of which no execution knows, after "
                f"{count(most_unknown, 'lost attempt')} and {count(takeovers, 'takeover')}"
            )
    second = sum(len(emails) - 1 for emails in sent.values())
    counted = (
        f"{count(len(facts.emails), 'email')} for {count(len(facts.claims), 'booking')}; "
        f"{second} more than one, {count(sum(met.values()), 'event')} that may double"
    )
    promise = "an email is never lost, and doubled only by its events"
    return Verdict("G5", promise, len(facts.claims), counted, tuple(broken))


def _by_booking(facts: Facts) -> dict[str, list[Email]]:
    sent: dict[str, list[Email]] = defaultdict(list)
    for email in facts.emails:
        sent[email.booking].append(email)
    return sent


def _lost(facts: Facts, sent: dict[str, list[Email]]) -> list[str]:
    broken = [f"{booking}: no email" for booking in facts.claims if not sent.get(booking)]
    for booking in facts.claims:
        job = facts.jobs.get(booking)
        if job is None or job.status != "done":
            broken.append(f"{booking}: its email is not recorded as sent")
    return broken


def _stray(facts: Facts) -> list[str]:
    """Emails to an address that nobody gave with the booking."""
    given = {
        (publication.booking, publication.email)
        for publication in facts.publications.values()
        if publication.kind is not Kind.INVALID
        and (claim := facts.claims.get(publication.booking or ""))
        and publication.identity == claim.identity
    }
    return [
        f"{email.booking}: email {email.message_id} went to an address that was not given"
        for email in facts.emails
        if (email.booking, email.recipient) not in given
    ]


def judge_g6(facts: Facts) -> Verdict:
    """Without such an event one email, although several executions ran at once."""
    met, sent = events(facts), Counter(email.booking for email in facts.emails)
    at_once = [
        booking
        for booking, runs in _accepted_runs(facts).items()
        if not met[booking] and _overlap(runs)
    ]
    broken = [
        f"{booking}: {count(sent[booking], 'email')} of executions that ran at once, without event"
        for booking in at_once
        if sent[booking] != 1
    ]
    counted = f"{count(len(at_once), 'booking')} whose executions ran at once, without event"
    return Verdict("G6", "runs at once send one email", len(at_once), counted, tuple(broken))


def _accepted_runs(facts: Facts) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = defaultdict(list)
    for run in facts.runs:
        if run.booking in facts.claims and run.error not in ("InvalidBooking", "BookingConflict"):
            runs[str(run.booking)].append(run)
    return runs


def _overlap(runs: list[Run]) -> bool:
    ordered = sorted(runs, key=lambda run: run.started_at)
    return any(
        before.stopped_at is None or after.started_at < before.stopped_at
        for before, after in pairwise(ordered)
    )
