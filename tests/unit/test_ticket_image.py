"""The ticket's code is read back by zxing-cpp, which shares nothing with the code that draws it."""

import hashlib
import subprocess
import sys
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from fixtures.qr_readers import (
    assert_quiet_zone_is_white,
    box_of_code,
    module_of_code,
    read_code,
)
from minitickets.drawing.ticket_image import TicketFace, draw_ticket

FUNCTIONS = Path(__file__).parents[2] / "functions"
TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXY2"  # the length of 128 bits in base32
LONGEST_ID = "a" * 64 + "-00500"

NORMAL = TicketFace(
    event_name="Winter Lights: An Evening of Chamber Music",
    date_text="Thursday 24 December 2026",
    time_text="19:30 CET (Europe/Berlin)",
    venue="Konzerthaus, Berlin",
    seat_number=2,
    quantity=4,
    ticket_id="b-1-00002",
    qr_payload=f"MT1.b-1-00002.{TOKEN}",
)

HOSTILE_NAMES = {
    "widest letters": "W" * 200,
    "one word": "Donaudampfschifffahrts" * 9,
    "two-letter words": "Mm " * 66 + "M",
    "stacked marks": "a" + "\u0301" * 199,
    "marks above and below every letter": "Ấ\u0302\u0323" * 66,
    "tallest accents": "ΏẤỖǺ" * 50,
    "enclosing marks": "O\u20dd" * 100,
    "overlay marks": "x\u0338" * 100,
    "marks alone": "\u0301" * 200,
    "nothing visible": "\u200d" * 200,
    "right to left, overridden": "\u202e" + "אבג " * 49 + "ABC",
    "widest signs": "日" * 200,
    "joined emoji": "👨\u200d👩\u200d👧\ufe0f" * 30,
    "blocks": "█" * 200,
    "bars": "|" * 200,
    "spaces of all kinds": "A\u00a0\u2003\u3000\u1680B" * 40,
    "one letter": "i",
}


def hostile_face(name: str) -> TicketFace:
    payload = f"MT1.{LONGEST_ID}.{TOKEN}"
    return replace(
        NORMAL,
        event_name=unicodedata.normalize("NFC", name),
        venue=unicodedata.normalize("NFC", name),
        time_text="23:59 -03 (America/Argentina/ComodRivadavia)",
        seat_number=500,
        quantity=500,
        ticket_id=LONGEST_ID,
        qr_payload=payload,
    )


def picture_of(face: TicketFace) -> Image.Image:
    return Image.open(BytesIO(draw_ticket(face).png)).convert("L")


@pytest.mark.parametrize(
    "ticket_id", ["b-1-00002", "Ab_9-zZ-00500", LONGEST_ID, "Z" * 64 + "-00001"]
)
def test_an_independent_reader_reads_the_payload(ticket_id: str) -> None:
    payload = f"MT1.{ticket_id}.{TOKEN}"
    code = read_code(picture_of(replace(NORMAL, ticket_id=ticket_id, qr_payload=payload)))
    assert code.text == payload
    assert code.ec_level == "M"


@pytest.mark.parametrize("background", [0x00, 0x28])
@pytest.mark.parametrize("face", [NORMAL, hostile_face("W" * 200)], ids=["normal", "hostile"])
def test_the_code_is_read_when_the_ticket_lies_on_a_dark_screen(
    face: TicketFace, background: int
) -> None:
    ticket = picture_of(face)
    screen = Image.new("L", (ticket.width + 400, ticket.height + 400), background)
    screen.paste(ticket, (200, 200))
    assert read_code(screen).text == face.qr_payload


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES.keys())
def test_no_name_enters_the_quiet_zone(name: str) -> None:
    face = hostile_face(name)
    picture = picture_of(face)
    assert read_code(picture).text == face.qr_payload
    assert_quiet_zone_is_white(picture)


