import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFont

from minitickets.drawing.lettering import Style

FONT = (
    Path(__file__).parents[2] / "functions/minitickets/drawing/fonts/DejaVuSansCondensed-Bold.ttf"
)
WIDTH = 640
STYLE = Style(FONT, ((64, 2), (42, 4)))


def ink_of(text: str, size: int) -> float:
    """The width that Pillow gives a line, marks aside."""
    font = ImageFont.truetype(FONT, size, layout_engine=ImageFont.Layout.BASIC)
    return font.getlength("".join(char for char in text if not unicodedata.combining(char)))


def picture_of(text: str) -> Image.Image:
    picture = Image.new("L", (WIDTH, 300), 255)
    STYLE.fit(text, WIDTH).draw(ImageDraw.Draw(picture), WIDTH // 2, 60)
    return picture


def ink_box(picture: Image.Image) -> tuple[int, int, int, int]:
    box = ImageChops.invert(picture).getbbox()
    assert box is not None
    return box


def test_a_short_name_keeps_the_large_size() -> None:
    block = STYLE.fit("Jazz", WIDTH)
    assert block.lines == ["Jazz"]
    assert ink_box(picture_of("Jazz"))[3] - ink_box(picture_of("Jazz"))[1] > 45


def test_a_name_of_several_lines_leaves_no_word_alone() -> None:
    style = Style(FONT, ((52, 3),))
    assert style.fit("Winter Lights: An Evening of Chamber Music", WIDTH).lines == [
        "Winter Lights:",
        "An Evening of",
        "Chamber Music",
    ]


@pytest.mark.parametrize("name", ["W" * 200, "Extraordinary " * 14, "n\u0308" * 100])
def test_a_name_that_fits_nowhere_ends_in_an_ellipsis(name: str) -> None:
    block = STYLE.fit(name.strip(), WIDTH)
    assert len(block.lines) == 4
    assert block.lines[-1].endswith("…")
    assert all(ink_of(line, 42) <= WIDTH for line in block.lines)
    if " " not in name:
        assert name.startswith("".join(block.lines)[:-1])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("iWmÅ\u0323fgή", min_size=1, max_size=30), min_size=1, max_size=12))
def test_lines_fit_and_lose_nothing_but_the_end(words: list[str]) -> None:
    text = " ".join("W" + word for word in words)
    lines = Style(FONT, ((42, 4),)).fit(text, WIDTH).lines
    assert len(lines) <= 4
    assert all(ink_of(line, 42) <= WIDTH for line in lines)
    assert not any(unicodedata.combining(line[0]) for line in lines)
    shown = "".join(lines).replace(" ", "")
    whole = text.replace(" ", "")
    assert shown == whole or (shown[-1] == "…" and whole.startswith(shown[:-1]))


@pytest.mark.parametrize("letter", ["n", "W", "i", "ж", "Ấ", "Ω"])
def test_a_mark_above_lies_over_its_letter_without_touching_it(letter: str) -> None:
    plain, marked = ink_box(picture_of(letter)), picture_of(letter + "\u030c")
    mark = ink_box(marked.crop((0, 0, WIDTH, plain[1])))
    assert mark[3] <= plain[1]
    assert abs((mark[0] + mark[2]) - (plain[0] + plain[2])) <= 2
    below_the_mark = marked.crop((0, plain[1], WIDTH, 300))
    assert (
        ImageChops.difference(
            below_the_mark, picture_of(letter).crop((0, plain[1], WIDTH, 300))
        ).getbbox()
        is None
    )


@pytest.mark.parametrize("letter", ["n", "W", "g", "ж", "Q"])
def test_a_mark_below_lies_under_its_letter(letter: str) -> None:
    plain, marked = ink_box(picture_of(letter)), picture_of(letter + "\u0323")
    mark = ink_box(marked.crop((0, plain[3], WIDTH, 300)))
    assert abs((mark[0] + mark[2]) - (plain[0] + plain[2])) <= 2
