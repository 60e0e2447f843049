"""When an event starts: as an exact instant, as a local date, and as people read it.

``starts_at`` is RFC 3339 (section 5.6) with an offset. Zones come out of the tzdata package alone,
never out of the system's files, so that every machine knows the same zones by the same names.
Names of days and months are English whatever the locale.
"""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import tzdata  # type: ignore[import-untyped]

# A path of our own: importlib.resources would double what this module's import costs a cold start.
_TZDATA = Path(tzdata.__file__).parent
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_RFC_3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.(?P<fraction>[0-9]+))?"
    r"(?:[Zz]|(?P<sign>[+-])(?P<hours>[01][0-9]|2[0-3]):(?P<minutes>[0-5][0-9]))"
)


class InvalidTimeError(ValueError):
    """The text says why, and never holds the value."""


class LocalStart(NamedTuple):
    """``Thursday 24 December 2026`` and ``19:30 CET (Europe/Berlin)``."""

    date_text: str
    time_text: str


def instant(starts_at: str) -> str:
    """One text for one instant: UTC, all of its fraction, no zeros at the fraction's end."""
    moment, fraction = _parse(starts_at)
    digits = fraction.rstrip("0")
    whole = moment.astimezone(UTC).replace(tzinfo=None).isoformat()
    return f"{whole}.{digits}Z" if digits else f"{whole}Z"


def zone(name: str) -> ZoneInfo:
    """The zone of exactly this name in the tzdata package; raises :class:`InvalidTimeError`."""
    # Membership before the file is opened: a name is never a path of its writer's choice.
    if name not in _zone_names():
        raise InvalidTimeError("is not a zone of the tzdata package")
    return _load(name)


def event_date(starts_at: str, time_zone: str | None) -> str:
    """``YYYY-MM-DD``, the date on the wall at the event."""
    return _local(starts_at, time_zone).date().isoformat()


def local_start(starts_at: str, time_zone: str | None) -> LocalStart:
    """What a ticket and an email say; seconds only where there are any, a fraction never."""
    local = _local(starts_at, time_zone)
    date_text = f"{_DAYS[local.weekday()]} {local.day} {_MONTHS[local.month - 1]} {local.year}"
    clock = local.time().isoformat("seconds" if local.second else "minutes")
    return LocalStart(date_text, f"{clock} {_zone_text(local, time_zone)}")


def _local(starts_at: str, time_zone: str | None) -> datetime:
    moment, _ = _parse(starts_at)
    return moment if time_zone is None else moment.astimezone(zone(time_zone))


def _parse(text: str) -> tuple[datetime, str]:
    """The moment to the whole second, in the offset as written, and the digits of its fraction."""
    match = _RFC_3339.fullmatch(text)
    if not match:
        raise InvalidTimeError("is not RFC 3339 with an offset or Z")
    year, month, day, hour, minute, second = (int(digits) for digits in match.groups()[:6])
    if second == 60:
        raise InvalidTimeError("is a leap second, which clocks and calendars here do not have")
    if not 2000 <= year <= 2999:
        raise InvalidTimeError("is out of the years 2000 to 2999")
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=_offset(match))
    except ValueError:
        raise InvalidTimeError("is no date or time of the calendar") from None
    return moment, match["fraction"] or ""


def _offset(match: re.Match[str]) -> tzinfo:
    if not match["sign"]:
        return UTC
    size = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
    return timezone(-size if match["sign"] == "-" else size)


def _zone_text(local: datetime, name: str | None) -> str:
    if name is None:
        return f"({_utc_offset(local)})"
    abbreviation = local.tzname() or ""
    if abbreviation.startswith(("+", "-")):  # "-03": nobody there has a shorter word for it
        abbreviation = _utc_offset(local)
    return f"({name})" if abbreviation == name else f"{abbreviation} ({name})"


def _utc_offset(local: datetime) -> str:
    """``UTC+05:30``, and ``UTC`` where the offset is nought."""
    return f"UTC{local.isoformat()[-6:]}" if local.utcoffset() else "UTC"


@cache
def _zone_names() -> frozenset[str]:
    return frozenset((_TZDATA / "zones").read_text(encoding="ascii").split())


@cache
def _load(name: str) -> ZoneInfo:
    with _TZDATA.joinpath("zoneinfo", name).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)
