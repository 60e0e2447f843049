"""Expected local times are worked out by hand from each zone's published rules:

Europe/Berlin leaves summer time on 25 October 2026 at 03:00 CEST and enters it on 28 March 2027 at
02:00 CET; America/New_York leaves it on 1 November 2026 at 02:00 EDT and enters it on 8 March 2026.
"""

import zoneinfo
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain import local_time
from minitickets.domain.local_time import (
    InvalidTimeError,
    LocalStart,
    event_date,
    instant,
    local_start,
    zone,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-12-24T18:30:00Z", "2026-12-24T18:30:00Z"),
        ("2026-12-24t18:30:00z", "2026-12-24T18:30:00Z"),
        ("2026-12-24T19:30:00+01:00", "2026-12-24T18:30:00Z"),
        ("2026-12-24T18:30:00.000Z", "2026-12-24T18:30:00Z"),
        ("2026-12-24T18:30:00+00:00", "2026-12-24T18:30:00Z"),
        ("2026-12-24T18:30:00-00:00", "2026-12-24T18:30:00Z"),
        ("2026-12-25T00:15:00+05:45", "2026-12-24T18:30:00Z"),
        ("2026-12-24T18:30:00.50Z", "2026-12-24T18:30:00.5Z"),
        ("2026-12-24T19:30:00.1234567890120+01:00", "2026-12-24T18:30:00.123456789012Z"),
        ("2026-12-24T18:30:00." + "1" * 5000 + "Z", "2026-12-24T18:30:00." + "1" * 5000 + "Z"),
        ("2000-01-01T00:00:00+23:59", "1999-12-31T00:01:00Z"),
        ("2999-12-31T23:59:59-23:59", "3000-01-01T23:58:59Z"),
        ("2028-02-29T12:00:00Z", "2028-02-29T12:00:00Z"),
    ],
)
def test_one_instant_has_one_text(written: str, expected: str) -> None:
    assert instant(written) == expected


def test_instants_a_billionth_of_a_nanosecond_apart_differ() -> None:
    assert instant("2026-12-24T18:30:00.000000000000000001Z") != instant("2026-12-24T18:30:00Z")


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("2026-12-24T19:30:00", "RFC 3339"),
        ("2026-12-24", "RFC 3339"),
        ("2026-12-24 19:30:00Z", "RFC 3339"),
        ("2026-12-24T19:30Z", "RFC 3339"),
        ("2026-12-24T19:30:00.Z", "RFC 3339"),
        ("2026-12-24T19:30:00,5Z", "RFC 3339"),
        ("2026-12-24T19:30:00+0100", "RFC 3339"),
        ("2026-12-24T19:30:00+01", "RFC 3339"),
        ("2026-12-24T19:30:00+24:00", "RFC 3339"),
        ("2026-12-24T19:30:00+01:60", "RFC 3339"),
        ("2026-12-24T19:30:00 +01:00", "RFC 3339"),
        ("2026-12-24T19:30:00\u221201:00", "RFC 3339"),  # a minus sign, not a hyphen
        ("2026-12-24T19:30:00Z\n", "RFC 3339"),
        (" 2026-12-24T19:30:00Z", "RFC 3339"),
        ("2026-12-24T19:30:00ZZ", "RFC 3339"),
        ("20261224T193000Z", "RFC 3339"),
        ("2026-W52-4T19:30:00Z", "RFC 3339"),
        ("+2026-12-24T19:30:00Z", "RFC 3339"),
        ("12026-12-24T19:30:00Z", "RFC 3339"),
        ("\u0662026-12-24T19:30:00Z", "RFC 3339"),
        ("202\u0666-12-24T19:30:00Z", "RFC 3339"),
        ("", "RFC 3339"),
        ("2026-12-24T23:59:60Z", "leap second"),
        ("2016-12-31T23:59:60Z", "leap second"),
        ("1999-12-31T23:59:59Z", "2000 to 2999"),
        ("3000-01-01T00:00:00Z", "2000 to 2999"),
        ("0000-01-01T00:00:00Z", "2000 to 2999"),
        ("2026-02-29T12:00:00Z", "calendar"),
        ("2100-02-29T12:00:00Z", "calendar"),
        ("2026-04-31T12:00:00Z", "calendar"),
        ("2026-13-01T12:00:00Z", "calendar"),
        ("2026-00-01T12:00:00Z", "calendar"),
        ("2026-12-00T12:00:00Z", "calendar"),
        ("2026-12-24T24:00:00Z", "calendar"),
        ("2026-12-24T12:60:00Z", "calendar"),
        ("2026-12-24T12:00:61Z", "calendar"),
    ],
)
def test_what_is_no_start_is_refused_with_its_reason(written: str, reason: str) -> None:
    with pytest.raises(InvalidTimeError, match=reason):
        instant(written)


