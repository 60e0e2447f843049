"""The picture of one ticket: what a person holds up at a door.

From the top, centred: event name, date, time and zone, venue; a dashed line; the QR code; the seat;
the ticket id. Words and code are drawn on panels of their own, which are then laid one below the
other: whatever a name holds, it ends at the edge of its panel.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final, NamedTuple

import qrcode
from PIL import Image, ImageDraw

from minitickets.drawing.legible import FONTS, LegibleText, legible
from minitickets.drawing.lettering import BLACK, Style

WHITE: Final = 255
WIDTH: Final = 720  # pixels: phones show this sharp enough, and the longest code gets 14 a module
MARGIN: Final = 40
QUIET_ZONE: Final = 4  # modules, ISO/IEC 18004

_REGULAR: Final = FONTS / "DejaVuSansCondensed.ttf"
_BOLD: Final = FONTS / "DejaVuSansCondensed-Bold.ttf"
_MONO: Final = FONTS / "DejaVuSansMono.ttf"  # tells 0 from O and 1 from l

_EVENT: Final = Style(_BOLD, ((64, 2), (52, 3), (42, 4)))
_DATE: Final = Style(_BOLD, ((38, 1), (32, 2)))
_TIME: Final = Style(_REGULAR, ((38, 1), (32, 2)))
_VENUE: Final = Style(_REGULAR, ((34, 2), (28, 3)))
_SEAT: Final = Style(_BOLD, ((52, 1),))
_TICKET_ID: Final = Style(_MONO, ((30, 1), (26, 2)))


@dataclass(frozen=True)
class TicketFace:
    """What the ticket says. Names are NFC, trimmed, without control characters, 1..200 code points.

    ``date_text`` is like "Thursday 24 December 2026", ``time_text`` like
    "19:30 CET (Europe/Berlin)"; ``ticket_id`` and ``qr_payload`` are ASCII.
    """

    event_name: str
    date_text: str
    time_text: str
    venue: str | None
    seat_number: int
    quantity: int
    ticket_id: str
    qr_payload: str


@dataclass(frozen=True)
class TicketImage:
    """A PNG, and the characters that it could not show, sorted, like "U+65E5"."""

    png: bytes
    replaced: tuple[str, ...]


class _Paragraph(NamedTuple):
    style: Style
    text: LegibleText
    space_before: int = 0  # pixels


def draw_ticket(face: TicketFace) -> TicketImage:
    """Draw ``face``: the same face gives the same bytes.

    A character that cannot be set is drawn as U+FFFD, an invisible one is left out, and both are
    named in ``replaced`` (see ``legible``).
    """
    event = [
        _Paragraph(_EVENT, legible(face.event_name)),
        _Paragraph(_DATE, legible(face.date_text), space_before=20),
        _Paragraph(_TIME, legible(face.time_text)),
    ]
    if face.venue is not None:
        event.append(_Paragraph(_VENUE, legible(face.venue), space_before=20))
    seat = [
        _Paragraph(_SEAT, legible(f"Seat {face.seat_number} of {face.quantity}")),
        _Paragraph(_TICKET_ID, legible(face.ticket_id), space_before=8),
    ]
    panels = [
        _text_panel(event, space_above=MARGIN),
        _tear_line(),
        _code_panel(face.qr_payload),
        _text_panel(seat, space_above=0),
    ]
    replaced = frozenset[str]().union(*(paragraph.text.replaced for paragraph in event + seat))
    return TicketImage(
        _png(_stack(panels)), tuple(f"U+{ord(char):04X}" for char in sorted(replaced))
    )


def _text_panel(paragraphs: Sequence[_Paragraph], space_above: int) -> Image.Image:
    blocks = [style.fit(text.text, WIDTH - 2 * MARGIN) for style, text, _ in paragraphs]
    spaces = [space_above, *(paragraph.space_before for paragraph in paragraphs)]
    height = sum(spaces) + sum(block.height for block in blocks) + MARGIN
    panel = Image.new("L", (WIDTH, height), WHITE)
    draw = ImageDraw.Draw(panel)
    top = space_above
    for paragraph, block in zip(paragraphs, blocks, strict=True):
        top += paragraph.space_before
        block.draw(draw, WIDTH // 2, top)
        top += block.height
    return panel


def _tear_line() -> Image.Image:
    panel = Image.new("L", (WIDTH, 4), WHITE)
    draw = ImageDraw.Draw(panel)
    for left in range(0, WIDTH, 24):
        draw.rectangle((left + 6, 0, left + 17, 3), BLACK)
    return panel


def _code_panel(payload: str) -> Image.Image:
    """The QR code with its quiet zone, in modules of as many whole pixels as the width allows."""
    code = qrcode.QRCode(error_correction=qrcode.ERROR_CORRECT_M, border=QUIET_ZONE)
    code.add_data(payload)
    matrix: list[list[bool]] = code.get_matrix()
    modules = len(matrix)
    pixels = bytes(BLACK if dark else WHITE for row in matrix for dark in row)
    side = WIDTH // modules * modules
    picture = Image.frombytes("L", (modules, modules), pixels)
    panel = Image.new("L", (WIDTH, side), WHITE)
    panel.paste(picture.resize((side, side), Image.Resampling.NEAREST), ((WIDTH - side) // 2, 0))
    return panel


def _stack(panels: Sequence[Image.Image]) -> Image.Image:
    ticket = Image.new("L", (WIDTH, sum(panel.height for panel in panels)), WHITE)
    top = 0
    for panel in panels:
        ticket.paste(panel, (0, top))
        top += panel.height
    return ticket


def _png(picture: Image.Image) -> bytes:
    """Sixteen greys are enough for smooth type; run lengths suit flat areas, and are fast."""
    picture = picture.point([(value + 8) // 17 for value in range(256)])
    picture.putpalette([17 * grey for grey in range(16) for _ in "RGB"])
    file = BytesIO()
    picture.save(file, "PNG", bits=4, compress_type=zlib.Z_RLE)
    return file.getvalue()
