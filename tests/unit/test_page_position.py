"""``next`` says nothing to anybody but the user whom it was given to."""

import base64
import hashlib
import hmac
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.held_booking import Facts
from minitickets.domain.page_position import (
    CutBooking,
    InvalidPositionError,
    Position,
    read_position,
    write_position,
)

FACTS = Facts("evt_1", 500, "Gala", None, "2027-03-01T20:00:00+01:00", "Europe/Berlin")
ALPHABET = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}-[0-9]{5}", fullmatch=True),
    st.lists(st.tuples(st.integers(0, 500), st.text(st.characters(codec="utf-8"), min_size=1,
                                                    max_size=200)), max_size=1),
)  # fmt: skip
def test_a_position_comes_back_and_fits_into_an_address(ticket, cut):
    facts = [FACTS._replace(event_name=name, venue=name) for _, name in cut]
    position = Position(
        ticket, tuple(CutBooking("bk", n, f) for (n, _), f in zip(cut, facts, strict=True))
    )
    text = write_position(position, "usr_1")
    assert read_position(text, "usr_1") == position
    assert set(text) <= ALPHABET


@pytest.mark.parametrize("letter", ["a", "\U0001f600", '"', "\x01"])
@pytest.mark.parametrize("cut", [1, 2, 16])
def test_a_position_leaves_room_for_the_token_however_long_the_names(letter, cut):
    """10,240 bytes are API Gateway's; of names that somebody wrote into a record, and of ids that
    nest as deeply as ids can, the position is a shorter one that still counts."""
    facts = FACTS._replace(event_id="e" * 99, event_name=letter * 100_000, venue=letter * 100_000)
    names = [("a" + "-001" * n) for n in range(cut)]
    position = Position("b" * 70, tuple(CutBooking(name, 500, facts) for name in names))
    text = write_position(position, "usr_1")
    assert len(text) < 8000
    found = read_position(text, "usr_1")
    assert [(c.booking_id, c.listed, c.facts.quantity) for c in found.cut] == [
        (name, 500, 500) for name in names
    ]
    assert all(c.facts.event_name.strip(letter) == "" for c in found.cut)


@pytest.mark.parametrize("letter", ["a", "\U0001f600", '"', "\x01"])
@pytest.mark.parametrize("size", [1, 4, 16, 17, 30, 40, 49, 50, 51, 60, 102, 103, 104, 1000])
def test_sixteen_bookings_with_the_longest_facts_leave_room_for_the_token(letter, size):
    """Whether or not the names are just short enough to be kept."""
    facts = Facts("e" * 64, 500, letter * size, letter * size,
                  "2027-03-01T20:00:00." + "1" * 38 + "+01:00",
                  "America/Argentina/ComodRivadavia")  # fmt: skip
    assert len(facts.starts_at) == 64
    ids = [("a" + "-001" * n).ljust(64, "b") for n in range(16)]
    position = Position("b" * 70, tuple(CutBooking(name, 500, facts) for name in ids))
    text = write_position(position, "usr_1")
    assert len(text) < 8000
    assert [cut.booking_id for cut in read_position(text, "usr_1").cut] == ids


@pytest.mark.parametrize("user", ["usr_2", "USR_1", "usr_1 ", "usr_10", "usr_"])
def test_another_users_position_is_refused(user):
    with pytest.raises(InvalidPositionError):
        read_position(write_position(Position("bk_1-00001"), "usr_1"), user)


def test_a_position_with_any_character_changed_is_refused():
    text = write_position(Position("bk_1-00001"), "usr_1")
    for at, letter in enumerate(text):
        changed = text[:at] + ("A" if letter != "A" else "B") + text[at + 1 :]
        with pytest.raises(InvalidPositionError):
            read_position(changed, "usr_1")


@pytest.mark.parametrize(
    "text",
    ["", "A", "bk_1-00001", "====", "é", "\ud800", "a b", "a\n", "A" * 43, "A" * 10_000, "null"],
)
def test_what_was_never_given_out_is_refused(text):
    with pytest.raises(InvalidPositionError):
        read_position(text, "usr_1")


def test_another_spelling_of_the_same_content_is_refused():
    text = write_position(Position("bk_1-00001"), "usr_1")
    for other in (f"{text}=", f" {text}", f"{text}\n", text + "==", text[:4] + "\n" + text[4:]):
        with pytest.raises(InvalidPositionError):
            read_position(other, "usr_1")