@pytest.mark.parametrize(
    ("starts_at", "time_zone", "expected"),
    [
        ("2026-12-24T19:30:00+01:00", "Europe/Berlin", "2026-12-24"),
        ("2026-12-24T23:30:00Z", "Europe/Berlin", "2026-12-25"),
        ("2026-12-24T23:30:00Z", None, "2026-12-24"),
        ("2026-12-24T23:30:00-10:00", None, "2026-12-24"),
        ("2026-07-01T22:30:00Z", "Europe/Berlin", "2026-07-02"),
        ("2026-07-01T21:59:59.999Z", "Europe/Berlin", "2026-07-01"),
        # One instant, on the two sides of the date line.
        ("2026-12-31T10:30:00Z", "Pacific/Kiritimati", "2027-01-01"),
        ("2026-12-31T10:30:00Z", "Pacific/Pago_Pago", "2026-12-30"),
        # Samoa had no 30 December 2011.
        ("2011-12-30T09:59:59Z", "Pacific/Apia", "2011-12-29"),
        ("2011-12-30T10:00:00Z", "Pacific/Apia", "2011-12-31"),
        ("2000-01-01T00:00:00Z", "America/New_York", "1999-12-31"),
        ("2999-12-31T23:59:59Z", "Asia/Kolkata", "3000-01-01"),
    ],
)
def test_the_event_date_is_the_date_at_the_event(
    starts_at: str, time_zone: str | None, expected: str
) -> None:
    assert event_date(starts_at, time_zone) == expected


@pytest.mark.parametrize(
    ("starts_at", "time_zone", "date_text", "time_text"),
    [
        (
            "2026-12-24T19:30:00+01:00",
            "Europe/Berlin",
            "Thursday 24 December 2026",
            "19:30 CET (Europe/Berlin)",
        ),
        (
            "2026-07-01T18:00:00Z",
            "Europe/Berlin",
            "Wednesday 1 July 2026",
            "20:00 CEST (Europe/Berlin)",
        ),
        # The hour that Berlin has twice, told apart.
        (
            "2026-10-25T00:30:00Z",
            "Europe/Berlin",
            "Sunday 25 October 2026",
            "02:30 CEST (Europe/Berlin)",
        ),
        (
            "2026-10-25T01:30:00Z",
            "Europe/Berlin",
            "Sunday 25 October 2026",
            "02:30 CET (Europe/Berlin)",
        ),
        # The minute before and the one after summer time begins.
        (
            "2027-03-28T00:59:00Z",
            "Europe/Berlin",
            "Sunday 28 March 2027",
            "01:59 CET (Europe/Berlin)",
        ),
        (
            "2027-03-28T01:00:00Z",
            "Europe/Berlin",
            "Sunday 28 March 2027",
            "03:00 CEST (Europe/Berlin)",
        ),
        (
            "2026-03-08T07:00:00Z",
            "America/New_York",
            "Sunday 8 March 2026",
            "03:00 EDT (America/New_York)",
        ),
        (
            "2026-11-01T05:30:00Z",
            "America/New_York",
            "Sunday 1 November 2026",
            "01:30 EDT (America/New_York)",
        ),
        (
            "2026-11-01T06:30:00Z",
            "America/New_York",
            "Sunday 1 November 2026",
            "01:30 EST (America/New_York)",
        ),
        (
            "2026-12-24T18:30:00Z",
            "Asia/Kolkata",
            "Friday 25 December 2026",
            "00:00 IST (Asia/Kolkata)",
        ),
        # A zone without an abbreviation of letters.
        (
            "2026-12-24T18:30:00Z",
            "America/Sao_Paulo",
            "Thursday 24 December 2026",
            "15:30 UTC-03:00 (America/Sao_Paulo)",
        ),
        (
            "2026-12-24T18:30:00Z",
            "Asia/Kathmandu",
            "Friday 25 December 2026",
            "00:15 UTC+05:45 (Asia/Kathmandu)",
        ),
        # The Azores, nought hours from UTC in summer.
        (
            "2026-07-01T18:00:00Z",
            "Atlantic/Azores",
            "Wednesday 1 July 2026",
            "18:00 UTC (Atlantic/Azores)",
        ),
        ("2026-12-24T19:30:00+01:00", None, "Thursday 24 December 2026", "19:30 (UTC+01:00)"),
        ("2026-12-24T19:30:00-09:30", None, "Thursday 24 December 2026", "19:30 (UTC-09:30)"),
        ("2026-12-24T18:30:00Z", None, "Thursday 24 December 2026", "18:30 (UTC)"),
        ("2026-12-24T18:30:00-00:00", None, "Thursday 24 December 2026", "18:30 (UTC)"),
        ("2026-12-24T18:30:00Z", "UTC", "Thursday 24 December 2026", "18:30 (UTC)"),
        ("2026-12-24T18:30:00Z", "Etc/UTC", "Thursday 24 December 2026", "18:30 UTC (Etc/UTC)"),
        # Seconds where there are any; a fraction never.
        ("2026-12-24T18:30:07Z", None, "Thursday 24 December 2026", "18:30:07 (UTC)"),
        ("2026-12-24T18:30:00.999Z", None, "Thursday 24 December 2026", "18:30 (UTC)"),
        # Beyond the transitions a zone file lists, its rule for the future holds.
        (
            "2099-07-01T18:00:00Z",
            "Europe/Berlin",
            "Wednesday 1 July 2099",
            "20:00 CEST (Europe/Berlin)",
        ),
    ],
)
def test_people_read_the_local_time_and_its_zone(
    starts_at: str, time_zone: str | None, date_text: str, time_text: str
) -> None:
    assert local_start(starts_at, time_zone) == LocalStart(date_text, time_text)