@pytest.mark.parametrize("face", [NORMAL, hostile_face("W" * 200)], ids=["normal", "hostile"])
def test_every_module_is_a_square_of_whole_pixels(face: TicketFace) -> None:
    picture = picture_of(face)
    code = picture.crop(box_of_code(picture))
    count = code.width // module_of_code(picture)
    assert (count - 17) % 4 == 0
    assert code.size == (count * module_of_code(picture),) * 2
    modules = code.resize((count, count), Image.Resampling.NEAREST)
    rebuilt = modules.resize(code.size, Image.Resampling.NEAREST)
    assert ImageChops.difference(code, rebuilt).getbbox() is None
    assert {value for _, value in modules.getcolors()} == {0, 255}


def test_a_ticket_is_portrait_and_small() -> None:
    for face in (NORMAL, replace(NORMAL, venue=None, event_name="i"), hostile_face("W" * 200)):
        ticket = draw_ticket(face)
        width, height = Image.open(BytesIO(ticket.png)).size
        assert width < height < 2.2 * width
        assert len(ticket.png) < 50_000


@pytest.mark.parametrize(
    "change",
    [
        {"event_name": "Summer Lights"},
        {"date_text": "Friday 25 December 2026"},
        {"time_text": "19:31 CET (Europe/Berlin)"},
        {"venue": "Philharmonie, Berlin"},
        {"venue": None},
        {"seat_number": 3},
        {"quantity": 5},
        {"ticket_id": "b-1-00003"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_fact_shows_on_the_ticket(change: dict[str, object]) -> None:
    changed, before = picture_of(replace(NORMAL, **change)), picture_of(NORMAL)
    assert changed.size != before.size or ImageChops.difference(changed, before).getbbox()


def test_the_whole_of_the_longest_ticket_id_shows() -> None:
    """Any of its 70 characters changes the picture below the code, and none leaves the margins."""
    face = hostile_face("x")
    reference = picture_of(face)
    below = (0, box_of_code(reference)[3], reference.width, reference.height)
    shown = reference.crop(below)
    ink = ImageChops.invert(shown).getbbox()
    assert ink is not None
    assert ink[0] >= 30
    assert ink[2] <= reference.width - 30
    for index in range(len(LONGEST_ID)):
        other = LONGEST_ID[:index] + "X" + LONGEST_ID[index + 1 :]
        drawn = picture_of(replace(face, ticket_id=other)).crop(below)
        assert ImageChops.difference(drawn, shown).getbbox(), f"character {index} does not show"


@pytest.mark.parametrize("face", [NORMAL, hostile_face("Ấ" * 200)], ids=["normal", "hostile"])
def test_the_same_face_gives_the_same_bytes_from_threads_and_other_processes(
    face: TicketFace,
) -> None:
    expected = draw_ticket(face).png
    with ThreadPoolExecutor(4) as threads:
        others = [replace(face, event_name=name) for name in ("A", "日本", "Київ")]
        drawn = list(threads.map(draw_ticket, [face, *others, face] * 4))
    assert {ticket.png for ticket in drawn[::5] + drawn[4::5]} == {expected}
    script = (
        "import hashlib; from minitickets.drawing.ticket_image import *;"
        f"print(hashlib.sha256(draw_ticket({face!r}).png).hexdigest())"
    )
    for seed in ("1", "2"):
        fresh = subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONPATH": str(FUNCTIONS), "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert fresh.stdout.strip() == hashlib.sha256(expected).hexdigest()


def test_a_ticket_keeps_nothing_of_the_ticket_drawn_before() -> None:
    alone = draw_ticket(NORMAL)
    draw_ticket(hostile_face("日" * 200))
    assert draw_ticket(NORMAL) == alone


def test_what_cannot_be_shown_is_named_once_and_in_order() -> None:
    face = replace(NORMAL, event_name="日本 🎉 日", venue="מ\u200d")
    assert draw_ticket(face).replaced == ("U+05DE", "U+200D", "U+65E5", "U+672C", "U+1F389")


def test_nothing_is_named_when_all_of_it_shows() -> None:
    name = "Zoë Łukasz Ἑλλάς Ελλάδα Київ Ђорђе Çağrı Nguyễn"
    assert draw_ticket(replace(NORMAL, event_name=name, venue=name)).replaced == ()
