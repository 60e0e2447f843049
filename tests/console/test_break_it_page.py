"""The page that breaks the local stack and heals it, in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from console.breaking.faults import FaultSwitches
from fixtures.console_stack import Served, console_on_aws, wait_for
from fixtures.looking import PHONE, scrolls_sideways, tab_to, violations

pytestmark = pytest.mark.slow

STORAGE = "Storage is down"
CRASH = "A worker crashes after the write"


@pytest.fixture
def page(served: Served, browser_page: Page) -> Page:
    browser_page.goto(f"{served.url}/break-it")
    expect(switch(browser_page, STORAGE)).to_be_visible()
    return browser_page


@pytest.fixture(autouse=True)
def switches(served: Served) -> Iterator[FaultSwitches]:
    """The stack's faults, seen from outside the page; none is left."""
    found = FaultSwitches(served.endpoint)
    yield found
    found.lift()


def switch(page: Page, title: str) -> Locator:
    return page.get_by_role("switch", name=f"In force: {title}")


def card(page: Page, title: str) -> Locator:
    heading = page.get_by_role("heading", name=title, exact=True)
    return page.get_by_role("article").filter(has=heading)


def in_force(page: Page) -> Locator:
    return page.get_by_role("region", name="In force now")


def wait_until_active(switches: FaultSwitches, *faults: str) -> None:
    wanted = sorted(faults)
    wait_for(lambda: sorted(each.fault for each in switches.active()) == wanted)


@pytest.mark.parametrize(
    ("title", "fault"),
    [
        (STORAGE, "Written:error:always"),
        ("Email is throttled", "SendEmail:ses-throttle:always"),
        ("Email is rejected", "SendEmail:ses-reject:always"),
        (CRASH, "Written:crash:1"),
        ("A step hangs", "RecordEmailJob:hang:1"),
    ],
)
def test_a_switch_turns_its_fault_on_and_off(page, switches, title, fault):
    switch(page, title).click()
    wait_until_active(switches, fault)
    expect(in_force(page)).to_contain_text(fault)
    expect(card(page, title)).to_contain_text(f"✗ {fault}")
    expect(switch(page, title)).to_have_attribute("aria-checked", "true")
    expect(page.locator("[aria-checked=true]")).to_have_count(1)
    switch(page, title).click()
    wait_until_active(switches)
    expect(card(page, title)).to_contain_text("– off")
    expect(in_force(page)).to_contain_text("Nothing")


def test_a_fault_can_be_for_one_seat(page, switches):
    seat = card(page, STORAGE).get_by_role("spinbutton")
    seat.fill("3")
    switch(page, STORAGE).click()
    wait_until_active(switches, "Written[3]:error:always")
    expect(seat).to_be_disabled()
    switch(page, STORAGE).click()
    wait_until_active(switches)
    expect(seat).to_be_enabled()


@pytest.mark.parametrize("seat", ["0", "-2", "1.5", "99999999999"])
def test_a_seat_that_is_none_breaks_no_other_seat(page, switches, seat):
    card(page, STORAGE).get_by_role("spinbutton").fill(seat)
    switch(page, STORAGE).click()
    expect(page.get_by_role("alert")).to_contain_text("seat")
    assert switches.active() == []
    expect(switch(page, STORAGE)).to_have_attribute("aria-checked", "false")


def test_the_keyboard_turns_a_switch_and_heals(page, switches):
    tab_to(page, f"In force: {STORAGE}")
    page.keyboard.press("Space")
    wait_until_active(switches, "Written:error:always")
    expect(switch(page, STORAGE)).to_have_attribute("aria-checked", "true")
    page.locator("body").focus()
    tab_to(page, "Heal everything")
    page.keyboard.press("Enter")
    wait_until_active(switches)


def test_faults_from_elsewhere_are_listed_and_move_the_switch(page, switches):
    switches.add("Written[2]:error:always")
    switches.add("Ready:hang:3", "bk_elsewhere")
    expect(in_force(page)).to_contain_text("Ready:hang:3, booking bk_elsewhere only")
    expect(in_force(page)).to_contain_text("Written[2]:error:always, any booking")
    expect(switch(page, STORAGE)).to_have_attribute("aria-checked", "true")


def test_a_fault_that_has_struck_its_last_time_is_off_by_itself(served, page):
    switch(page, CRASH).click()
    expect(in_force(page)).to_contain_text("Written:crash:1")
    served.book(bookingId="bk_crash")
    expect(in_force(page)).to_contain_text("Nothing")
    expect(switch(page, CRASH)).to_have_attribute("aria-checked", "false")


def test_heal_everything_offers_what_failed_and_a_redrive_could_mend(served, page, switches):
    switches.add("Written[1]:error:always")
    switches.add("SendEmail:ses-throttle:always", "bk_other")
    failed = served.book(bookingId="bk_heal")
    served.book(bookingId="bk_hopeless", quantity=0)
    assert failed["status"] == "FAILED"
    page.get_by_role("button", name="Heal everything").click()
    wait_until_active(switches)
    link = in_force(page).get_by_role("link", name="bk_heal")
    expect(link).to_have_attribute("href", f"/execution/{failed['name']}")
    expect(in_force(page)).to_contain_text("redrive")
    expect(in_force(page)).not_to_contain_text("bk_hopeless")


def test_the_bad_message_is_sent_and_found(served, page):
    before = len(served.executions("bk_broken_1"))
    bad = card(page, "A bad message")
    bad.get_by_role("button").click()
    expect(bad).to_contain_text("Sent as message")
    ended = served.ended("bk_broken_1", before + 1)
    assert ended[0]["error"] == "InvalidBooking"
    bad.get_by_role("link", name="See its executions").click()
    expect(page).to_have_url(f"{served.url}/?booking=bk_broken_1")
    expect(page.get_by_role("row").filter(has_text="InvalidBooking")).to_have_count(before + 1)


def test_each_scenario_says_what_to_expect_where_to_look_and_how_to_heal(page):
    cards = page.get_by_role("article")
    assert cards.count() == 6
    for one in cards.all():
        assert one.get_by_role("term").all_inner_texts() == ["Expect", "Look at", "Heal"]
        assert all(len(words) > 20 for words in one.get_by_role("definition").all_inner_texts())


def test_it_is_read_at_360_pixels_and_by_everyone(page, switches):
    for fault in ("Written:error:always", "Ready[12345]:lost-reply:123456", "SendEmail:throttle:1"):
        switches.add(fault, "bk_" + "x" * 60 if "Ready" in fault else None)
    expect(in_force(page)).to_contain_text("Ready[12345]")
    page.set_viewport_size(PHONE)
    assert not scrolls_sideways(page)
    assert violations(page) == []


@pytest.fixture(scope="module")
def aws(served: Served) -> Iterator[str]:
    with console_on_aws(served) as url:
        yield url


def test_on_aws_nothing_can_be_broken(aws, browser_page):
    browser_page.goto(f"{aws}/break-it")
    expect(browser_page.get_by_text("on the local stack only")).to_be_visible()
    expect(browser_page.get_by_role("switch")).to_have_count(0)
    ways = browser_page.get_by_role("navigation", name="Pages").get_by_role("link")
    expect(ways).to_have_text(["Executions", "Reconciliations", "Book", "My tickets"])
