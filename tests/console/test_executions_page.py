"""The page of the executions, in a real browser."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from fixtures.console_stack import Served, booking, console, wait_for
from fixtures.looking import PHONE, scrolls_sideways, tab_to, violations

pytestmark = pytest.mark.slow

MARKUP = "<img src=x onerror=alert(1)>"


def row_of(page: Page, booking_id: str) -> Locator:
    link = page.get_by_role("link", name=booking_id, exact=True)
    return page.get_by_role("row").filter(has=link)


def columns(row: Locator) -> list[str]:
    """Its cells' texts: booking, status, seats ready, email, started, duration, redrives."""
    return row.get_by_role("cell").all_inner_texts()


def test_an_execution_that_starts_appears_by_itself_with_what_became_of_it(served, browser_page):
    browser_page.goto(served.url)
    row = row_of(browser_page, "bk_live")
    expect(browser_page.get_by_role("heading", name="Executions", level=1)).to_be_visible()
    expect(row).to_have_count(0)
    ended = served.book(bookingId="bk_live", quantity=2)
    expect(row).to_contain_text("SUCCEEDED")
    cells = columns(row)
    assert cells[:4] == ["bk_live", "✓ SUCCEEDED", "2/2", "sent"]
    assert cells[4] == ended["startDate"].strftime("%H:%M:%S")
    took = (ended["stopDate"] - ended["startDate"]).total_seconds()
    assert float(cells[5].removesuffix(" s")) == pytest.approx(took, abs=0.06)
    expect(row.get_by_title(ended["startDate"].strftime("%Y-%m-%dT%H:%M:%S"))).to_have_count(1)
    href = row.get_by_role("link").get_attribute("href")
    assert href == f"/execution/{ended['name']}"


def test_the_newest_comes_first(served, browser_page):
    for name in ("bk_order_1", "bk_order_2", "bk_order_3"):
        served.book(bookingId=name)
    browser_page.goto(served.url)
    expect(row_of(browser_page, "bk_order_3")).to_be_visible()
    shown = browser_page.get_by_role("cell").get_by_role("link").all_inner_texts()
    ours = [name for name in shown if name.startswith("bk_order_")]
    assert ours == ["bk_order_3", "bk_order_2", "bk_order_1"]


def test_a_failed_one_says_its_error_and_why_in_its_row(served, browser_page):
    served.book(bookingId="bk_zero", quantity=0)
    browser_page.goto(served.url)
    row = row_of(browser_page, "bk_zero")
    expect(row).to_contain_text("✗ FAILED")
    expect(row).to_contain_text("InvalidBooking: ")
    expect(row).to_contain_text("quantity")
    assert columns(row)[2:4] == ["–", "not sent"]


def test_markup_in_ids_and_in_the_address_is_text(served, browser_page):
    served.book(bookingId=MARKUP)
    browser_page.goto(f"{served.url}/?status=FAILED")
    expect(row_of(browser_page, MARKUP).first).to_contain_text("InvalidBooking")
    assert browser_page.locator("img").count() == 0
    browser_page.goto(f"{served.url}/?booking=%3Cimg%20src%3Dx%20onerror%3Dalert(2)%3E")
    expect(browser_page.get_by_text("No execution of booking <img src=x")).to_be_visible()
    assert browser_page.locator("img").count() == 0


def test_the_status_filter_lives_in_the_address_and_outlives_a_reload(served, browser_page):
    served.book(bookingId="bk_good")
    served.book(bookingId="bk_bad", quantity=0)
    browser_page.goto(served.url)
    browser_page.get_by_role("link", name="✗ FAILED").click()
    expect(browser_page).to_have_url(f"{served.url}/?status=FAILED")
    for _ in range(2):
        expect(row_of(browser_page, "bk_bad")).to_be_visible()
        expect(row_of(browser_page, "bk_good")).to_have_count(0)
        words = browser_page.locator("tbody .chip").all_inner_texts()
        assert set(words) == {"✗ FAILED"}
        chosen = browser_page.locator(".statuses [aria-current]")
        expect(chosen).to_have_text("✗ FAILED")
        browser_page.reload()


def test_enter_finds_a_bookings_executions_and_the_address_keeps_it(served, browser_page):
    served.book(bookingId="bk_one")
    served.book(bookingId="bk_one_2")
    browser_page.goto(served.url)
    tab_to(browser_page, "Whole booking id")
    browser_page.keyboard.type("bk_one")
    browser_page.keyboard.press("Enter")
    expect(browser_page).to_have_url(f"{served.url}/?booking=bk_one")
    for _ in range(2):
        expect(row_of(browser_page, "bk_one")).to_be_visible()
        expect(browser_page.get_by_label("Whole booking id")).to_have_value("bk_one")
        expect(browser_page.locator("tbody tr")).to_have_count(1)
        browser_page.reload()


