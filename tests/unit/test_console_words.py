"""What a page leaves out, and how it writes times and spans."""

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from console.privacy import masked
from console.words import clock, many, moment, span


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pat@example.com", "…@example.com"),
        ('{"email": "pat@example.com"}', '{"email": "…@example.com"}'),
        # An execution's input holds the message as JSON in a string.
        (r'[{"body": "{\"email\": \"p.a+t@example.com\"}"}]',
         r'[{"body": "{\"email\": \"…@example.com\"}"}]'),
        ("Pat <pat@example.com>, kim@example.org", "Pat <…@example.com>, …@example.org"),
        ("zoë@exämple.com", "…@exämple.com"),
        ("a@b@c.example", "…@…@c.example"),
        ('to "john doe"@c.example', 'to "…@c.example'),
        (r"pat\u0040example.com", r"…\u0040example.com"),
        (r'\"pat\\u0040example.com\"', r'\"…\\u0040example.com\"'),
        ("Seat 2 of 4 @ Tempodrom", "Seat 2 of 4 @ Tempodrom"),
    ],
)  # fmt: skip
def test_no_page_shows_whose_address_it_is(text, shown):
    assert masked(text) == shown


@pytest.mark.parametrize("text", ["a" * 200_000, "a@" * 50_000, '"' * 100_000, "@" * 100_000])
def test_no_message_makes_the_masking_slow(text):
    """It runs where all pages are served. A second is far above what it needs: milliseconds."""
    started = time.process_time()
    masked(text)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-1, "0.0 s"), (0.44, "0.4 s"), (9.94, "9.9 s"), (12.4, "12 s"), (59.6, "1 min 0 s"),
        (185, "3 min 5 s"), (7_800, "2 h 10 min"), (273_600, "3 d 4 h"),
    ],
)  # fmt: skip
def test_a_span_is_read_in_its_two_largest_units(seconds, words):
    assert span(timedelta(seconds=seconds)) == words


def test_times_are_utc_wherever_the_instant_was_written():
    instant = datetime(2026, 12, 1, 0, 30, 5, tzinfo=timezone(timedelta(hours=2)))
    assert clock(instant) == "22:30:05"
    assert moment(instant) == "2026-11-30 22:30:05 UTC"
    assert clock(None) == moment(None) == ""
    assert datetime(2026, 11, 30, 22, 30, 5, tzinfo=UTC) == instant


def test_one_is_not_written_as_many():
    assert [many(n, "attempt") for n in (0, 1, 2)] == ["0 attempts", "1 attempt", "2 attempts"]
