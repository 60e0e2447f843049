"""The largest booking on the page: 500 seats, 9,525 events."""

import re

import pytest
from playwright.sync_api import expect

from fixtures.console_stack import Served, booking, wait_for
from fixtures.looking import scrolls_sideways

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

SEATS = 500
EVENTS = 25 + 19 * SEATS  # the README's formula


def test_five_hundred_seats_are_counted_scrolled_and_searched(served: Served, browser_page):
    served.send(booking(bookingId="bk_500", quantity=SEATS))
    (execution,) = wait_for(lambda: served.executions("bk_500"))
    page = browser_page
    page.goto(f"{served.url}/execution/{execution['name']}")
    heading = page.get_by_role("heading", name=re.compile(r"^IssueTickets: \d+ of 500 done$"))
    expect(heading).to_be_visible()  # while it runs
    page.set_default_timeout(5_000)
    expect(page.get_by_role("region", name="Summary")).to_contain_text("SUCCEEDED", timeout=300_000)
    expect(heading).to_have_text("IssueTickets: 500 of 500 done")
    written = page.locator('.execution-graph [data-name="Written"]')
    expect(written).to_have_attribute("aria-label", "Written, Task, succeeded: 500 done")

    table = page.locator(".live-table .q-table__middle").first
    table.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    last = page.get_by_role("button", name="seat 500: show only this one")
    expect(last).to_be_visible()
    last.click()
    expect(written).to_have_attribute("aria-label", "Written, Task, succeeded: 1 done")

    page.get_by_role("tab", name="Events").click()
    panel = page.get_by_role("tabpanel", name="Events")
    expect(panel.get_by_role("status")).to_have_text(re.compile(rf"^19 of {EVENTS:,} events"))
    page.get_by_role("button", name="show all").click()
    expect(panel.get_by_role("status")).to_have_text(f"{EVENTS:,} events, page 1 of 96")
    panel.get_by_role("button", name="Later").click()
    expect(panel.get_by_role("status")).to_have_text(f"{EVENTS:,} events, page 2 of 96")
    expect(panel.get_by_role("cell", name="101", exact=True)).to_be_visible()

    written.click()
    visits = page.get_by_role("tabpanel", name="State").get_by_role("article")
    expect(visits).to_have_count(10)
    page.get_by_role("button", name="Show 10 of 490 more").click()
    expect(visits).to_have_count(20)
    assert not scrolls_sideways(page)