def test_both_filters_hold_together(served, browser_page):
    served.book(bookingId="bk_both")
    browser_page.goto(f"{served.url}/?booking=bk_both")
    browser_page.get_by_role("link", name="✓ SUCCEEDED").click()
    expect(browser_page).to_have_url(f"{served.url}/?status=SUCCEEDED&booking=bk_both")
    expect(row_of(browser_page, "bk_both")).to_be_visible()
    browser_page.get_by_role("link", name="✗ FAILED").click()
    expect(browser_page.get_by_text("No execution of booking bk_both is FAILED.")).to_be_visible()


def test_no_match_says_so_and_one_click_shows_all_again(served, browser_page):
    browser_page.goto(f"{served.url}/?booking=bk_nobody")
    expect(browser_page.get_by_text("No execution of booking bk_nobody is here.")).to_be_visible()
    browser_page.get_by_role("link", name="Show all executions").click()
    expect(browser_page).to_have_url(f"{served.url}/")
    expect(
        row_of(browser_page, "bk_gala_1").or_(browser_page.locator("tbody tr")).first
    ).to_be_visible()


def test_more_than_fifty_are_shown_on_request(served, browser_page):
    before = len(served.executions(""))
    for number in range(52):
        served.send(booking(bookingId=f"bk_many_{number}", quantity=0))
    wait_for(lambda: len(served.executions("bk_many_")) == 52)
    browser_page.goto(served.url)
    rows = browser_page.locator("tbody tr")
    expect(browser_page.get_by_text("The newest 50 executions")).to_be_visible()
    expect(rows).to_have_count(50)
    more = browser_page.get_by_role("button", name="Show more")
    while more.is_visible():
        shown = rows.count()
        more.click()
        expect(rows).not_to_have_count(shown)
    expect(rows).to_have_count(before + 52)
    expect(browser_page.get_by_text(re.compile(rf"^{before + 52} executions$"))).to_be_visible()


def state_machine(served: Served, stage: str, state: dict[str, object]) -> str:
    """A stage whose state machine is that one state; its ARN."""
    created = served.client("stepfunctions").create_state_machine(
        name=f"minitickets-{stage}-fulfil-booking",
        definition=json.dumps({"StartAt": "Only", "States": {"Only": state}}),
        roleArn="arn:aws:iam::123456789012:role/only",
    )
    return str(created["stateMachineArn"])


@pytest.fixture(scope="module")
def console_of_markup(served: Served) -> Iterator[str]:
    """A console of a stage whose one execution failed with markup for an error."""
    error = {"Type": "Fail", "Error": f"Bad{MARKUP}", "Cause": f"because {MARKUP} & <b>so</b>"}
    machine = state_machine(served, "loud", error)
    served.client("stepfunctions").start_execution(stateMachineArn=machine, input="[]", name="loud")
    with console("--endpoint", served.endpoint, "--stage=loud") as url:
        yield url


def test_markup_in_an_errors_name_and_message_is_text(console_of_markup, browser_page):
    browser_page.goto(console_of_markup)
    row = row_of(browser_page, "no booking id")
    expect(row).to_contain_text(f"Bad{MARKUP}: because {MARKUP} & <b>so</b>")
    assert browser_page.locator("main img, main b").count() == 0


@pytest.fixture(scope="module")
def console_of_nothing(served: Served) -> Iterator[str]:
    """A console of a stage whose state machine has run nothing yet."""
    state_machine(served, "calm", {"Type": "Succeed"})
    with console("--endpoint", served.endpoint, "--stage=calm") as url:
        yield url


def test_without_executions_it_says_how_to_send_a_booking(served, console_of_nothing, browser_page):
    browser_page.goto(console_of_nothing)
    expect(browser_page.get_by_text("No booking has been sent yet.")).to_be_visible()
    command = f"scripts/book --endpoint {served.endpoint} FILE"
    expect(browser_page.get_by_text(command)).to_be_visible()
    browser_page.locator("main").get_by_role("link", name="Book").click()
    expect(browser_page).to_have_url(f"{console_of_nothing}/book")


def test_a_stranger_in_the_address_is_no_filter(served, browser_page):
    browser_page.goto(f"{served.url}/?status=%27DROP")
    expect(browser_page.locator(".statuses [aria-current]")).to_have_text("All")
    expect(browser_page.locator("tbody tr").first).to_be_visible()


def test_it_is_read_at_360_pixels_and_by_everyone(served, browser_page):
    served.book(bookingId="bk_narrow_" + "x" * 40, quantity=0)
    browser_page.set_viewport_size(PHONE)
    browser_page.goto(served.url)
    expect(row_of(browser_page, "bk_narrow_" + "x" * 40)).to_be_visible()
    assert not scrolls_sideways(browser_page)
    assert violations(browser_page) == []