@pytest.fixture
def system_zones(tmp_path: Path) -> Iterator[Path]:
    """The folder of a machine's own zone files, empty at first."""
    paths = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(to=[tmp_path])
    local_time._load.cache_clear()
    zoneinfo.ZoneInfo.clear_cache()
    yield tmp_path
    zoneinfo.reset_tzpath(to=paths)
    local_time._load.cache_clear()
    zoneinfo.ZoneInfo.clear_cache()


def test_zones_are_there_on_a_system_without_any(system_zones: Path) -> None:
    assert list(system_zones.iterdir()) == []
    assert event_date("2026-12-24T23:30:00Z", "Europe/Berlin") == "2026-12-25"


def test_another_rule_on_the_system_changes_nothing(system_zones: Path) -> None:
    (system_zones / "Europe").mkdir()
    tokyo = (local_time._TZDATA / "zoneinfo" / "Asia" / "Tokyo").read_bytes()
    (system_zones / "Europe" / "Berlin").write_bytes(tokyo)
    assert local_start("2026-12-24T18:30:00Z", "Europe/Berlin").time_text.startswith("19:30 CET")


def test_every_zone_of_the_package_loads() -> None:
    for name in local_time._zone_names():
        assert zone(name).key == name
        assert local_start("2026-07-01T18:00:00Z", name).time_text.endswith(f"({name})")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Mars/Olympus",
        "europe/berlin",
        "EUROPE/BERLIN",
        "Europe/Berlin ",
        "Europe/Berlin\n",
        "Europe",
        "Europe/",
        "../zones",
        "/etc/localtime",
        "Europe/../Europe/Berlin",
        "zone.tab",
        "tzdata.zi",
        "posix/Europe/Berlin",
        "localtime",
        "CET-1CEST",
        "UTC+1",
        "+01:00",
        "Europe\\Berlin",
        "Europe/Berlin\x00",
        "\ud800",
    ],
)
def test_a_name_is_a_zone_only_if_the_package_lists_it_exactly(name: str) -> None:
    with pytest.raises(InvalidTimeError):
        zone(name)


def test_names_are_english_whatever_the_locale(monkeypatch) -> None:
    class Foreign(datetime):
        def strftime(self, _: str) -> str:
            raise AssertionError("strftime follows the locale")

    monkeypatch.setattr(local_time, "datetime", Foreign)
    months = [
        local_start(f"2026-{month:02d}-01T00:00:00Z", None).date_text.split()[2]
        for month in range(1, 13)
    ]
    assert months[:4] == ["January", "February", "March", "April"]
    assert months[4:8] == ["May", "June", "July", "August"]
    assert months[8:] == ["September", "October", "November", "December"]


moments = st.datetimes(
    datetime(2000, 1, 2),  # noqa: DTZ001 (the strategy wants them naive)
    datetime(2999, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
)
offsets = st.integers(-1439, 1439)


@given(moments, offsets, st.integers(0, 3))
def test_offset_case_and_zeros_never_change_the_instant(
    moment: datetime, offset: int, zeros: int
) -> None:
    there = moment.astimezone(timezone(timedelta(minutes=offset)))
    text = there.isoformat(timespec="microseconds")
    padded = text[:26] + "0" * zeros + text[26:]
    plain = moment.isoformat(timespec="microseconds").replace("+00:00", "Z").lower()
    assert instant(padded) == instant(plain)


@given(moments, moments)
def test_other_instants_have_other_texts(one: datetime, other: datetime) -> None:
    assert (instant(one.isoformat()) == instant(other.isoformat())) == (one == other)


@given(st.text() | st.text(alphabet="0123456789-:.+TZtz", max_size=30), st.text())
def test_any_text_is_read_or_refused_and_nothing_else_is_raised(text: str, name: str) -> None:
    for call in (lambda: instant(text), lambda: zone(name), lambda: local_start(text, name)):
        reason = ""
        try:
            call()
        except InvalidTimeError as error:
            reason = str(error)
        assert len(reason) < 80
