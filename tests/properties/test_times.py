"""Local dates and times, held against the C library's own reading of the zone files."""

import pytest
from hypothesis import strategies as st

from minitickets.domain.local_time import event_date, local_start
from properties.civil_time import (
    DAY,
    FIRST,
    LAST,
    TZDATA,
    ZONES,
    Wall,
    changes,
    numeric,
    rfc_3339,
    wall,
)
from properties.for_all import for_all

offsets = st.integers(-1439, 1439)
HOUR = 3600
# Where clocks do what they do elsewhere, or not: half an hour or two of summer time, 45 minutes
# from everybody, winter time that is the odd one, summer time broken off for Ramadan, a day left
# out, a new standard time, a change on a Friday, no change at all.
ODD = (
    "Africa/Cairo", "Africa/Casablanca", "America/Caracas", "America/New_York", "America/Nuuk",
    "America/St_Johns", "Antarctica/Troll", "Asia/Gaza", "Asia/Kathmandu", "Asia/Kolkata",
    "Asia/Pyongyang", "Asia/Tehran", "Australia/Eucla", "Australia/Lord_Howe", "Europe/Berlin",
    "Europe/Dublin", "Pacific/Apia", "Pacific/Chatham", "Pacific/Marquesas", "UTC",
)  # fmt: skip
YEARS = ((2000, 2045), (2399, 2401), (2998, 2998))


def shown(starts_at: str, zone: str | None) -> Wall:
    return Wall(event_date(starts_at, zone), *local_start(starts_at, zone))


@for_all(
    st.integers(FIRST, LAST) | st.integers(FIRST, FIRST + 100 * 366 * 86_400),
    offsets,
    st.sampled_from(ZONES),
    quick=300,
    deep=600,
)
def test_the_wall_at_the_event_shows_what_the_ticket_says(
    local: int, offset: int, zone: str
) -> None:
    """Whatever the offset in which the message was written."""
    epoch = local - 60 * offset
    assert shown(rfc_3339(epoch, offset), zone) == wall(epoch, zone)


@for_all(st.integers(FIRST, LAST), offsets, quick=200, deep=500)
def test_without_a_zone_the_offset_of_the_message_is_the_wall(local: int, offset: int) -> None:
    epoch = local - 60 * offset
    assert shown(rfc_3339(epoch, offset), None) == wall(epoch, None, offset)
    assert numeric(offset) in shown(rfc_3339(epoch, offset), None).time_text or offset == 0


def hold_around_every_change(zone: str) -> int:
    found = [change for years in YEARS for change in changes(zone, *years)]
    for change in (FIRST + DAY, *found, LAST - DAY):
        for away in (-2 * HOUR, -HOUR, -1800, -1, 0, 1, 900, 1800, HOUR, 2 * HOUR):
            epoch = change + away
            assert shown(rfc_3339(epoch, 0), zone) == wall(epoch, zone)
    return len(found)


@pytest.mark.parametrize("zone", ODD)
def test_around_every_change_of_odd_clocks_the_wall_and_the_ticket_agree(zone: str) -> None:
    found = hold_around_every_change(zone)
    # Two changes a year since 2000, all of them found, and none where clocks never change.
    assert zone != "Europe/Berlin" or found == 2 * (46 + 3 + 1)
    assert zone not in ("UTC", "Asia/Kolkata", "Pacific/Marquesas") or found == 0


def one_of_each() -> list[str]:
    """Without the second names of a zone, whose files are the same."""
    return list({(TZDATA / "zoneinfo" / zone).read_bytes(): zone for zone in ZONES}.values())


@pytest.mark.slow
def test_around_every_change_of_every_zone_the_wall_and_the_ticket_agree() -> None:
    assert sum(map(hold_around_every_change, one_of_each())) > 10_000
