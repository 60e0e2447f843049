"""Names of events and venues: anybody wrote them; headers, pages and pictures show them."""

import re
import unicodedata

MAX_NAME = 200

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # all of Cc, Zl and Zp
# Drawn as nothing, though they are neither spaces nor of category Cf: an empty Braille cell, and
# all else that Unicode calls default ignorable, whether it is assigned yet or not.
_FILLERS = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0"
    r"\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
# Format characters that turn text round or hide in it. Not the joiners U+200C and U+200D: Persian
# words and composed emoji need them.
_FORMAT = re.compile(
    r"[\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def accept_name(text: str) -> str:
    """The name on one line, composed (NFC) and trimmed of all that Unicode calls white space.

    Raises :class:`ValueError` unless 1 to 200 code points are left, one of them visible.
    """
    name = _BREAKS.sub(" ", text).strip()
    if not name:
        raise ValueError("is blank")
    # Composing takes seconds for thousands of accents on one letter, and makes one of four at most.
    if len(name) <= 4 * MAX_NAME:
        name = unicodedata.normalize("NFC", name)
    if len(name) > MAX_NAME:
        raise ValueError("is too long")
    # Zero-width characters alone would leave a ticket without a name, just as spaces would.
    if all(_is_invisible(character) for character in name):
        raise ValueError("has no visible character")
    return name


def header_safe(name: str) -> str:
    """The name on one line without characters that reorder or hide.

    It never fails: it guards what comes out of a record, where nothing can be refused any more.
    """
    return _SURROGATE.sub("\ufffd", _FORMAT.sub("", _BREAKS.sub(" ", name))).strip()


def shorten(name: str, limit: int) -> str:
    """At most ``limit`` code points, the last an ellipsis where something was cut off."""
    if len(name) <= limit:
        return name
    cut = limit - 1
    while cut and _belong_together(name[cut - 1], name[cut]):
        cut -= 1
    return name[: cut or limit - 1].rstrip() + "…"


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in ("Cf", "Zs") or bool(_FILLERS.match(character))


def _belong_together(before: str, after: str) -> bool:
    """Whether a cut between the two would leave a letter without its accent or half an emoji."""
    is_mark = unicodedata.category(after) in ("Mn", "Mc", "Me")
    is_skin_tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    return is_mark or is_skin_tone or "\u200d" in (before, after)
