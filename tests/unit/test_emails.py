"""Each email that SES accepted becomes a file that mail programs read."""

from concurrent.futures import ThreadPoolExecutor
from email import message_from_bytes
from email.policy import default

import pytest

from local_stack.emails import Outbox, booking_tag


def request(booking="bk_1", subject="Booking confirmed: Zoë", tags=True):
    return {
        "FromEmailAddress": "tickets@minitickets.example",
        "Destination": {"ToAddresses": ["zoe@xn--exmple-cua.com"]},
        "Content": {
            "Simple": {
                "Subject": {"Data": subject},
                "Body": {"Text": {"Data": "Grüße, Київ\n"}, "Html": {"Data": "<p>Grüße</p>\n"}},
            }
        },
    } | ({"EmailTags": [{"Name": "bookingId", "Value": booking}]} if tags else {})


@pytest.fixture
def outbox(tmp_path):
    return Outbox(tmp_path / "deep" / "emails")


def test_the_file_is_a_multipart_email_with_the_text_first(outbox, tmp_path):
    outbox.add("m-1", request())
    file = tmp_path / "deep" / "emails" / "1-bk_1.eml"
    email = message_from_bytes(file.read_bytes(), policy=default)
    assert email.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in email.iter_parts()] == ["text/plain", "text/html"]
    assert email.get_body(["plain"]).get_content().splitlines() == ["Grüße, Київ"]
    assert email.get_body(["html"]).get_content().splitlines() == ["<p>Grüße</p>"]
    assert email["From"] == "tickets@minitickets.example"
    assert email["To"] == "zoe@xn--exmple-cua.com"
    assert email["Subject"] == "Booking confirmed: Zoë"
    assert email["Message-ID"] == "<m-1@local>"
    assert not email.defects


def test_the_files_are_numbered_from_one_in_the_order_of_acceptance(outbox, tmp_path):
    for id_ in ("bk_b", "bk_a", "bk_b"):
        outbox.add("m", request(id_))
    assert [email.file_name for email in outbox.sent] == ["1-bk_b.eml", "2-bk_a.eml", "3-bk_b.eml"]
    files = {file.name for file in (tmp_path / "deep" / "emails").iterdir()}
    assert files == {"1-bk_b.eml", "2-bk_a.eml", "3-bk_b.eml"}


def test_emails_that_are_accepted_at_once_get_a_number_each(outbox, tmp_path):
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda n: outbox.add(f"m-{n}", request()), range(40)))
    assert [email.number for email in outbox.sent] == list(range(1, 41))
    assert len(list((tmp_path / "deep" / "emails").iterdir())) == 40


def test_an_email_without_a_tag_is_kept_too(outbox):
    outbox.add("m-1", request(tags=False))
    assert booking_tag(request(tags=False)) is None
    assert outbox.sent[0].file_name == "1-unknown.eml"
