"""What a clock on the wall shows, by the C library: it reads the same zone files with code of its
own (``TZ=:/path/to/file``, as POSIX systems have it), and formats the time itself.
"""

import importlib.resources
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

DAY = 86_400
# The first and the last second of the years that a message may name.
FIRST, LAST = 946_684_800, 32_503_679_999
TZDATA = Path(str(importlib.resources.files("tzdata")))
ZONES = tuple((TZDATA / "zones").read_text("ascii").split())


class Wall(NamedTuple):
    """``2026-12-24``, ``Thursday 24 December 2026`` and ``19:30 CET (Europe/Berlin)``."""

    date: str
    date_text: str
    time_text: str


def wall(epoch: int, zone: str | None, offset: int = 0) -> Wall:
    """At the instant ``epoch`` in ``zone``, or ``offset`` minutes east of UTC without one."""
    if zone is None:
        return _wall(time.gmtime(epoch + 60 * offset), f"({_utc(offset)})")
    with _clock_of(zone):
        there = time.localtime(epoch)
    short = there.tm_zone
    if short.startswith(("+", "-")):  # the zone files' way to say: no abbreviation
        short = _utc(there.tm_gmtoff // 60)
    return _wall(there, f"({zone})" if short == zone else f"{short} ({zone})")


@cache
def changes(zone: str, first_year: int, last_year: int) -> tuple[int, ...]:
    """The instants within these years at which the zone's clocks, or their name, change."""
    start, end = (int((year - 1970) * 365.2425 * DAY) for year in (first_year, last_year + 1))
    with _clock_of(zone):
        weeks = range(start, end, 7 * DAY)
        return tuple(
            _change(week, week + 7 * DAY) for week in weeks if _rule(week) != _rule(week + 7 * DAY)
        )


def rfc_3339(epoch: int, offset: int) -> str:
    """The whole second ``epoch`` as ``2026-12-24T19:30:00+01:00``."""
    there = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(epoch + 60 * offset))
    return there + numeric(offset)


def numeric(offset: int) -> str:
    """``+05:30``"""
    hours, minutes = divmod(abs(offset), 60)
    return f"{'-' if offset < 0 else '+'}{hours:02d}:{minutes:02d}"


def _utc(offset: int) -> str:
    return f"UTC{numeric(offset)}" if offset else "UTC"


def _wall(there: time.struct_time, zone_text: str) -> Wall:
    clock = time.strftime("%H:%M:%S" if there.tm_sec else "%H:%M", there)
    return Wall(
        time.strftime("%Y-%m-%d", there),
        # Nobody sets a locale here, so the names are those of the C locale: English.
        f"{time.strftime('%A', there)} {there.tm_mday} {time.strftime('%B %Y', there)}",
        f"{clock} {zone_text}",
    )


@contextmanager
def _clock_of(zone: str) -> Iterator[None]:
    before = os.environ.get("TZ")
    _set_clock(f":{TZDATA / 'zoneinfo' / zone}")
    try:
        yield
    finally:
        _set_clock(before)


def _set_clock(rule: str | None) -> None:
    if rule is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = rule
    time.tzset()


def _rule(epoch: int) -> tuple[int, str]:
    there = time.localtime(epoch)
    return there.tm_gmtoff, there.tm_zone


def _change(before: int, after: int) -> int:
    """The first second of the rule of ``after``."""
    while after - before > 1:
        middle = (before + after) // 2
        before, after = (middle, after) if _rule(middle) == _rule(before) else (before, middle)
    return after
