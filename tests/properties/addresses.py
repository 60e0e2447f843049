"""Email addresses by the contract's table, and what becomes of them on their way out.

Domains are put into ASCII by Python's punycode codec, letter by letter of scripts that no mapping
changes.
"""

import string
import unicodedata

from hypothesis import strategies as st

LETTERS_AND_DIGITS = string.ascii_letters + string.digits
ATOM_CHARACTERS = LETTERS_AND_DIGITS + "!#$%&'*+/=?^_`{|}~-"
local_parts = (
    st.lists(st.text(ATOM_CHARACTERS, min_size=1, max_size=20), min_size=1, max_size=5)
    .map(".".join)
    .filter(lambda part: len(part) <= 64)
) | st.text(ATOM_CHARACTERS, min_size=60, max_size=64)
plain_labels = st.builds(
    str.__add__,
    st.sampled_from(string.ascii_letters),
    st.text(LETTERS_AND_DIGITS, max_size=62),
) | st.sampled_from(["a-b", "x" * 63, "mail-2-go", "A1"])


def letters(first: str, last: str) -> str:
    """The script's letters that no mapping changes."""
    block = map(chr, range(ord(first), ord(last) + 1))
    return "".join(
        c
        for c in block
        if unicodedata.category(c) in ("Ll", "Lo")
        and unicodedata.normalize("NFKC", c).casefold() == c
    )


SCRIPTS = (
    letters("à", "ÿ") + string.ascii_lowercase,
    letters("ā", "ľ"),
    letters("α", "ω").replace("ς", ""),
    letters("а", "я"),
    letters("א", "ת"),
    letters("अ", "ह"),
    letters("ก", "ฮ"),
    letters("ぁ", "ん"),
    letters("가", "힣"),
    letters("一", "龥"),
)
foreign_labels = st.sampled_from(SCRIPTS).flatmap(
    lambda script: st.text(script, min_size=1, max_size=14)
)
domains = st.builds(
    lambda labels, last: ".".join([*labels, last]),
    st.lists(plain_labels | foreign_labels, min_size=1, max_size=3),
    st.text(string.ascii_letters, min_size=2, max_size=12) | foreign_labels,
)


def sent_to(address: str) -> str:
    """The address as it goes out: its domain's labels in ASCII (RFC 5890) and in lower case."""
    local_part, _, domain = address.rpartition("@")
    labels = (
        label.lower() if label.isascii() else "xn--" + label.encode("punycode").decode()
        for label in domain.split(".")
    )
    return f"{local_part}@{'.'.join(labels)}"


def fits(address: str) -> bool:
    return len(sent_to(address)) <= 254 and len(sent_to(address).rpartition("@")[2]) <= 253


emails = st.builds("{}@{}".format, local_parts, domains).filter(fits)
