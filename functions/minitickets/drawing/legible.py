"""Which characters of a name can be set in the bundled fonts, and what stands for the others.

The fonts hold scripts that run from left to right and need no shaping: Latin, Greek, Cyrillic,
Armenian, Georgian, and common symbols.
"""

import unicodedata
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

FONTS: Final = Path(__file__).parent / "fonts"
SIGN: Final = "\N{REPLACEMENT CHARACTER}"

# Canonical combining classes: https://www.unicode.org/reports/tr44/#Canonical_Combining_Class_Values
ABOVE: Final = 230
BELOW: Final = 220

# Default-ignorable characters that are not of the category Cf: fillers, the grapheme joiner,
# variation selectors, the plane of tags.
_IGNORABLE: Final = (
    (0x034F, 0x034F),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2065, 0x2065),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0xE0000, 0xE0FFF),
)
# Characters of the category Cf that have a shape: number signs of Arabic, Syriac and Kaithi, and
# the joiners of Egyptian hieroglyphs.
_FORMAT_WITH_SHAPE: Final = (
    (0x0600, 0x0605),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
)


class LegibleText(NamedTuple):
    """``text`` has covered characters, single spaces and signs; ``replaced`` is what it lost."""

    text: str
    replaced: frozenset[str]


def legible(text: str) -> LegibleText:
    """Return ``text`` (NFC) as the fonts can set it, never empty.

    - Any space becomes the plain one, and several become one.
    - A letter keeps one mark above and one below it, besides those that NFC composed.
    - A character that cannot be set becomes ``SIGN``, and so does a run of marks that cannot.
    - An invisible format character (joiner, soft hyphen, bidi control, variation selector, tag,
      byte order mark …) is left out: a sign in its place would show a gap where none is.

    ``replaced`` holds the characters of the last two kinds.
    """
    invisible = {char for char in set(text) - covered() if _is_invisible(char)}
    replaced = set(invisible)
    out: list[str] = []
    free: set[int] = set()  # where the letter before can still take a mark
    for char in text:
        if char in invisible:
            continue
        place = unicodedata.combining(char)
        if unicodedata.category(char) == "Zs":
            out.append(" ")
            free = set()
        elif char in covered() and (place in free or not is_mark(char)):
            out.append(char)
            free = free - {place} if is_mark(char) else {ABOVE, BELOW}
        else:
            replaced.add(char)
            out += [] if is_mark(char) and out[-1:] == [SIGN] else [SIGN]
            free = set()
    return LegibleText(" ".join("".join(out).split()) or SIGN, frozenset(replaced))


@cache
def covered() -> frozenset[str]:
    """The characters that every text font has. ``SIGN`` is left out: it says that one is lost."""
    ranges = (line.split("-") for line in (FONTS / "covered.ranges").read_text("ascii").split())
    codes = (range(int(first, 16), int(last, 16) + 1) for first, last in ranges)
    return frozenset(chr(code) for run in codes for code in run) - {SIGN}


def is_mark(char: str) -> bool:
    """Whether ``char`` is written over, under or around the letter before it."""
    return unicodedata.category(char).startswith("M")


def _is_invisible(char: str) -> bool:
    if unicodedata.category(char) == "Cf":
        return not _is_within(char, _FORMAT_WITH_SHAPE)
    return _is_within(char, _IGNORABLE)


def _is_within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)
