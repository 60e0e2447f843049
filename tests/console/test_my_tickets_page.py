"""The page My tickets, in a real browser: what a holder sees while a booking breaks and heals."""

import pytest
from playwright.sync_api import expect

from fixtures.console_stack import booking
from fixtures.looking import PHONE, scrolls_sideways, tab_to, violations

pytestmark = pytest.mark.slow

FAULTS = "/_minitickets/faults"


def test_a_holder_sees_creating_until_storage_is_back_and_then_the_tickets(served, browser_page):
    page = browser_page
    page.goto(f"{served.url}/my-tickets")
    expect(page.get_by_role("link", name="My tickets")).to_have_attribute("aria-current", "page")
    tab_to(page, "User id")
    page.keyboard.type("usr_held")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.url}/my-tickets?user=usr_held")
    expect(page.get_by_text("usr_held has no tickets.")).to_be_visible()

    name = "bk_held"
    fault = {"fault": "Written[2]:error:always", "booking": name}
    assert page.request.post(served.endpoint + FAULTS, data=fault).ok
    body = booking(bookingId=name, userId="usr_held", eventName="<b>Gala</b>", quantity=2)
    served.send(body)
    served.ended(name)
    row = page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("1/2")
    expect(row).to_contain_text("● creating")
    expect(row).to_contain_text("<b>Gala</b>")  # a name is text
    seats = page.get_by_role("table").nth(1)
    expect(seats.get_by_role("row", name="seat 1 ")).to_contain_text("✓ ready")
    expect(seats.get_by_role("row", name="seat 2 ")).to_contain_text("● creating")
    expect(seats.get_by_role("img")).to_have_count(1)

    page.request.delete(served.endpoint + FAULTS)
    (execution,) = served.executions(name)
    arn = execution["executionArn"]
    served.client("stepfunctions").redrive_execution(executionArn=arn)
    expect(row).to_contain_text("2/2")
    expect(row).to_contain_text("✓ ready")
    expect(seats.get_by_role("img")).to_have_count(2)
    picture = seats.get_by_role("img", name="Ticket of seat 2")
    assert picture.evaluate("e => e.decode().then(() => e.naturalWidth)") > 100
    table = served.client("dynamodb").scan(TableName="minitickets-dev-tickets")
    tokens = [item["token"]["S"] for item in table["Items"] if item["bookingId"]["S"] == name]
    assert len(tokens) == 2
    assert not any(token in page.content() for token in tokens)
    assert violations(page) == []
    page.set_viewport_size(PHONE)
    assert not scrolls_sideways(page)


def test_the_tickets_of_the_booking_that_is_picked_are_shown(served, browser_page):
    page = browser_page
    for name, starts in (("bk_p1", "2027-01-01T20:00:00Z"), ("bk_p2", "2028-01-01T20:00:00Z")):
        served.book(bookingId=name, userId="usr_pick", startsAt=starts)
    page.goto(f"{served.url}/my-tickets?user=usr_pick")
    expect(page.get_by_role("heading", name="Tickets of bk_p2")).to_be_visible()  # the newest
    page.get_by_role("button", name="bk_p1: show its tickets").click()
    expect(page.get_by_role("heading", name="Tickets of bk_p1")).to_be_visible()
    expect(page.get_by_role("img", name="Ticket of seat 1")).to_have_attribute(
        "src", "/tickets/bk_p1/1.png"
    )
