"""For each field, what the contract's table does not allow: one rule broken at a time."""

import string

from hypothesis import strategies as st

from properties.addresses import ATOM_CHARACTERS, LETTERS_AND_DIGITS, emails
from properties.civil_time import ZONES
from properties.messages import BLANK, CONTROL, UNSEEN, ids, json_values, plain, starts


def spoiled(texts: st.SearchStrategy[str], allowed: str) -> st.SearchStrategy[str]:
    """A good text with one character put in that its rule allows nowhere."""
    return st.builds(
        lambda text, at, wrong: text[: at % (len(text) + 1)] + wrong + text[at % (len(text) + 1) :],
        texts,
        st.integers(0, 300),
        st.characters(codec="utf-8", exclude_characters=allowed)
        | st.sampled_from("\x00\n\r\u2028 \u0661é"),
    )


no_strings = json_values.filter(lambda value: not isinstance(value, str))
no_ids = (
    no_strings
    | st.just("")
    | st.builds(str.__add__, st.sampled_from("_-"), ids)
    | st.text(LETTERS_AND_DIGITS, min_size=65, max_size=66)
    | spoiled(ids, LETTERS_AND_DIGITS + "_-")
)
no_quantities = (
    json_values.filter(lambda value: not isinstance(value, int) or isinstance(value, bool))
    | st.just(0)
    | st.just(501)
    | st.integers(max_value=0)
    | st.integers(min_value=501)
    | st.integers(1, 500).map(float)
    | st.integers(1, 500).map(str)
    | st.lists(st.integers(1, 500), min_size=1, max_size=1)
    | st.sampled_from([2**31, 2**63, 2**64 + 4, 10**308, -(10**308), 10**309, 10**5000])
)
no_addresses = (
    no_strings
    | spoiled(emails.map(lambda email: email.partition("@")[0]), ATOM_CHARACTERS + ".@").map(
        "{}@example.com".format
    )
    | emails.map(lambda email: email.replace("@", ""))
    | emails.map(lambda email: email.replace("@", "@@"))
    | st.tuples(emails, emails).map(", ".join)
    | emails.map("Pat <{}>".format)
    | emails.map("{}.".format)
    | emails.map("{}\r\nBcc: eve@evil.example".format)
    | emails.map(".{}".format)
    | emails.map(lambda email: email.replace("@", ".@"))
    | emails.map(lambda email: "x" * 65 + "@" + email.partition("@")[2])
    | emails.map(lambda email: email.partition("@")[0] + "@localhost")
    | emails.map(lambda email: email.partition("@")[0] + "@" + 4 * ("x" * 62 + ".") + "com")
    | st.builds(
        lambda email, wrong: email + wrong + "x.com",
        emails,
        st.sampled_from(CONTROL + BLANK + '\u2028_!()<>[]\\,;:"/\U0001f3ab\u2764\ud800'),
    )
)
no_names = (
    no_strings
    | st.text(BLANK + CONTROL)
    | st.text(BLANK + CONTROL + UNSEEN)
    | st.builds(lambda text: "x" + text * 200, st.text(st.sampled_from("ab 日\U0001f3ab"))).filter(
        lambda text: len(plain(text)) > 200
    )
    | st.just("\u0344" * 101)  # two characters each, once composed
    | st.just("\u0958" * 101)
)
good_starts = starts().map(lambda start: start.text)
no_starts = (
    no_strings
    | spoiled(good_starts, string.digits + "+-:.TtZz")
    | good_starts.map(lambda text: text[:19])  # no offset
    | good_starts.map(lambda text: text[:10])
    | good_starts.map(lambda text: text[:10] + " " + text[11:])
    | good_starts.map(lambda text: text + "Z")
    | good_starts.map(lambda text: "1" + text)
    | good_starts.map(lambda text: text[:16] + text[19:])  # no seconds
    | good_starts.map(lambda text: "1999" + text[4:])
    | good_starts.map(lambda text: "3000" + text[4:])
    | good_starts.map(lambda text: text[:5] + "13" + text[7:])
    | good_starts.map(lambda text: text[:5] + "00" + text[7:])
    | good_starts.map(lambda text: text[:8] + "32" + text[10:])
    | good_starts.map(lambda text: text[:5] + "02-30" + text[10:])
    | good_starts.map(lambda text: "2100-02-29" + text[10:])
    | good_starts.map(lambda text: text[:11] + "24" + text[13:])
    | good_starts.map(lambda text: text[:14] + "60" + text[16:])
    | good_starts.map(lambda text: text[:17] + "61" + text[19:])
    | good_starts.map(lambda text: text[:19] + "+24:00")
    | good_starts.map(lambda text: text[:19] + "+0100")
    | good_starts.map(lambda text: text[:19] + ".Z")
)
no_zones = (
    json_values.filter(lambda value: value is not None and value not in ZONES)
    | spoiled(st.sampled_from(ZONES), "")
    | st.sampled_from(ZONES).map(str.swapcase)
    | st.sampled_from(ZONES).map("../{}".format)
    | st.sampled_from(["Europe", "zone.tab", "tzdata.zi", "/etc/localtime", "+01:00", "CET-1CEST"])
).filter(lambda value: value not in ZONES)
WRONG = {
    "type": no_strings | st.text() | st.sampled_from(["booking.Confirmed", "booking.confirmed "]),
    "bookingId": no_ids,
    "userId": no_ids,
    "eventId": no_ids,
    "quantity": no_quantities,
    "email": no_addresses,
    "eventName": no_names,
    "startsAt": no_starts,
    "timeZone": no_zones,
    "venue": no_names.filter(lambda value: value is not None),
}
