"""The whole story by clicks: book, break, see why, heal, redrive."""

import json
import re

import pytest
from playwright.sync_api import expect

from console.breaking.faults import FaultSwitches
from fixtures.console_stack import Served

pytestmark = pytest.mark.slow


def test_a_broken_seat_is_seen_understood_healed_and_redriven(served: Served, browser_page):
    page = browser_page
    try:
        # Break storage for seat 3.
        page.goto(served.url)
        page.get_by_role("link", name="Break it").click()
        card = page.get_by_role("article").filter(has_text="Storage is down")
        card.get_by_role("spinbutton").fill("3")
        card.get_by_role("switch").click()
        expect(card).to_contain_text("✗ Written[3]:error:always")

        # Send a booking of four seats.
        page.get_by_role("link", name="Book", exact=True).click()
        message = page.get_by_label("Message body")
        expect(message).to_have_value(re.compile("bookingId"))
        first = message.input_value()
        page.get_by_role("button", name="4 seats", exact=True).click()
        expect(message).not_to_have_value(first)  # each sample is a booking of its own
        body = json.loads(message.input_value())
        assert body["quantity"] == 4
        page.get_by_role("button", name="Send once").click()

        # Watch it fail, and read why.
        page.get_by_role("log").get_by_role("link", name=re.compile("^Execution ")).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(body["bookingId"])
        summary = page.get_by_role("region", name="Summary")
        expect(summary).to_contain_text("✗ FAILED")
        expect(summary).to_contain_text("Written of seat 3 failed after 9 attempts: InjectedError")
        tickets = page.get_by_role("img", name=re.compile("^Ticket of seat"))
        expect(tickets).to_have_count(3)

        # Heal.
        page.get_by_role("link", name="Break it").click()
        page.get_by_role("button", name="Heal everything").click()
        expect(page.get_by_role("region", name="In force now")).to_contain_text("Nothing")

        # Redrive: all green, and the picture appears.
        page.get_by_role("link", name="Executions", exact=True).click()
        page.get_by_role("link", name=body["bookingId"]).click()
        page.get_by_role("button", name="Redrive").click()
        expect(summary).to_contain_text("✓ SUCCEEDED")
        expect(page.get_by_role("status")).to_contain_text("Redriven 1 time; ended SUCCEEDED")
        expect(page.get_by_role("heading", name="IssueTickets: 4 of 4 done")).to_be_visible()
        expect(tickets).to_have_count(4)
        expect(page.locator(".execution-graph [data-status=failed]")).to_have_count(0)
        expect(page.locator(".execution-graph [data-status=succeeded]")).to_have_count(9)
        image = page.get_by_role("img", name="Ticket of seat 3")
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("e => e.naturalWidth") > 100
    finally:
        FaultSwitches(served.endpoint).lift()
    (execution,) = served.ended(body["bookingId"])
    assert execution["redriveCount"] == 1
    emails = [e for e in (served.out / "emails").iterdir() if body["bookingId"] in e.name]
    assert len(emails) == 1
