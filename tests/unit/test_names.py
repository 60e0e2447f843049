import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.names import accept_name, header_safe, shorten

EVERY_CHARACTER = "".join(map(chr, range(sys.maxunicode + 1)))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Winter Gala", "Winter Gala"),
        ("Gala\r\nBcc: x@evil.example", "Gala  Bcc: x@evil.example"),
        ("a\x00b\x1bc\x7fd\x85e\x9ff", "a b c d e f"),
        ("a\u2028b\u2029c", "a b c"),
        ("\t \u00a0\u3000\u2003Gala\u205f\n\x1f", "Gala"),
        ("a  b", "a  b"),
        ("Zoe\u0308", "Zoë"),
        ("\u212bngstro\u0308m", "Ångström"),
        ("\u1112\u1161\u11ab", "한"),
        ("ﬁ ① ｇ", "ﬁ ① ｇ"),  # NFC, not NFKC
        ("👩\u200d👩\u200d👧 می\u200cخواهم", "👩\u200d👩\u200d👧 می\u200cخواهم"),
        ("\u202eabc", "\u202eabc"),
        ("x" * 200, "x" * 200),
        (" " * 50_000 + "x" * 200, "x" * 200),
        ("e\u0301" * 200, "é" * 200),
        ("\U0001f3ab" * 200, "\U0001f3ab" * 200),
        ("\u0378", "\u0378"),  # unassigned today
    ],
)
def test_a_name_is_on_one_line_composed_and_trimmed(written: str, name: str) -> None:
    assert accept_name(written) == name


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "blank"),
        ("   ", "blank"),
        ("\r\n\u2028\x85\u00a0\u3000", "blank"),
        ("y" * 201, "too long"),
        ("\U0001f3ab" * 201, "too long"),
        ("\u0344" * 101, "too long"),  # NFC makes two of each
        ("\u200b", "visible"),
        ("\ufeff \u2060", "visible"),
        ("\u202e\u202c", "visible"),
        ("\u3164", "visible"),
        ("\u2800\u034f\ufe0f", "visible"),
        # Unassigned, and to be drawn as nothing: the email would have shown no name.
        ("\U000e0000", "visible"),
        ("\u2065", "visible"),
        ("\ufff0\U000e0080\U000e0fff", "visible"),
    ],
)
def test_a_name_nobody_can_read_or_too_long_is_refused(written: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        accept_name(written)


def test_a_name_of_the_longest_decompositions_is_accepted_composed() -> None:
    assert accept_name("\u03b1\u0313\u0300\u0345" * 200) == "\u1f82" * 200


def test_thousands_of_accents_on_one_letter_cost_no_time() -> None:
    before = time.process_time()
    with pytest.raises(ValueError, match="too long"):
        accept_name("a" + "\u0301" * 16_000 + "\u0323" * 16_000)
    assert time.process_time() - before < 0.1


@given(st.text())
def test_an_accepted_name_is_accepted_again_unchanged(text: str) -> None:
    try:
        name = accept_name(text)
    except ValueError:
        return
    assert accept_name(name) == name
    assert not {unicodedata.category(character) for character in name} & {"Cc", "Zl", "Zp"}


def test_no_character_that_breaks_or_turns_a_header_passes_the_guard() -> None:
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    passed = set(header_safe(f"a{EVERY_CHARACTER}z"))
    assert len(passed) > 1_000_000
    assert not {unicodedata.category(character) for character in passed} & {"Cc", "Zl", "Zp", "Cs"}
    assert not {unicodedata.bidirectional(character) for character in passed} & turning


def test_every_control_and_separator_character_becomes_a_space() -> None:
    breaking = [c for c in EVERY_CHARACTER if unicodedata.category(c) in ("Cc", "Zl", "Zp")]
    assert len(breaking) == 67  # 65 of Cc, and one each of Zl and Zp
    assert {accept_name(f"a{character}z") for character in breaking} == {"a z"}


def test_the_guard_keeps_what_words_and_emoji_need() -> None:
    name = "Zoë 日本 שלום می\u200cخواهم 👩\u200d👧 ❤\ufe0f"
    assert header_safe(name) == name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("abcdef", "abcdef"),
        ("abcdefg", "abcde…"),
        ("abcd efgh", "abcd…"),
        ("abcde\u0323\u0307fg", "abcd…"),
        ("abcd👩\u200d👩\u200d👧", "abcd…"),
        ("abcd👍\U0001f3fdef", "abcd…"),
        ("\u0301" * 9, "\u0301" * 5 + "…"),
    ],
)
def test_a_shortened_name_keeps_whole_characters(name: str, short: str) -> None:
    assert shorten(name, 6) == short


@given(st.text(), st.integers(2, 30))
def test_a_shortened_name_keeps_to_its_limit(name: str, limit: int) -> None:
    assert len(shorten(name, limit)) <= limit
