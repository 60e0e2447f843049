"""Small facts in which every guarantee held, to be broken one at a time."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from storming.facts import Claim, Email, EmailJob, Facts, Failure, Run, Ticket, Write
from storming.plan import Identity, Kind, Publication

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
IDENTITY = Identity("usr_1", "evt_1", datetime(2027, 1, 2, 19, tzinfo=UTC), 2)
OTHER = IDENTITY._replace(user_id="usr_2")
SHOWN = ("Winter Gala", None, "Europe/Berlin")
TOKENS = ("A" * 26, "B" * 26)
ADDRESS = "kim@example.org"


def publication(number: int, kind: Kind = Kind.FIRST, **changes: Any) -> Publication:
    made = Publication(number, kind, "{}", "bk_1", IDENTITY, ADDRESS)
    return replace(made, **changes)


def ticket(seat: int, **changes: Any) -> Ticket:
    id_ = f"bk_1-{seat:05d}"
    made = Ticket(
        "usr_1", id_, "bk_1", seat, IDENTITY, SHOWN, "ready", f"2026-11-30T12:00:0{seat}Z",
        f"tickets/bk_1/{id_}.png", TOKENS[seat - 1],
    )  # fmt: skip
    return replace(made, **changes)


def run(number: int, **changes: Any) -> Run:
    """A run of publication ``number``, each an hour after the one before, for a second."""
    start = NOON + timedelta(hours=number)
    made = Run(
        f"arn:{number}", "SUCCEEDED", None, f"m{number}", number, "bk_1", start,
        start + timedelta(seconds=1),
    )  # fmt: skip
    return replace(made, **changes)


def writes(of: Ticket) -> tuple[Write, ...]:
    return (
        Write("INSERT", of.token, of.created_at),
        Write("MODIFY", of.token, of.created_at),
    )


def facts(**changes: Any) -> Facts:
    """One booking of two seats: published, published again, contradicted; and a broken message."""
    tickets = (ticket(1), ticket(2))
    conflict = publication(3, Kind.CONFLICT, identity=OTHER)
    broken = publication(4, Kind.INVALID, booking="bk_x", identity=None, email=None)
    made = Facts(
        publications={1: publication(1), 2: publication(2, Kind.AGAIN), 3: conflict, 4: broken},
        sent={1: "m1", 2: "m2", 3: "m3", 4: "m4"},
        runs=(
            run(1, wrote=frozenset({1, 2}), acknowledged=("ses-1",)),
            run(2, skipped=frozenset({1, 2})),
            run(3, status="FAILED", error="BookingConflict", failure=failure("BookingConflict")),
            run(4, status="FAILED", error="InvalidBooking", booking="bk_x"),
        ),
        tickets=tickets,
        writes={each.key: writes(each) for each in tickets},
        claims={"bk_1": Claim("bk_1", IDENTITY, SHOWN)},
        jobs={"bk_1": EmailJob("done")},
        objects={each.image_key: f"MT1.{each.ticket_id}.{each.token}" for each in tickets},
        emails=(Email("bk_1", "ses-1", ADDRESS),),
        scanned={"log lines": 12},
    )
    return replace(made, **changes)


def failure(error: str, unfinished: Iterable[int | None] = (), grace: float = 0.0) -> Failure:
    """By seat 1, in a booking of two."""
    left = frozenset(unfinished)
    return Failure(error, frozenset({1}), frozenset({2, None}) - left, left, grace)


def with_run(found: Facts, number: int, **changes: Any) -> Facts:
    """The same facts, the run of publication ``number`` changed."""
    runs = tuple(
        replace(each, **changes) if each.publication == number else each for each in found.runs
    )
    return replace(found, runs=runs)
