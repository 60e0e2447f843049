"""What a storm says at its end: a table for people, or one JSON object."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from operations.screen import Screen, text
from storming.facts import Facts
from storming.judging import Verdict
from storming.judging.emails import events
from storming.plan import Kind

_VERDICTS = {
    True: text("held", "green"),
    None: text("not met", "yellow"),
    False: text("BROKEN", "bold red"),
}
_MOST_NAMED = 20  # breaches of one guarantee in the table; --json and --out have them all


@dataclass(frozen=True)
class Report:
    """``counts`` are in the order in which they are shown. ``trouble``: why the storm was cut
    short, if it was."""

    bookings: int
    seed: int
    seconds: float
    verdicts: Sequence[Verdict]
    counts: Mapping[str, int]
    trouble: str | None = None

    @property
    def held(self) -> bool:
        """That none is broken, whether all were put to the test or not."""
        return self.trouble is None and not any(verdict.broken for verdict in self.verdicts)

    @property
    def not_met(self) -> list[str]:
        """The guarantees that this storm could not have broken."""
        return [verdict.guarantee for verdict in self.verdicts if verdict.held is None]

    @property
    def command(self) -> str:
        return f"scripts/storm --bookings {self.bookings} --seed {self.seed}"

    def to_json(self) -> dict[str, Any]:
        return {
            "bookings": self.bookings,
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "held": self.held,
            "notMet": self.not_met,
            "trouble": self.trouble,
            "guarantees": [
                {
                    "guarantee": verdict.guarantee,
                    "promise": verdict.promise,
                    "held": verdict.held,
                    "counted": verdict.counted,
                    "broken": list(verdict.broken),
                }
                for verdict in self.verdicts
            ],
            "counts": dict(self.counts),
            "repeat": self.command,
        }


def counts(facts: Facts, done: Mapping[str, int]) -> dict[str, int]:
    """What happened. ``done``: what the storm and the healing counted of their own doing."""
    kinds = Counter(facts.publications[number].kind for number in facts.sent)
    ends = Counter(run.status for run in facts.runs)
    repeated = [email.booking for email in facts.emails]
    return {
        "messages": len(facts.sent),
        **{f"messages: {kind}": kinds[kind] for kind in Kind},
        "bookings accepted": len(facts.claims),
        "seats": len(facts.tickets),
        "executions": len(facts.runs),
        **{f"executions {status}": ends[status] for status in sorted(ends)},
        "retries": sum(run.retries for run in facts.runs),
        **done,
        "emails": len(repeated),
        "emails beyond the first": len(repeated) - len(set(repeated)),
        "events that may double an email": sum(events(facts).values()),
    }


def write(screen: Screen, report: Report) -> None:
    if screen.as_json:
        screen.json(report.to_json())
        return
    screen.table(["", "guarantee", "verdict", "counted"], [
        [
            text(verdict.guarantee),
            text(verdict.promise),
            _VERDICTS[verdict.held],
            text(verdict.counted),
        ]
        for verdict in report.verdicts
    ])  # fmt: skip
    for verdict in report.verdicts:
        for sentence in verdict.broken[:_MOST_NAMED]:
            screen.say(f"{verdict.guarantee} broken: ", sentence, style="red")
        more = len(verdict.broken) - _MOST_NAMED
        if more > 0:
            screen.say(f"{verdict.guarantee} broken: {more:,} more")
    if report.trouble:
        screen.say("Cut short: ", report.trouble, style="red")
    screen.say()
    screen.out.print(_counts(report.counts))
    screen.say()
    not_met = f" Not met: {', '.join(report.not_met)}." if report.not_met else ""
    screen.say(f"{report.seconds:.0f} s.{not_met} Again: ", report.command)


def _counts(counts: Mapping[str, int]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(justify="right")
    table.add_column()
    for what, number in counts.items():
        table.add_row(text(f"{number:,}"), text(what))
    return table


def dumped(report: Report) -> str:
    return json.dumps(report.to_json(), indent=2) + "\n"
