"""``next`` says nothing to anybody but the user whom it was given to."""

import base64
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.page_position import InvalidPositionError, read_position, write_position


@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}-[0-9]{5}", fullmatch=True))
def test_a_position_comes_back_and_fits_into_an_address(ticket):
    text = write_position(ticket, "usr_1")
    assert read_position(text, "usr_1") == ticket
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize("user", ["usr_2", "USR_1", "usr_1 ", "usr_10", "usr_"])
def test_another_users_position_is_refused(user):
    with pytest.raises(InvalidPositionError):
        read_position(write_position("bk_1-00001", "usr_1"), user)


def test_a_position_with_any_character_changed_is_refused():
    text = write_position("bk_1-00001", "usr_1")
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
    text = write_position("bk_1-00001", "usr_1")
    for other in (f"{text}=", f" {text}", f"{text}\n", text + "==", text[:4] + "\n" + text[4:]):
        with pytest.raises(InvalidPositionError):
            read_position(other, "usr_1")


@pytest.mark.parametrize("position", [b"", b"x" * 1025, b"\xff\xfe"])
def test_a_forged_position_that_no_key_can_be_is_refused(position):
    """Anybody can make the HMAC of their own id; a key that DynamoDB refuses would be a 500."""
    mac = hmac.digest(b"usr_1", b"minitickets next page 1\n" + position, hashlib.sha256)
    forged = base64.urlsafe_b64encode(mac + position).decode().rstrip("=")
    with pytest.raises(InvalidPositionError):
        read_position(forged, "usr_1")


def test_the_refusal_holds_nothing_of_the_text():
    with pytest.raises(InvalidPositionError) as refusal:
        read_position("secret-secret", "usr_1")
    assert "secret" not in str(refusal.value)
