import re
from email import message_from_string
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.booking import Booking
from minitickets.domain.confirmation import write_confirmation

URL = "https://tickets.example/mine"
GALA = Booking(
    booking_id="bk_1001",
    user_id="usr_7",
    event_id="evt_gala",
    quantity=4,
    event_name="Winter Gala",
    venue="Tempodrom",
    starts_at="2026-12-24T19:30:00+01:00",
    time_zone="Europe/Berlin",
)
HOSTILE = [
    "Gala\r\nBcc: x@evil.example",
    "Gala\n\nBody",
    "Gala\x00\x1b[2J\x7f\x85",
    "Gala\u2028Bcc: x\u2029",
    "\u202egnp.elag\u202c\u2066x\u2069\u200f",
    "Gala\ud800",
    "</title><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{url} {0} {} %s ${x} &amp; &#10;",
    "x" * 200,
    "é\u0301" * 100,
    "🎫" * 200,
    "שלום" * 50,
]


class Page(HTMLParser):
    """What a reader of the HTML finds: its tags, its links, and its text outside of the head."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str | None] = []
        self.language: str | None = None
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag != "meta":
            self.open.append(tag)
        if tag == "html":
            self.language = dict(attrs)["lang"]
        if tag == "a":
            self.links.append(dict(attrs)["href"])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "head" not in self.open:
            self.text += data


PLAIN_TAGS = Page(write_confirmation(GALA, URL).html).tags


def test_the_text_says_what_when_where_how_many_and_where_the_tickets_will_be() -> None:
    assert write_confirmation(GALA, URL).text == (
        "Your booking is confirmed.\n"
        "\n"
        "Winter Gala\n"
        "\n"
        "When:    Thursday 24 December 2026, 19:30 CET (Europe/Berlin)\n"
        "Where:   Tempodrom\n"
        "Seats:   4 seats\n"
        "Booking: bk_1001\n"
        "\n"
        "Your 4 tickets, each with its own QR code for the door, are on this page within minutes:\n"
        "\n"
        "https://tickets.example/mine\n"
    )


def test_the_html_says_the_same() -> None:
    page = Page(write_confirmation(GALA, URL).html)
    for fact in (
        "Your booking is confirmed",
        "Winter Gala",
        "Thursday 24 December 2026, 19:30 CET (Europe/Berlin)",
        "Tempodrom",
        "4 seats",
        "bk_1001",
        "Your 4 tickets, each with its own QR code for the door, are on this page within minutes:",
        URL,
    ):
        assert fact in page.text
    assert page.links == [URL]
    assert page.language == "en"
    assert page.open == []


def test_the_subject_says_what_and_when() -> None:
    subject = write_confirmation(GALA, URL).subject
    assert subject == "Booking confirmed: Winter Gala, Thursday 24 December 2026"


def test_one_seat_is_one() -> None:
    email = write_confirmation(GALA._replace(quantity=1), URL)
    assert "Seats:   1 seat\n" in email.text
    assert "Your ticket, with its QR code" in email.text
    assert "seats" not in email.text + Page(email.html).text


def test_without_venue_and_zone_the_place_is_left_out_and_the_offset_told() -> None:
    email = write_confirmation(GALA._replace(venue=None, time_zone=None), URL)
    assert "Where" not in email.text + email.html
    assert "19:30 (UTC+01:00)" in email.text
    assert "19:30 (UTC+01:00)" in email.html


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_adds_a_header_a_tag_or_a_line(name: str) -> None:
    email = write_confirmation(GALA._replace(event_name=name, venue=name), URL)
    message = EmailMessage()
    message["Subject"] = email.subject  # refuses CR and LF by itself
    assert message.keys() == ["Subject"]
    assert not re.search(
        r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", email.subject
    )
    assert len(email.subject) <= 150
    assert Page(email.html).tags == PLAIN_TAGS
    assert email.text.count("\n") == write_confirmation(GALA, URL).text.count("\n")
    assert (email.subject + email.text + email.html).encode("utf-8")


def test_names_are_shown_as_they_are_written() -> None:
    name = "Rock & \"Roll\" <Live> O'Neil's 日本 €5 {url} 👩\u200d👧"
    email = write_confirmation(GALA._replace(event_name=name, venue=name), URL)
    assert name in email.subject
    assert email.text.count(name) == 2
    assert Page(email.html).text.count(name) == 2


def test_the_url_is_escaped_in_the_page_and_whole_in_the_text() -> None:
    url = "http://localhost:8080/me?a=1&lt=2#x;y=(z)"
    email = write_confirmation(GALA, url)
    assert Page(email.html).links == [url]
    assert "&amp;lt=2" in email.html
    assert email.text.endswith(f"\n{url}\n")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "tickets.example",
        "//tickets.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "ftp://tickets.example/",
        "mailto:a@b.cd",
        " https://tickets.example",
        "https://",
        "https:///path",
        "https:tickets.example",
        "https://tickets.example/ x",
        "https://tickets.example/\n",
        'https://tickets.example/"onclick="x',
        "https://tickets.example/<b>",
        "https://tickets.example/\x00",
    ],
)
def test_only_a_web_address_may_become_the_link(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        write_confirmation(GALA, url)


def test_the_page_brings_no_colour_that_dark_mode_would_drown() -> None:
    html = write_confirmation(GALA, URL).html
    assert '<meta name="color-scheme" content="light dark">' in html
    for style in re.findall(r'style="([^"]*)"', html):
        declared = {declaration.split(":")[0] for declaration in style.split(";")}
        assert ("color" in declared) == ("background" in declared)


@given(st.text(st.characters(exclude_categories=[])), st.integers(1, 500))
def test_any_name_gives_a_whole_email(name: str, quantity: int) -> None:
    booking = GALA._replace(event_name=name, venue=f"x{name}", quantity=quantity)
    email = write_confirmation(booking, URL)
    assert email.subject.startswith("Booking confirmed: ")
    assert Page(email.html).tags == PLAIN_TAGS
    assert email.html.encode("utf-8")


def test_a_name_that_a_mail_program_would_decode_stays_what_it_is() -> None:
    subject = write_confirmation(GALA._replace(event_name="=?utf-8?q?evil?="), URL).subject
    message = message_from_string(f"Subject: {subject}\n\n", policy=default)
    assert message["Subject"] == subject
    assert "utf-8" in subject
