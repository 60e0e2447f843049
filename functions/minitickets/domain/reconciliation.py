"""The bookkeeping of a reconciliation: which page comes next, what may be repaired, what is told.

It goes date by date and page by page. A date's tickets are repaired when all of its pages are read,
since only then is known how large a share has lost its image. A date that fails is set aside and
checked again at the end; what it had counted until then is forgotten. So is a date of which too
much is missing, behind all others: what is still so then ends the run. Nothing here grows with the
number of pages.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple, Self

from minitickets.domain.reconcile_plan import Plan
from minitickets.domain.ticket_check import Checked, Counts, Seat
from minitickets.errors import TooManyMissing

CHECK, CHECK_AGAIN, REPAIR, REPORT = "check", "checkAgain", "repair", "report"
# More dates that fail are no accident of one page: the run goes to the first of them and ends there
# if it fails again, instead of waiting through the retries of every date. Where too much is missing
# a date does not count: it was read like any other, without a retry.
MOST_ASIDE = 5
# Of any date, whatever its share: one image alone is no outage, and of fewer than ten tickets it
# would be more than a tenth, so that nobody but an operator could ever bring it back.
MENDED_ANYWAY = 1
# No date is begun or read on after so many: 7 events a page, so 7,000 of the execution's 25,000
# (tests/unit/test_reconcile_bounds.py). What was set aside is checked again all the same.
MOST_PAGES = 1000
_SHOWN_FAILURES = 20
_NAMED_DATES = 20

Cursor = dict[str, str]


class Progress(NamedTuple):
    """How far a run has come. ``date`` is being read, None when nothing is left.

    ``again``: it had been set aside. ``cursor`` is where its next page begins; ``day`` and
    ``found`` are what its pages gave so far. ``ahead`` is the first date not begun. ``aside`` are
    the dates that failed, ``refused`` those of which too much was missing. ``dates`` counts those
    done, ``handed`` the seats that were to be repaired.
    """

    date: str | None
    ahead: str
    again: bool = False
    cursor: Cursor | None = None
    day: Counts = Counts()
    found: tuple[Seat, ...] = ()
    aside: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    pages: int = 0
    dates: int = 0
    totals: Counts = Counts()
    handed: int = 0
    repaired: int = 0
    failed: int = 0
    failures: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        counts = {"day": self.day._asdict(), "totals": self.totals._asdict()}
        return self._asdict() | counts

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        counts = {name: Counts(**given[name]) for name in ("day", "totals")}
        lists = {name: tuple(given[name]) for name in ("found", "aside", "refused", "failures")}
        return cls(**{**given, **counts, **lists})

    @property
    def reads(self) -> str:
        """The date being read, while there is one."""
        if self.date is None:
            raise ValueError("every date is done")
        return self.date


class Turn(NamedTuple):
    """What a step decided: ``then`` comes next, after ``seats`` are repaired if there are any."""

    progress: Progress
    then: str
    seats: tuple[Seat, ...]


def begin(plan: Plan) -> Progress:
    return Progress(plan.first, _day_after(plan.first))


def count_outcomes(progress: Progress, outcomes: Sequence[Mapping[str, Any]]) -> Progress:
    """Count what came of the seats handed over: ``{"failed": error, …}`` of one that failed."""
    failures = [outcome for outcome in outcomes if "failed" in outcome]
    return progress._replace(
        repaired=progress.repaired + len(outcomes) - len(failures),
        failed=progress.failed + len(failures),
        failures=(*progress.failures, *failures)[:_SHOWN_FAILURES],
    )


def add_page(progress: Progress, plan: Plan, page: Checked, cursor: Cursor | None) -> Turn:
    """Add a page of the date; with its last page, hand over what is to be repaired.

    Raises TooManyMissing, once nothing but dates of that kind is left.
    """
    budget = 0 if plan.dry_run else plan.most_repairs - progress.handed
    read = progress._replace(
        day=progress.day.plus(page.counts),
        found=(*progress.found, *page.found)[:budget],
        pages=progress.pages + 1,
        cursor=cursor,
    )
    if cursor is None:
        return _finish_date(read, plan)
    if read.pages >= MOST_PAGES and not read.again:
        return _turn(_next_date(_forget_date(read), plan))
    return _turn(read)


def set_aside(progress: Progress, plan: Plan) -> Turn:
    """Leave the date for the end, and go on with another."""
    aside = (*progress.aside, progress.reads)
    return _turn(_next_date(_forget_date(progress)._replace(aside=aside), plan))


def report(progress: Progress, plan: Plan) -> dict[str, Any]:
    """What the execution gives as its output.

    ``left`` were found and not repaired for the run's budget, or since it was a dry run;
    ``datesLeft`` were not reached for the run's pages.
    """
    return {
        "from": plan.first,
        "to": plan.last,
        "dryRun": plan.dry_run,
        "dates": progress.dates,
        "datesLeft": plan.days - progress.dates,
        **progress.totals._asdict(),
        "repaired": progress.repaired,
        "failed": progress.failed,
        "left": progress.totals.found - progress.repaired - progress.failed,
        "failures": list(progress.failures),
    }


def _finish_date(read: Progress, plan: Plan) -> Turn:
    date, others = read.reads, tuple(day for day in read.refused if day != read.reads)
    if _is_outage(read.day, plan):
        if date in read.refused:
            raise TooManyMissing(_ask(read, plan, others))
        return _turn(_next_date(_forget_date(read)._replace(refused=(*others, date)), plan))
    done = _forget_date(read)._replace(
        refused=others,
        totals=read.totals.plus(read.day),
        dates=read.dates + 1,
        handed=read.handed + len(read.found),
    )
    return _turn(_next_date(done, plan), read.found)


def _is_outage(day: Counts, plan: Plan) -> bool:
    return day.missing > MENDED_ANYWAY and day.missing * 100 > plan.allow_missing * day.ready


def _ask(read: Progress, plan: Plan, others: tuple[str, ...]) -> str:
    named = ", ".join(others[:_NAMED_DATES])
    more = f" and {len(others) - _NAMED_DATES} more" if len(others) > _NAMED_DATES else ""
    return (
        f"{read.day.missing} of the {read.day.ready} images of {read.reads} are missing, and up to "
        f"{plan.allow_missing} % are mended without asking: is the bucket the right one? "
        + (f"Too many were missing of {named}{more} as well. " if others else "")
        + "Nothing of these dates was rewritten. If they are to be drawn anew, start a "
        "reconciliation of each with a higher allowMissing"
    )


def _forget_date(progress: Progress) -> Progress:
    return progress._replace(cursor=None, day=Counts(), found=())


def _next_date(progress: Progress, plan: Plan) -> Progress:
    may_begin = progress.ahead <= plan.last and progress.pages < MOST_PAGES
    if may_begin and len(progress.aside) < MOST_ASIDE:
        return progress._replace(date=progress.ahead, ahead=_day_after(progress.ahead), again=False)
    if progress.aside:
        first, *others = progress.aside
        return progress._replace(date=first, aside=tuple(others), again=True)
    if progress.refused:
        return progress._replace(date=progress.refused[0], again=True)
    return progress._replace(date=None, again=False)


def _turn(progress: Progress, seats: tuple[Seat, ...] = ()) -> Turn:
    if progress.date is None:
        return Turn(progress, REPORT, seats)
    return Turn(progress, CHECK_AGAIN if progress.again else CHECK, seats)


def _day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
