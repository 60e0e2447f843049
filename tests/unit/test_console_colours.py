"""Every colour of text against what it stands on: WCAG 2.1, level AA, is 4.5 to 1.

https://www.w3.org/TR/WCAG21/#contrast-minimum
"""

import re
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "scripts" / "console" / "static" / "console.css"
COLOURS = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", CSS.read_text()))
STATUSES = ("succeeded", "failed", "running", "aborted", "caught", "pending", "idle")
PAIRS = [
    *((f"{status}-ink", f"{status}-fill") for status in STATUSES),
    *((f"{status}-ink", ground) for status in STATUSES for ground in ("paper", "ground")),
    *((text, ground) for text in ("ink", "dim", "brand") for ground in ("paper", "ground")),
    ("paper", "brand"),
]


def luminance(colour: str) -> float:
    """As https://www.w3.org/TR/WCAG21/#dfn-relative-luminance defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_each_colour_of_text_can_be_read(text, ground):
    lighter, darker = sorted((luminance(COLOURS[text]), luminance(COLOURS[ground])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_the_arithmetic_is_that_of_the_standard():
    assert (luminance("#ffffff") + 0.05) / (luminance("#000000") + 0.05) == pytest.approx(21)


@pytest.mark.parametrize(
    ("ring", "ground"), [("focus", "paper"), ("focus", "ground"), ("bar-focus", "brand")]
)
def test_the_ring_around_what_has_the_focus_is_seen(ring, ground):
    """3 to 1: https://www.w3.org/TR/WCAG21/#non-text-contrast."""
    pair = (luminance(COLOURS[ring]), luminance(COLOURS[ground]))
    lighter, darker = sorted(pair, reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3
