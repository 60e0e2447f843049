"""Messages by the contract's table, built of its words alone: nothing of the reader's own rules.

What the table leaves to standards comes from elsewhere too: time text from the C library, domains
from Python's punycode codec (``addresses``).
"""

import json
import unicodedata
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from properties.addresses import LETTERS_AND_DIGITS, emails
from properties.civil_time import FIRST, LAST, ZONES, rfc_3339

FIELDS = (
    "type", "bookingId", "userId", "eventId", "quantity", "email", "eventName", "startsAt",
    "timeZone", "venue",
)  # fmt: skip
OPTIONAL = ("timeZone", "venue")
MESSAGE_ID = "059f36b4-87a3-44ab-83d2-661975830a7d"

GALA: dict[str, Any] = {
    "type": "booking.confirmed",
    "bookingId": "bk_1001",
    "userId": "usr_7",
    "email": "pat@example.com",
    "eventId": "evt_gala",
    "eventName": "Winter Gala",
    "startsAt": "2026-12-24T19:30:00+01:00",
    "quantity": 4,
    "venue": "Tempodrom",
}

ids = st.builds(
    str.__add__,
    st.sampled_from(LETTERS_AND_DIGITS),
    st.text(LETTERS_AND_DIGITS + "_-", max_size=63),
)

# ---- names ---------------------------------------------------------------------------------------

# Drawn as nothing, wherever they stand: fillers, and what Unicode calls default ignorable.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u202a"
    "\u202e\u2060\u2064\u2065\u2066\u2069\u206f\u2800\u3164\ufe00\ufe0f\ufeff\uffa0\ufff0\ufff8"
    "\ufff9\U0001d173\U000e0000\U000e0001\U000e0002\U000e0041\U000e0080\U000e0100\U000e01f0"
    "\U000e0fff"
)
BLANK = " \t\r\n\x0b\x1f\x85\u00a0\u2003\u2028\u2029\u3000"
CONTROL = "\x00\x07\x1b\x7f\x9f"
TELLING = (
    "\u0301\u0323\u0344\u0345\u20dd"  # marks, and two that NFC makes something else of
    "\u212b\u1100\u1161\u11a8\u0958\u2126\ufb1d"  # letters of which NFC makes another, or two
    "<>&\"'{}%$=?@;:,/\\#"  # what pages, headers and formats read as theirs
    "\U0001f3ab\U0001f468\U0001f3fd\u2764אשلم日ﬁ\ufffd\uffff\U0010ffff\u0378"
)
characters = st.sampled_from(UNSEEN + BLANK + CONTROL + TELLING) | st.characters(codec="utf-8")


def plain(name: str) -> str:
    """The table's rule: control and separator characters → space, NFC, trim."""
    spaced = (" " if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in name)
    return unicodedata.normalize("NFC", "".join(spaced)).strip()


def is_certainly_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in UNSEEN


def is_a_name(text: str) -> bool:
    return 1 <= len(plain(text)) <= 200 and any(map(is_certainly_seen, plain(text)))


written = st.text(characters, min_size=1, max_size=40)
# What a page, a template or a mail program would take for its own.
MARKUP = (
    "<b>", "</h1>", "<script>alert(1)</script>", "<!--", "<br/>", "&amp;", "&lt;b&gt;", "&#0;",
    '"><img src=x>', "{event_name}", "{0.__class__}", "%s", "${x}", "=?utf-8?q?x?=", "\\u0041",
)  # fmt: skip
# Characters that turn text round, and those that words and pictures need though nobody sees them.
WOVEN = (
    "\u202egnp.\u202c", "\u2066a\u2069", "\u202aa\u202bb\u202dc", "\u2067d\u2068e", "\u200ef\u200f",
    "می\u200cخواهم", "\U0001f469\u200d\U0001f467", "क्\u200dष", "\u2764\ufe0f", "soft\u00adly",
)  # fmt: skip
marked_up = st.lists(st.sampled_from(MARKUP + WOVEN) | written, min_size=1, max_size=5).map("".join)
names = (
    written
    | marked_up
    | st.builds(lambda text, times: (text * times)[:200], written, st.integers(2, 200))
    | st.builds(
        str.__add__, st.sampled_from(["A" * 199, "\u03b1\u0313\u0300\u0345" * 199]), written
    )
).filter(is_a_name)

# ---- starts --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Start:
    """An instant, to the second, and one way to write it."""

    epoch: int
    offset: int  # minutes east of UTC
    text: str


@st.composite
def starts(draw: st.DrawFn) -> Start:
    offset = draw(st.sampled_from([0, 60, -300, 330, 345, 765]) | st.integers(-1439, 1439))
    # The years 2000 to 2999 are those of the text, wherever it was written.
    epoch = draw(st.integers(FIRST, LAST)) - 60 * offset
    text = rfc_3339(epoch, offset)
    ends = ["Z", "z", "+00:00", "-00:00"] if offset == 0 else [text[19:]]
    fraction = draw(st.just("") | st.text("0123456789", min_size=1, max_size=38).map(".{}".format))
    whole = text[:19].replace("T", draw(st.sampled_from("Tt")))
    return Start(epoch, offset, whole + fraction + draw(st.sampled_from(ends)))


# ---- messages ------------------------------------------------------------------------------------

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
extras = st.dictionaries(
    st.text(max_size=12).filter(lambda key: key not in FIELDS), json_values, max_size=2
)


@dataclass(frozen=True)
class Message:
    fields: dict[str, Any]
    start: Start


@st.composite
def messages(draw: st.DrawFn) -> Message:
    start = draw(starts())
    fields = {
        "type": "booking.confirmed",
        "bookingId": draw(ids),
        "userId": draw(ids),
        "eventId": draw(ids),
        "quantity": draw(st.sampled_from([1, 500]) | st.integers(1, 500)),
        "email": draw(emails),
        "eventName": draw(names),
        "startsAt": start.text,
    }
    optional = {"timeZone": st.none() | st.sampled_from(ZONES), "venue": st.none() | names}
    fields |= draw(st.fixed_dictionaries({}, optional=optional))
    return Message(fields | draw(extras), start)


@st.composite
def written_bodies(draw: st.DrawFn, fields: dict[str, Any]) -> str:
    """One of the many ways to write the fields as JSON."""
    ordered = dict(draw(st.permutations(list(fields.items()))))
    return json.dumps(
        ordered,
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 1, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (" , ", " : ")])),
    )


@st.composite
def messages_and_bodies(draw: st.DrawFn) -> tuple[Message, str]:
    message = draw(messages())
    return message, draw(written_bodies(message.fields))
