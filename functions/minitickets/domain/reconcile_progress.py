"""How far a reconciliation has come: what one step of its execution hands to the next."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from minitickets.domain.ticket_check import Counts, Seat

Cursor = dict[str, str]


class Refusal(NamedTuple):
    """A date of which too much was missing, when the execution had been redriven ``run`` times."""

    date: str
    missing: int
    ready: int
    run: int


class Progress(NamedTuple):
    """How far a run has come. ``date`` is being read, None when nothing is left.

    ``again``: it had been set aside. ``cursor`` is where its next page begins; ``day`` and
    ``found`` are what its pages gave so far. ``ahead`` is the first date not begun. ``aside`` are
    the dates that failed, ``refused`` those of which too much was missing, ``spared`` counts those
    that one image alone was missing of, which was too large a share. ``dates`` counts those done,
    ``handed`` the seats that were to be repaired.
    """

    date: str | None
    ahead: str
    again: bool = False
    cursor: Cursor | None = None
    day: Counts = Counts()
    found: tuple[Seat, ...] = ()
    aside: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    spared: int = 0
    pages: int = 0
    dates: int = 0
    totals: Counts = Counts()
    handed: int = 0
    repaired: int = 0
    failed: int = 0
    failures: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        counts = {"day": self.day._asdict(), "totals": self.totals._asdict()}
        # Lambda's runtime client would make an object of each NamedTuple.
        return self._asdict() | counts | {"refused": [list(each) for each in self.refused]}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        counts = {name: Counts(**given[name]) for name in ("day", "totals")}
        lists = {name: tuple(given[name]) for name in ("found", "aside", "failures")}
        refused = tuple(Refusal(*each) for each in given["refused"])
        return cls(**{**given, **counts, **lists, "refused": refused})

    @property
    def reads(self) -> str:
        """The date being read, while there is one."""
        if self.date is None:
            raise ValueError("every date is done")
        return self.date
