"""Drawing one ticket, against the qrcode package's own bare image of the same payload."""

import io
import time

import qrcode

from benchmarks import Row, in_turn
from minitickets.drawing.ticket_image import TicketFace, draw_ticket

PAYLOAD = "MT1.bk_1001-00002.ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FACE = TicketFace(
    event_name="Winter Gala",
    date_text="Thursday 24 December 2026",
    time_text="19:30 CET (Europe/Berlin)",
    venue="Tempodrom",
    seat_number=2,
    quantity=4,
    ticket_id="bk_1001-00002",
    qr_payload=PAYLOAD,
)
ROUNDS = 20


def measure() -> list[Row]:
    own, bare = in_turn(_ticket, _bare, ROUNDS)
    size = len(draw_ticket(FACE).png)
    figure = f"{own * 1000:.1f} ms against {bare * 1000:.1f} ms; {size} bytes of PNG"
    return [Row("draw a ticket / bare QR image", figure, own / bare)]


def _ticket() -> float:
    started = time.perf_counter()
    draw_ticket(FACE)
    return time.perf_counter() - started


def _bare() -> float:
    started = time.perf_counter()
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M)
    code.add_data(PAYLOAD)
    code.make_image().save(io.BytesIO())
    return time.perf_counter() - started
