"""Whatever a ticket says, a gate's scanner reads its code."""

import base64
from io import BytesIO

from hypothesis import strategies as st
from PIL import Image

from fixtures.qr_readers import (
    assert_quiet_zone_is_white,
    box_of_code,
    read_code,
    read_with_opencv,
)
from minitickets.drawing.ticket_image import TicketFace, draw_ticket
from properties.civil_time import FIRST, LAST, ZONES, wall
from properties.for_all import for_all
from properties.messages import ids, names, plain


@st.composite
def faces(draw: st.DrawFn) -> TicketFace:
    """Any ticket that the contract allows; its token is of 128 bits, in base32."""
    when = wall(draw(st.integers(FIRST, LAST)), draw(st.none() | st.sampled_from(ZONES)))
    quantity = draw(st.integers(1, 500))
    seat = draw(st.integers(1, quantity))
    venue = draw(st.none() | names)
    ticket_id = f"{draw(ids)}-{seat:05d}"
    token = base64.b32encode(draw(st.binary(min_size=16, max_size=16))).decode()[:26]
    return TicketFace(
        event_name=plain(draw(names)),
        date_text=when.date_text,
        time_text=when.time_text,
        venue=None if venue is None else plain(venue),
        seat_number=seat,
        quantity=quantity,
        ticket_id=ticket_id,
        qr_payload=f"MT1.{ticket_id}.{token}",
    )


def picture_of(face: TicketFace) -> Image.Image:
    return Image.open(BytesIO(draw_ticket(face).png)).convert("L")


@for_all(faces(), quick=25, deep=60)
def test_two_readers_read_the_code_of_any_ticket_in_its_clean_quiet_zone(face: TicketFace) -> None:
    picture = picture_of(face)
    code = read_code(picture)
    assert code.text == face.qr_payload
    assert code.ec_level == "M"
    assert read_with_opencv(picture) == face.qr_payload
    assert_quiet_zone_is_white(picture)
    modules = picture.crop(box_of_code(picture))
    assert {value for _, value in modules.getcolors()} == {0, 255}
    assert modules.getpixel((0, 0)) == 0  # the corner of a finder: black on white


def test_opencv_reads_nothing_where_no_code_is() -> None:
    assert read_with_opencv(Image.new("L", (720, 1200), 255)) == ""
