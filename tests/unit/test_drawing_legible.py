"""What the fonts hold is read from their own cmap tables here, and never asked of the code."""

import struct
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from minitickets.drawing.legible import SIGN, covered, legible

FONTS = Path(__file__).parents[2] / "functions" / "minitickets" / "drawing" / "fonts"
TEXT_FONTS = ("DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf")
ID_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"


def characters_in(font: Path) -> set[str]:
    """The characters that the font maps to a glyph other than .notdef.

    https://learn.microsoft.com/en-us/typography/opentype/spec/cmap, format 4
    """
    data = font.read_bytes()
    tables = {
        tag: offset
        for tag, _, offset, _ in (
            struct.unpack_from(">4sLLL", data, 12 + 16 * index)
            for index in range(struct.unpack_from(">H", data, 4)[0])
        )
    }
    cmap = tables[b"cmap"]
    subtables = struct.unpack_from(">H", data, cmap + 2)[0]
    at = next(
        cmap + offset
        for platform, encoding, offset in (
            struct.unpack_from(">HHL", data, cmap + 4 + 8 * index) for index in range(subtables)
        )
        if (platform, encoding) == (3, 1)
    )
    assert struct.unpack_from(">H", data, at)[0] == 4
    segments = struct.unpack_from(">H", data, at + 6)[0] // 2
    ends = struct.unpack_from(f">{segments}H", data, at + 14)
    starts = struct.unpack_from(f">{segments}H", data, at + 16 + 2 * segments)
    deltas = struct.unpack_from(f">{segments}h", data, at + 16 + 4 * segments)
    range_offsets = at + 16 + 6 * segments
    found = set()
    for index, (start, end, delta) in enumerate(zip(starts, ends, deltas, strict=True)):
        place = range_offsets + 2 * index
        offset = struct.unpack_from(">H", data, place)[0]
        for code in range(start, end + 1):
            if offset:
                glyph = struct.unpack_from(">H", data, place + offset + 2 * (code - start))[0]
                glyph = (glyph + delta) % 65536 if glyph else 0
            else:
                glyph = (code + delta) % 65536
            if glyph:
                found.add(chr(code))
    return found


def drawn(text: str, font: str = TEXT_FONTS[0]) -> bytes:
    typeface = ImageFont.truetype(FONTS / font, 32, layout_engine=ImageFont.Layout.BASIC)
    picture = Image.new("L", (120, 100), 255)
    ImageDraw.Draw(picture).text((60, 60), text, 0, typeface, anchor="ls")
    return picture.tobytes()


@pytest.mark.parametrize("font", TEXT_FONTS)
def test_the_list_of_covered_characters_is_what_each_text_font_holds(font: str) -> None:
    assert covered() | {SIGN} == characters_in(FONTS / font)


def test_the_font_for_ticket_ids_holds_their_characters() -> None:
    assert characters_in(FONTS / "DejaVuSansMono.ttf") == set(ID_CHARACTERS)


@pytest.mark.parametrize("font", TEXT_FONTS)
def test_every_covered_character_leaves_ink_that_is_not_the_missing_glyph(font: str) -> None:
    nothing, missing = drawn("", font), drawn("\U0010ffff", font)
    bad = [char for char in covered() - {" "} if drawn(char, font) in (nothing, missing)]
    assert bad == []


def test_no_covered_character_needs_shaping_or_runs_from_right_to_left() -> None:
    for char in covered():
        assert unicodedata.bidirectional(char) not in {"R", "AL", "AN", "RLE", "RLO", "RLI", "BN"}
        assert unicodedata.category(char) not in {"Cf", "Mc", "Me", "Zl", "Zp", "Cc", "Co", "Cs"}


def test_the_licence_lies_beside_the_fonts() -> None:
    licence = (FONTS / "LICENSE.txt").read_text("utf-8")
    assert "Bitstream Vera Fonts Copyright" in licence
    assert "Arev Fonts Copyright" in licence


