"""Lines of legible text: the size they fit in, where they break, and how they are drawn.

Pillow's basic layout is used throughout: its bytes do not depend on whether libraqm is installed.
It cannot place marks over letters, so that is done here.
"""

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Final, NamedTuple

from PIL import ImageDraw, ImageFont

from minitickets.drawing.legible import ABOVE, is_mark

BLACK: Final = 0
ELLIPSIS: Final = "…"


class Style(NamedTuple):
    """A font file, and the sizes to try in turn: (pixels, lines allowed)."""

    file: Path
    sizes: tuple[tuple[int, int], ...]

    def fit(self, text: str, width: int) -> "Block":
        """Break ``text`` to ``width`` pixels; if it fits in no size, the last line is shortened."""
        (size, most), *smaller = self.sizes
        face = _Typeface(self.file, size)
        lines = list(_wrap(text, face, width))
        if len(lines) <= most:
            return Block(_balanced(text, face, width, len(lines)), face)
        if smaller:
            return Style(self.file, tuple(smaller)).fit(text, width)
        return Block([*lines[: most - 1], _shorten(lines[most - 1], face, width)], face)


class Block:
    """Lines of text that fit together."""

    def __init__(self, lines: list[str], face: "_Typeface") -> None:
        self.lines = lines
        self._face = face
        self._pitch = round(face.font.size * 1.28)

    @property
    def height(self) -> int:
        return len(self.lines) * self._pitch

    def draw(self, draw: ImageDraw.ImageDraw, centre: int, top: int) -> None:
        """Draw the lines around the x-coordinate ``centre``, below ``top``."""
        baseline = top + round(self._face.font.size)
        for line in self.lines:
            _draw_line(draw, line, self._face, centre, baseline)
            baseline += self._pitch


class _Typeface:
    """One font in one size, and what it measured so far.

    Each ticket opens its own: that takes 0.1 ms, and nothing is shared between threads.
    """

    def __init__(self, file: Path, size: int) -> None:
        self.font = ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)
        self._advances: dict[str, float] = {}

    def length(self, text: str) -> float:
        """Pixels from the pen's start to its end, without kerning (which mostly draws tighter)."""
        return sum(map(self.advance, text))

    def advance(self, char: str) -> float:
        if char not in self._advances:
            self._advances[char] = 0.0 if is_mark(char) else self.font.getlength(char)
        return self._advances[char]


def _wrap(text: str, face: _Typeface, width: int) -> Iterator[str]:
    """Break at spaces, and inside a word only if it is wider than a line."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if face.length(longer) <= width:
            line = longer
            continue
        if line:
            yield line
        line = word
        while face.length(line) > width:
            head = _head(line, face, width)
            yield head
            line = line[len(head) :]
    if line:
        yield line


def _balanced(text: str, face: _Typeface, width: int, count: int) -> list[str]:
    """Break into ``count`` lines of about one length: no last word is left alone on its line."""
    if count == 1:
        return [text]
    longest_word = int(max(map(face.length, text.split(" ")))) + 1
    widths = range(max(min(longest_word, width), width // 2), width)
    narrowest = bisect_left(widths, -count, key=lambda w: -len(list(_wrap(text, face, w))))
    return list(_wrap(text, face, [*widths, width][narrowest]))


def _shorten(line: str, face: _Typeface, width: int) -> str:
    return _head(line, face, width - face.length(ELLIPSIS)).rstrip() + ELLIPSIS


def _head(word: str, face: _Typeface, width: float) -> str:
    """The longest beginning of ``word`` within ``width``: whole letters, one at least."""
    letters = _letters(word)
    ends = list(accumulate(map(face.length, letters)))
    return "".join(letters[: max(bisect_right(ends, width), 1)])


def _letters(text: str) -> list[str]:
    """``text`` cut into letters, each with the marks it carries."""
    letters: list[str] = []
    for char in text:
        if is_mark(char):
            letters[-1] += char
        else:
            letters.append(char)
    return letters


def _draw_line(
    draw: ImageDraw.ImageDraw, line: str, face: _Typeface, centre: int, baseline: int
) -> None:
    letters = _letters(line)
    plain = "".join(letter[0] for letter in letters)
    left = centre - round(face.font.getlength(plain) / 2)
    draw.text((left, baseline), plain, BLACK, face.font, anchor="ls")
    for index, letter in enumerate(letters):
        for mark in letter[1:]:
            pen = left + face.font.getlength(plain[:index])
            x, y = _mark_offset(letter[0], mark, face.font)
            draw.text((round(pen + x), baseline + y), mark, BLACK, face.font, anchor="ls")


def _mark_offset(letter: str, mark: str, font: ImageFont.FreeTypeFont) -> tuple[float, int]:
    """Centre ``mark`` on ``letter``. The font's marks lie at the height that suits an "x"."""
    letter_ink, mark_ink, x_ink = (_ink(char, font) for char in (letter, mark, "x"))
    x = (letter_ink.left + letter_ink.right - mark_ink.left - mark_ink.right) / 2
    if unicodedata.combining(mark) == ABOVE:
        return x, min(letter_ink.top - x_ink.top, 0)
    return x, max(letter_ink.bottom - x_ink.bottom, 0)


class _Ink(NamedTuple):
    """Pixels from the pen on the baseline."""

    left: int
    top: int
    right: int
    bottom: int


def _ink(char: str, font: ImageFont.FreeTypeFont) -> _Ink:
    """Where ``char`` is black (``getbbox`` adds the pen's way, and marks lie outside of it)."""
    mask, (x, y) = font.getmask2(char, anchor="ls")
    left, top, right, bottom = mask.getbbox()
    return _Ink(x + left, y + top, x + right, y + bottom)
