"""The name a ticket is saved under, read from the header as a browser reads it (RFC 6266)."""

import re
from email.message import Message

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.image_name import content_disposition


def names(event_name, seat=2):
    """Both names of the header: by Python's own reader of such headers."""
    header = content_disposition("bk_1-00002", seat, event_name)
    assert header.isascii()
    assert header.isprintable()
    plain = re.fullmatch(r'inline; filename="([^"\\]+)"; filename\*=UTF-8\'\'([^"; ]+)', header)
    assert plain, header
    message = Message()
    message["Content-Disposition"] = re.sub(r'filename="[^"]+"; ', "", header)
    return plain[1], message.get_filename()


@pytest.mark.parametrize(
    ("event", "file"),
    [
        ("Winter Gala", "Ticket 2 Winter Gala.png"),
        ("Füße & Köpfe", "Ticket 2 Füße & Köpfe.png"),
        ("夜の音楽", "Ticket 2 夜の音楽.png"),
        ('A "B" C', "Ticket 2 A B C.png"),
        ("../../etc/passwd", "Ticket 2 .. .. etc passwd.png"),
        ("..\\..\\CON", "Ticket 2 .. .. CON.png"),
        ("a\r\nSet-Cookie: x=1", "Ticket 2 a Set-Cookie x=1.png"),
        ("a; filename=evil.exe", "Ticket 2 a; filename=evil.exe.png"),
        ("gnp.\u202eexe", "Ticket 2 gnp.exe.png"),
        ("100 %41", "Ticket 2 100 %41.png"),
        ("...", "Ticket 2.png"),
        ("\u200b", "Ticket 2.png"),
        ("it's", "Ticket 2 it's.png"),
    ],
)
def test_an_events_name_gives_a_safe_file_name(event, file):
    assert names(event) == ("bk_1-00002.png", file)


@given(st.text(max_size=200))
def test_no_name_of_an_event_breaks_the_header_or_leaves_the_folder(event):
    plain, file = names(event)
    assert plain == "bk_1-00002.png"
    assert file.startswith("Ticket 2")
    assert file.endswith(".png")
    assert not re.search(r'[\\/:*?"<>|\x00-\x1f\x7f-\x9f\u202a-\u202e]', file)
    assert len(file.encode()) <= 100
