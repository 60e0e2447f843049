"""The page that sends bookings, in a real browser."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from fixtures.console_stack import Served, booking, console_on_aws, wait_for
from fixtures.looking import PHONE, scrolls_sideways, tab_to, violations

pytestmark = pytest.mark.slow

SAMPLES = {  # what each is for, and what its body must hold
    "4 seats": '"quantity": 4',
    "1 seat": '"quantity": 1',
    "Accents, Greek, Cyrillic": "Ελλάδα, Київ",
    "500 seats": '"quantity": 500',
    "Broken: 0 seats": '"quantity": 0',
    "Broken: not JSON": "please",
    "A name that is markup": "<img src=x onerror=alert(1)>",
}


@pytest.fixture
def page(served: Served, browser_page: Page) -> Page:
    browser_page.goto(f"{served.url}/book")
    return browser_page


def body(page: Page) -> Locator:
    return page.get_by_label("Message body")


def choose(page: Page, sample: str) -> str:
    """The body that the choice fills in."""
    before = body(page).input_value()
    page.get_by_role("button", name=sample, exact=True).click()
    expect(body(page)).not_to_have_value(before)
    return body(page).input_value()


def send(page: Page, how: str = "Send once") -> Locator:
    """The entry of what was sent."""
    entries = page.get_by_role("log").get_by_role("article")
    before = entries.count()
    page.get_by_role("button", name=how, exact=True).click()
    expect(entries).to_have_count(before + 1)
    return entries.first


@pytest.mark.parametrize(("sample", "holds"), SAMPLES.items())
def test_a_sample_is_chosen_each_time_under_a_booking_of_its_own(page, sample, holds):
    bodies = [choose(page, sample), choose(page, sample)]
    assert all(holds in text for text in bodies)
    assert bodies[0] != bodies[1]
    chosen = page.get_by_role("button", name=sample, exact=True)
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[aria-pressed=true]")).to_have_count(1)


def test_what_is_sent_is_followed_to_its_end_with_a_way_to_the_execution(served, page):
    sent = json.loads(choose(page, "1 seat"))
    entry = send(page)
    expect(entry.get_by_role("heading")).to_contain_text(sent["bookingId"])
    expect(entry).to_contain_text("✓ SUCCEEDED")
    (execution,) = served.executions(sent["bookingId"])
    link = entry.get_by_role("link", name=re.compile("^Execution "))
    assert link.get_attribute("href") == f"/execution/{execution['name']}"
    message = json.loads(execution["input"])[0]["messageId"]
    expect(entry).to_contain_text(f"Sent as message {message}")
    assert json.loads(execution["input"])[0]["body"] == json.dumps(
        sent, ensure_ascii=False, indent=2
    )


def test_after_sending_the_form_holds_another_booking_also_if_it_was_edited(page):
    edited = choose(page, "1 seat").replace("Winter Gala", "Summer Gala")
    body(page).fill(edited)
    send(page)
    expect(body(page)).not_to_have_value(edited)
    now, before = json.loads(body(page).input_value()), json.loads(edited)
    assert now.pop("bookingId") != before.pop("bookingId")
    assert now == before


def test_sending_twice_gives_two_executions_and_one_set_of_tickets(served, page):
    sent = json.loads(choose(page, "4 seats"))["bookingId"]
    entry = send(page, "Send twice at the same time")
    expect(entry.get_by_text("Sent as message")).to_have_count(2)
    expect(entry.get_by_text("✓ SUCCEEDED")).to_have_count(2)
    assert len(served.ended(sent, 2)) == 2
    found = served.client("dynamodb").scan(TableName="minitickets-dev-tickets")["Items"]
    seats = [int(item["seatNumber"]["N"]) for item in found if item["bookingId"]["S"] == sent]
    assert sorted(seats) == [1, 2, 3, 4]
    emails = list((served.out / "emails").glob(f"*-{sent}.eml"))
    assert len(emails) == 1


def test_a_broken_booking_ends_failed_and_is_found_from_here(served, page):
    sent = json.loads(choose(page, "Broken: 0 seats"))["bookingId"]
    entry = send(page)
    expect(entry).to_contain_text("✗ FAILED")
    expect(entry).to_contain_text("InvalidBooking")
    entry.get_by_role("link", name="All executions of this booking").click()
    expect(page).to_have_url(f"{served.url}/?booking={sent}")
    expect(page.get_by_role("row").filter(has_text=sent)).to_contain_text("InvalidBooking")


def test_a_pasted_body_goes_out_as_it_stands_though_it_is_no_json(served, page):
    pasted = '{"bookingId": bk_pasted},\n\t<b>“not JSON”</b> \\u0041 \U0001f3ab  '
    body(page).fill(pasted)
    entry = send(page)
    expect(entry).to_contain_text("Sent as message")
    (execution,) = served.ended("bk_pasted")
    expect(entry.get_by_role("link", name=f"Execution {execution['name']}")).to_be_visible()
    expect(entry).to_contain_text("✗ FAILED")
    assert json.loads(execution["input"])[0]["body"] == pasted
    assert execution["error"] == "InvalidBooking"
    expect(body(page)).to_have_value(pasted)


def test_nothing_can_be_typed_while_the_console_does_not_hear_it(served, browser_page):
    browser_page.route_web_socket(re.compile("/_nicegui_ws/"), lambda _: None)  # silent for ever
    browser_page.goto(f"{served.url}/book")
    expect(browser_page.get_by_role("navigation")).to_be_visible()
    expect(body(browser_page)).to_have_count(0)


def test_a_second_delivery_by_hand_waits_for_its_own_execution(served, page):
    again = booking(bookingId="bk_again")
    served.book(bookingId="bk_again")
    body(page).fill(json.dumps(again))
    entry = send(page)
    expect(entry).to_contain_text("SUCCEEDED")
    newest, first = served.ended("bk_again", 2)
    expect(entry.get_by_role("link", name=re.compile("^Execution "))).to_have_count(1)
    expect(entry).to_contain_text(newest["name"])
    expect(entry).not_to_contain_text(first["name"])


def test_a_refusal_of_sqs_is_a_sentence(page):
    body(page).fill("")
    expect(send(page)).to_contain_text("SQS refuses it: ")
    body(page).fill("a￿b")  # a noncharacter, which SQS's documentation excludes
    expect(send(page)).to_contain_text("SQS refuses it: ")


def test_a_name_that_is_markup_is_sent_and_is_only_text(served, page):
    sent = json.loads(choose(page, "A name that is markup"))
    expect(send(page)).to_contain_text("SUCCEEDED")
    body(page).fill(json.dumps(booking(bookingId=sent["eventName"])))
    entry = send(page)
    expect(entry.get_by_role("heading")).to_contain_text(sent["eventName"])
    expect(entry).to_contain_text("FAILED")
    assert page.locator("img").count() == 0


def test_the_keyboard_chooses_writes_and_sends(served, page):
    tab_to(page, "1 seat")
    before = body(page).input_value()
    page.keyboard.press("Enter")
    expect(body(page)).not_to_have_value(before)
    sent = json.loads(body(page).input_value())["bookingId"]
    tab_to(page, "Send once")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text(sent)
    tab_to(page, "Send twice at the same time")
    page.keyboard.press("Space")
    expect(page.get_by_role("log").get_by_role("article")).to_have_count(2)


def test_it_is_read_at_360_pixels_and_by_everyone(served, page):
    body(page).fill(json.dumps(booking(bookingId="bk_" + "w" * 60, quantity=0)))
    expect(send(page)).to_contain_text("FAILED")
    page.set_viewport_size(PHONE)
    assert not scrolls_sideways(page)
    assert violations(page) == []


# ---- On AWS


@pytest.fixture(scope="module")
def aws(served: Served) -> Iterator[str]:
    with console_on_aws(served) as url:
        yield url


def test_on_aws_it_warns_and_sends_only_what_is_confirmed(served, aws, browser_page):
    browser_page.goto(f"{aws}/book")
    expect(browser_page.get_by_role("note")).to_contain_text(
        "a booking that you send here is a real"
    )
    cancelled = json.loads(choose(browser_page, "1 seat"))["bookingId"]
    browser_page.get_by_role("button", name="Send once").click()
    dialog = browser_page.get_by_role("dialog", name="Send a real booking?")
    expect(dialog).to_contain_text("an email")
    # axe takes the backdrop for what lies behind the dialog's buttons, which is the white card.
    assert violations(browser_page, without=("color-contrast",)) == []
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)

    confirmed = json.loads(choose(browser_page, "1 seat"))["bookingId"]
    browser_page.get_by_role("button", name="Send once").click()
    browser_page.get_by_role("dialog").get_by_role("button", name="Send it").click()
    entries = browser_page.get_by_role("log").get_by_role("article")
    expect(entries).to_contain_text(confirmed)
    expect(entries).to_contain_text("SUCCEEDED")
    assert entries.count() == 1
    assert wait_for(lambda: served.executions(confirmed))
    assert served.executions(cancelled) == []