@pytest.mark.parametrize(
    "text",
    [
        "Zoë Łukasz Ἑλλάς Ελλάδα Київ Ђорђе Çağrı Nguyễn",
        "Þórsmörk Ærø Ångström Straße Œuvre Ñandú Şanlıurfa Žižkov Kő",
        "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ αβγδεζηθικλμνξοπρσςτυφχψω ΐΰᾳῶ",
        "АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯ іїєґў ђћџљњ әңғүұқөһ",
        "“Rock & Roll” – No. 5 — €10 · £9 … ★ ♥ ♫ № 1½",
        "Երևան თბილისი",
    ],
)
def test_a_covered_text_is_set_as_it_is_and_each_letter_is_itself(text: str) -> None:
    text = unicodedata.normalize("NFC", text)
    assert legible(text) == (text, frozenset())
    shapes = {drawn(char) for char in text}
    assert drawn(SIGN) not in shapes


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (0x41, 0x5A),
        (0xC0, 0x24F),
        (0x370, 0x3FF),
        (0x400, 0x4FF),
        (0x1EA0, 0x1EF9),
        (0x1F00, 0x1FFF),
    ],
    ids=["ASCII", "accented Latin", "Greek", "Cyrillic", "Vietnamese", "polytonic Greek"],
)
def test_every_letter_of_a_promised_script_is_covered(first: int, last: int) -> None:
    letters = {chr(code) for code in range(first, last + 1) if chr(code).isalpha()}
    assert letters - covered() == set()


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("日本武道館", 5),
        ("한국", 2),
        ("שלום", 4),
        ("مسرح", 4),
        ("हॉल", 2),  # the vowel sign goes with its letter
        ("ไทย", 3),
        ("🎉🎫", 2),
        ("\ue000", 1),  # private use
        ("\u2800", 1),  # a blank Braille cell would be an unseen gap
        ("\u0600", 1),  # a format character that has a shape
        ("\ufffd", 1),
    ],
)
def test_a_character_that_cannot_be_set_becomes_a_sign_and_is_named(text: str, signs: int) -> None:
    text = unicodedata.normalize("NFC", text)
    assert legible(f"A{text}Z") == (f"A{SIGN * signs}Z", frozenset(text))


def test_the_sign_is_neither_blank_nor_the_missing_glyph() -> None:
    assert drawn(SIGN) not in (drawn(""), drawn("\U0010ffff"), drawn("?"))


INVISIBLE = [
    *"\u00ad\u034f\u061c\u115f\u17b4\u180b\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060",
    *"\u2064\u2066\u2069\u206f\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\ufffa\ufffb",
    "\U0001d173",
    "\U000e0001",
    "\U000e0041",
    "\U000e0100",
]


@pytest.mark.parametrize("char", INVISIBLE, ids=lambda char: f"{ord(char):04X}")
def test_an_invisible_format_character_is_left_out_and_named(char: str) -> None:
    assert legible(f"A{char}Z") == ("AZ", frozenset(char))


@pytest.mark.parametrize("space", "\u00a0\u1680\u2000\u2003\u2009\u200a\u202f\u205f\u3000")
def test_any_space_is_one_plain_space(space: str) -> None:
    assert legible(f"A{space}{space} Z") == ("A Z", frozenset())


def test_a_text_of_nothing_visible_shows_a_sign() -> None:
    assert legible("\u200d\ufe0f") == (SIGN, frozenset("\u200d\ufe0f"))


@pytest.mark.parametrize(
    ("text", "shown", "replaced"),
    [
        ("Spin\u0308al", "Spin\u0308al", ""),
        ("W\u0302\u0323", "W\u0302\u0323", ""),
        ("x\u0301\u0302", f"x\u0301{SIGN}", "\u0302"),
        ("a" + "\u0301" * 199, f"á\u0301{SIGN}", "\u0301"),
        ("\u0301b", f"{SIGN}b", "\u0301"),
        ("a \u0301", f"a {SIGN}", "\u0301"),
        ("x\u0338y", f"x{SIGN}y", "\u0338"),  # lies over its letter
        ("o\u0361o", f"o{SIGN}o", "\u0361"),  # spans two letters
        ("O\u20dd", f"O{SIGN}", "\u20dd"),  # encloses its letter
    ],
)
def test_a_letter_keeps_one_mark_above_and_one_below(text: str, shown: str, replaced: str) -> None:
    shown = unicodedata.normalize("NFC", shown)
    assert legible(unicodedata.normalize("NFC", text)) == (shown, frozenset(replaced))


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1, max_size=40))
def test_whatever_does_not_show_is_named(text: str) -> None:
    shown, replaced = legible(text)
    assert shown
    assert set(shown) <= covered() | {SIGN}
    spaces = {char for char in text if unicodedata.category(char) == "Zs"}
    assert set(text) - spaces - set(shown) <= replaced
    assert (SIGN in shown) <= bool(replaced or not text.strip())