WHOLE = ["evt_1", 2, "Gala", None, "2027-03-01T20:00:00+01:00", None]


def forged(content):
    mac = hmac.digest(b"usr_1", b"minitickets next page 1\n" + content, hashlib.sha256)
    return base64.urlsafe_b64encode(mac + content).decode().rstrip("=")


def compact(content):
    return json.dumps(content, separators=(",", ":")).encode()


def test_a_position_forged_for_oneself_as_it_would_be_written_counts():
    """Anybody can make the HMAC of their own id; the tests below differ in their content alone."""
    text = forged(compact(["bk_1-00001", ["bk_1", 1, *WHOLE]]))
    assert read_position(text, "usr_1").cut[0].facts.event_name == "Gala"


@pytest.mark.parametrize(
    "content",
    [b"", b"x", b"[]", b'""', b"null", b"5", b"{}", b'{"a":1}', b"\xff\xfe", b"[" * 7000, b'[""]',
     b"[5]", b"[null]", b'["\\ud800"]', b'["a" ]', b'["\\u0061"]', b"[" + b"9" * 5000 + b"]",
     compact(["x" * 1025]), b'"abc"', b'[true]', b'[1.0]', b'[["a"]]', b'[{"a":1}]',
     b'["a\\u0000"]', b'["\\u001f"]', b'["a\\nb"]', '["{}"]'.format("é" * 513).encode()],
    ids=lambda content: str(content[:20]),
)  # fmt: skip
def test_a_forged_position_that_no_key_can_be_is_refused(content):
    """A key that DynamoDB refuses would be a 500."""
    with pytest.raises(InvalidPositionError):
        read_position(forged(content), "usr_1")


@pytest.mark.parametrize(
    "cut",
    [5, "abcdefgh", [], ["bk"], [5, 1, *WHOLE], ["b" * 65, 1, *WHOLE], ["bk", -1, *WHOLE],
     ["bk", 501, *WHOLE], ["bk", "1", *WHOLE], ["bk", 1.5, *WHOLE], ["bk", [], *WHOLE],
     ["bk", 1, *WHOLE, 1], ["bk", 1, "e", 501, *WHOLE[2:]], ["bk", 1, "e", 2.0, *WHOLE[2:]],
     ["bk", 1, "e", 2, {}, *WHOLE[3:]], ["bk", 1, *WHOLE[:4], "tomorrow", None],
     ["bk", 1, *WHOLE[:5], "Europe/Nowhere"], ["bk", 1, "e", 2, "\ud800", *WHOLE[3:]]],
    ids=str,
)  # fmt: skip
def test_a_forged_booking_that_no_page_can_have_cut_is_refused(cut):
    with pytest.raises(InvalidPositionError):
        read_position(forged(compact(["bk_1-00001", cut])), "usr_1")


OTHER_TYPES = [[], {}, ["bk"], {"bk": 1}, [[]], 1.0, True, False]


@pytest.mark.parametrize(
    ("place", "value"),
    [(place, value) for place, values in [
     (0, [*OTHER_TYPES, 1, None, "", "a/b", "-a", "a b", "a\n", "é"]),
     (1, [*OTHER_TYPES, None, "", "1", "a/b", -1, 501]),
     (2, [*OTHER_TYPES, 1, None, ""]),
     (3, [*OTHER_TYPES, None, "", "2", "a/b", 0, 501]),
     (4, [*OTHER_TYPES, 1, None, ""]),
     (5, [*OTHER_TYPES, 1]),
     (6, [*OTHER_TYPES, 1, None, "", "a/b"]),
     (7, [*OTHER_TYPES, 1, "", "a/b"])] for value in values],
    ids=str,
)  # fmt: skip
def test_a_forged_booking_whose_parts_are_of_another_type_is_refused(place, value):
    """Behind here it would be a 500: ids are sorted, numbers are counted up to."""
    cut = ["bk", 1, *WHOLE]
    cut[place] = value
    with pytest.raises(InvalidPositionError):
        read_position(forged(compact(["bk_1-00001", cut])), "usr_1")


def test_a_forged_position_with_more_bookings_than_nest_is_refused():
    with pytest.raises(InvalidPositionError):
        read_position(forged(compact(["bk-00001", *[["bk", 1, *WHOLE]] * 17])), "usr_1")


def test_the_refusal_holds_nothing_of_the_text():
    with pytest.raises(InvalidPositionError) as refusal:
        read_position("secret-secret", "usr_1")
    assert "secret" not in str(refusal.value)
