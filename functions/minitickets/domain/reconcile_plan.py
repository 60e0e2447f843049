"""What one reconciliation is to do: which dates, and how much it may mend by itself.

The plan is made once, at the execution's first step, and carried from then on: a deployment or a
redrive in the middle changes nothing of it.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, Self

from minitickets.errors import InvalidOptions

# With the longest ids, 500 seats are 90 KB of state, of 256 KiB; and their events, even if every
# one of them fails, leave room for the pages: tests/unit/test_reconcile_bounds.py.
MOST_REPAIRS = 500
# One Query's and 500 HEADs' worth: seconds of one invocation.
MOST_A_PAGE = 500
# As many dates as a run can have pages.
MOST_DAYS = 1000
# So that the day after a plan's last date is one that the calendar has.
_LATEST = date.max - timedelta(days=MOST_DAYS)
_OPTIONS = {"from", "to", "horizonDays", "allowMissing", "mostRepairs", "pageSize", "dryRun"}


class Plan(NamedTuple):
    """Dates are ``YYYY-MM-DD``, the last one included.

    ``allow_missing``: up to so many percent of a date's ready tickets may have lost their image;
    more, unless it is one ticket, is an outage or a wrong bucket, and no damage to mend.
    ``dry_run``: nothing is written.
    """

    first: str
    last: str
    allow_missing: int
    most_repairs: int = MOST_REPAIRS
    page_size: int = MOST_A_PAGE
    dry_run: bool = False

    @property
    def days(self) -> int:
        return (date.fromisoformat(self.last) - date.fromisoformat(self.first)).days + 1

    def to_json(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def from_json(cls, plan: Mapping[str, Any]) -> Self:
        return cls(**plan)


def make_plan(options: object, started_at: str, horizon_days: int, allow_missing: int) -> Plan:
    """The execution's input as a plan; ``horizon_days``, ``allow_missing`` where it is silent.

    ``{}`` is the daily run. Raises InvalidOptions, also for an option that there is not: a dry run
    must not become a real one by a misspelt name.
    """
    if not isinstance(options, dict):
        raise InvalidOptions("the execution's input is not a JSON object")
    unknown = sorted(options.keys() - _OPTIONS)
    if unknown:
        raise InvalidOptions(f"there is no option {', '.join(unknown)}")
    if {"to", "horizonDays"} <= options.keys():
        raise InvalidOptions("to and horizonDays exclude each other")
    # Yesterday, since an event's date is its local one: at most a day behind UTC's.
    yesterday = datetime.fromisoformat(started_at).astimezone(UTC).date() - timedelta(days=1)
    first = _date(options, "from", yesterday)
    horizon = _whole(options, "horizonDays", horizon_days, 0, MOST_DAYS - 1)
    last = _date(options, "to", first + timedelta(days=horizon))
    plan = Plan(
        first=first.isoformat(),
        last=last.isoformat(),
        allow_missing=_whole(options, "allowMissing", allow_missing, 0, 100),
        most_repairs=_whole(options, "mostRepairs", MOST_REPAIRS, 0, MOST_REPAIRS),
        page_size=_whole(options, "pageSize", MOST_A_PAGE, 1, MOST_A_PAGE),
        dry_run=_boolean(options, "dryRun"),
    )
    if not 1 <= plan.days <= MOST_DAYS:
        raise InvalidOptions(f"from {first} to {last} are not 1 to {MOST_DAYS} dates in order")
    return plan


def _date(options: Mapping[str, Any], name: str, default: date) -> date:
    value = options.get(name, default.isoformat())
    try:
        # fromisoformat takes other spellings of a date as well, which the index does not hold.
        read = date.fromisoformat(value) if isinstance(value, str) and len(value) == 10 else None
    except ValueError:
        read = None
    if read is None or read > _LATEST:
        raise InvalidOptions(f"{name} is no date YYYY-MM-DD up to {_LATEST}")
    return read


def _whole(options: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = options.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidOptions(f"{name} is no whole number from {least} to {most}")
    return value


def _boolean(options: Mapping[str, Any], name: str) -> bool:
    value = options.get(name, False)
    if not isinstance(value, bool):
        raise InvalidOptions(f"{name} is neither true nor false")
    return value
