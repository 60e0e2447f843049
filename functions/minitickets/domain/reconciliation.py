"""The bookkeeping of a reconciliation: which page comes next, what may be repaired, what is told.

It goes date by date and page by page. A date's tickets are repaired when all of its pages are read,
since only then is known how large a share has lost its image. A date that fails is set aside and
checked again at the end; what it had counted until then is forgotten. A date of which too much is
missing is noted, and ends the run behind all others; a redrive reads it again from its first page.
Nothing here grows with the number of pages.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from minitickets.domain.reconcile_plan import Plan
from minitickets.domain.reconcile_progress import Cursor, Progress, Refusal
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
# Dates that are mended for that alone, in one run: one image each of many more is an outage again.
MOST_SPARED = 10
# No date is begun or read on after so many: 7 events a page, so 7,000 of the execution's 25,000
# (tests/unit/test_reconcile_bounds.py). What was set aside is checked again all the same.
MOST_PAGES = 1000
_SHOWN_FAILURES = 20
_NAMED_DATES = 20


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


def ask(progress: Progress, plan: Plan, run: int) -> None:
    """Raise TooManyMissing, if nothing is left but dates that this run has read and refused.

    Ahead of a page, and not behind the last one of a date: a redrive gives the Task that failed the
    same input once more, and has to find the date unread.
    """
    if progress.again and progress.cursor is None and progress.refused:
        first = progress.refused[0]
        if (first.date, first.run) == (progress.date, run):
            raise TooManyMissing(_question(plan, *progress.refused))


def add_page(
    progress: Progress, plan: Plan, page: Checked, cursor: Cursor | None, run: int = 0
) -> Turn:
    """Add a page of the date; with its last page, hand over what is to be repaired.

    ``run``: how often the execution has been redriven.
    """
    budget = 0 if plan.dry_run else plan.most_repairs - progress.handed
    read = progress._replace(
        day=progress.day.plus(page.counts),
        found=(*progress.found, *page.found)[:budget],
        pages=progress.pages + 1,
        cursor=cursor,
    )
    if cursor is None:
        return _finish_date(read, plan, run)
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


def _finish_date(read: Progress, plan: Plan, run: int) -> Turn:
    day, date = read.day, read.reads
    others = tuple(each for each in read.refused if each.date != date)
    too_much = day.missing * 100 > plan.allow_missing * day.ready
    spared = too_much and day.missing <= MENDED_ANYWAY and read.spared < MOST_SPARED
    if too_much and not spared:
        refused = (*others, Refusal(date, day.missing, day.ready, run))
        return _turn(_next_date(_forget_date(read)._replace(refused=refused), plan))
    done = _forget_date(read)._replace(
        refused=others,
        spared=read.spared + spared,
        totals=read.totals.plus(day),
        dates=read.dates + 1,
        handed=read.handed + len(read.found),
    )
    return _turn(_next_date(done, plan), read.found)


def _question(plan: Plan, first: Refusal, *others: Refusal) -> str:
    named = ", ".join(each.date for each in others[:_NAMED_DATES])
    more = f" and {len(others) - _NAMED_DATES} more" if len(others) > _NAMED_DATES else ""
    return (
        f"{first.missing} of the {first.ready} images of {first.date} are missing, and up to "
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
        return progress._replace(date=progress.refused[0].date, again=True)
    return progress._replace(date=None, again=False)


def _turn(progress: Progress, seats: tuple[Seat, ...] = ()) -> Turn:
    if progress.date is None:
        return Turn(progress, REPORT, seats)
    return Turn(progress, CHECK_AGAIN if progress.again else CHECK, seats)


def _day_after(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
