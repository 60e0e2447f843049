"""The page of one execution, in a real browser."""

import json
from typing import Any

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from console.breaking.faults import FaultSwitches
from fixtures.console_stack import Served
from fixtures.looking import PHONE, scrolls_sideways, tab_to, violations

pytestmark = pytest.mark.slow

MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def failed(served: Served) -> dict[str, Any]:
    """Four seats of which the third could not be written; the fault is lifted since."""
    switches = FaultSwitches(served.endpoint)
    switches.add("Written[3]:error:always", "bk_seat_3")
    execution = served.book(bookingId="bk_seat_3", quantity=4, eventName=MARKUP)
    switches.remove("Written[3]:error:always", "bk_seat_3")
    assert execution["status"] == "FAILED"
    return execution


def open_page(page: Page, served: Served, execution: dict[str, Any]) -> None:
    page.goto(f"{served.url}/execution/{execution['name']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("bk_seat_3")


def seat_row(page: Page, number: int) -> Locator:
    button = page.get_by_role("button", name=f"seat {number}: show only this one")
    return page.get_by_role("row").filter(has=button)


def node(page: Page, state: str) -> Locator:
    return page.locator(f'.execution-graph [data-name="{state}"]')


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def test_the_head_says_what_failed_of_which_seat_and_why(served, failed, browser_page):
    open_page(browser_page, served, failed)
    summary = browser_page.get_by_role("region", name="Summary")
    expect(summary).to_contain_text("✗ FAILED")
    # Nine: the first attempt and the eight retries of the definition.
    expect(summary).to_contain_text("Written of seat 3 failed after 9 attempts: InjectedError")


def test_each_seat_has_a_row_that_says_how_far_it_came(served, failed, browser_page):
    open_page(browser_page, served, failed)
    expect(browser_page.get_by_role("heading", name="IssueTickets: 3 of 4 done")).to_be_visible()
    for number in (1, 2, 4):
        cells = seat_row(browser_page, number).get_by_role("cell")
        expect(cells.filter(has_text="✓")).to_have_count(3)
    cells = seat_row(browser_page, 3).get_by_role("cell").all_inner_texts()
    assert cells[1].startswith("✓ ")
    assert "✗ failed" in cells[2]
    assert "InjectedError" in cells[2]
    assert "(9 attempts)" in cells[2]
    assert cells[3] == "– not begun"


def test_a_ready_seat_shows_its_own_ticket_and_a_broken_one_shows_none(
    served, failed, browser_page, tmp_path
):
    open_page(browser_page, served, failed)
    expect(seat_row(browser_page, 3).get_by_role("img")).to_have_count(0)
    for number in (1, 2, 4):
        image = seat_row(browser_page, number).get_by_role("img", name=f"Ticket of seat {number}")
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("e => e.naturalWidth") > 100
        source = image.get_attribute("src")
        assert source
        answer = browser_page.request.get(served.url + source)
        assert answer.headers["cache-control"] == "no-store"
        (tmp_path / "ticket.png").write_bytes(answer.body())
        (code,) = zxingcpp.read_barcodes(Image.open(tmp_path / "ticket.png"))
        assert code.text.startswith(f"MT1.bk_seat_3-{number:05d}.")


def test_the_graph_counts_what_happened_to_each_state(served, failed, browser_page):
    open_page(browser_page, served, failed)
    expect(node(browser_page, "Written")).to_have_attribute(
        "aria-label", "Written, Task, failed: 3 done, 1 failed, 8 retries"
    )
    expect(node(browser_page, "Ready")).to_have_attribute(
        "aria-label", "Ready, Task, succeeded: 3 done"
    )
    expect(node(browser_page, "SendEmail")).to_contain_text("1 ✓")
    expect(node(browser_page, "AlreadyReady")).to_have_attribute("data-status", "idle")


def test_a_click_on_a_state_shows_its_attempts_error_input_and_output_by_seat(
    served, failed, browser_page
):
    open_page(browser_page, served, failed)
    node(browser_page, "Written").click()
    panel = browser_page.get_by_role("tabpanel", name="State")
    visits = panel.get_by_role("article")
    expect(visits).to_have_count(4)
    worst = visits.first  # the failed one comes first
    expect(worst).to_contain_text("seat 3")
    expect(worst).to_contain_text("✗ failed")
    expect(worst.get_by_role("listitem")).to_have_count(9)
    worst.get_by_text("Input", exact=True).click()
    expect(worst).to_contain_text('"seatNumber": 3')
    visits.nth(1).get_by_text("Output", exact=True).click()
    expect(visits.nth(1)).to_contain_text('"createdAt"')


def test_a_click_on_a_seat_filters_the_graph_and_the_events_to_it(served, failed, browser_page):
    open_page(browser_page, served, failed)
    seat_row(browser_page, 3).get_by_role("button").click()
    expect(node(browser_page, "Written")).to_have_attribute(
        "aria-label", "Written, Task, failed: 1 failed, 8 retries"
    )
    expect(node(browser_page, "Ready")).to_have_attribute("data-status", "idle")
    tab(browser_page, "Events")
    panel = browser_page.get_by_role("tabpanel", name="Events")
    seats = panel.locator("tbody td:nth-child(5)")
    expect(seats.first).to_have_text("seat 3")
    assert set(seats.all_inner_texts()) == {"seat 3"}
    browser_page.get_by_role("button", name="show all").click()
    expect(node(browser_page, "Ready")).to_contain_text("3 ✓")


def test_all_events_are_there_in_their_order_and_can_be_searched(served, failed, browser_page):
    pages = served.client("stepfunctions").get_paginator("get_execution_history")
    listed = pages.paginate(executionArn=failed["executionArn"])
    history = [event for page in listed for event in page["events"]]
    open_page(browser_page, served, failed)
    tab(browser_page, "Events")
    panel = browser_page.get_by_role("tabpanel", name="Events")
    count = panel.get_by_role("status")
    numbers = panel.locator("tbody td:first-child")
    expect(count).to_have_text(f"{len(history)} events, page 1 of 2")
    assert len(history) == 117
    expect(numbers).to_have_text([str(n) for n in range(1, 101)])
    panel.get_by_role("button", name="Later").click()
    expect(numbers).to_have_text([str(n) for n in range(101, 118)])
    panel.get_by_role("textbox", name="Find in the events").fill("TaskFailed")
    failures = [event for event in history if event["type"] == "TaskFailed"]
    assert len(failures) == 9
    expect(panel.get_by_role("status")).to_have_text(f"9 of {len(history)} events")


def test_an_address_is_shown_only_to_who_asks_for_it(served, failed, browser_page):
    received: list[str] = []
    browser_page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda f: received.append(str(f)))
    )
    open_page(browser_page, served, failed)
    node(browser_page, "Creating").click()
    tab(browser_page, "Data")
    panel = browser_page.get_by_role("tabpanel", name="Data")
    expect(panel).to_contain_text("…@example.org")
    assert "kim@" not in browser_page.content()
    assert not [frame for frame in received if "kim@" in frame]
    panel.get_by_role("switch", name="Show email addresses").click()
    expect(panel).to_contain_text("kim@example.org")


def test_no_token_reaches_the_browser_but_in_the_picture(served, failed, browser_page):
    received: list[str] = []
    browser_page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda f: received.append(str(f)))
    )
    tables = served.client("dynamodb").scan(TableName="minitickets-dev-tickets")["Items"]
    tokens = [i["token"]["S"] for i in tables if i["bookingId"]["S"] == "bk_seat_3"]
    assert len(tokens) == 4
    open_page(browser_page, served, failed)
    for name in ("State", "Events", "Data"):
        tab(browser_page, name)
        expect(browser_page.get_by_role("tabpanel", name=name)).to_be_visible()
    seen = browser_page.content() + "".join(received)
    assert "bk_seat_3" in seen
    assert not [token for token in tokens if token in seen]


def test_the_bill_counts_each_step_and_each_retry(served, failed, browser_page):
    open_page(browser_page, served, failed)
    tab(browser_page, "Data")
    # AcceptBooking, FulfilBooking, IssueTickets, SendEmail, RecordEmailJob: 5. Each seat Creating,
    # ReadyAlready?, Written: 12; three of them Ready: 3; eight retries: 28 at $0.025 a thousand.
    panel = browser_page.get_by_role("tabpanel", name="Data")
    expect(panel).to_contain_text("28 state transitions, $0.000700 ")


def test_names_and_messages_are_text_wherever_they_come_from(served, browser_page):
    refused = served.book(bookingId="bk_markup", type=MARKUP, eventName=MARKUP, venue=MARKUP)
    browser_page.goto(f"{served.url}/execution/{refused['name']}")
    expect(browser_page.get_by_role("region", name="Summary")).to_contain_text("InvalidBooking")
    node(browser_page, "AcceptBooking").click()
    tab(browser_page, "Data")
    panel = browser_page.get_by_role("tabpanel", name="Data")
    expect(panel).to_contain_text(MARKUP)
    expect(browser_page.locator("img[src=x]")).to_have_count(0)  # and no dialog: the fixture looks


@pytest.mark.parametrize("changes", [{}, {"quantity": 0}], ids=["SUCCEEDED", "InvalidBooking"])
def test_what_cannot_help_cannot_be_pressed_and_says_why(served, browser_page, changes):
    execution = served.book(bookingId=f"bk_no_help_{len(changes)}", **changes)
    browser_page.goto(f"{served.url}/execution/{execution['name']}")
    actions = browser_page.get_by_role("region", name="Actions")
    why = "the message breaks its rules" if changes else "it succeeded"
    expect(actions).to_contain_text(f"It cannot help: {why}")
    expect(actions.get_by_role("button", name="Redrive")).to_be_disabled()
    expect(actions.get_by_role("button", name="Run again")).to_be_disabled()


def test_run_again_starts_a_new_execution_and_goes_there(served, browser_page):
    switches = FaultSwitches(served.endpoint)
    switches.add("Written[1]:error:always", "bk_run_again")
    first = served.book(bookingId="bk_run_again", quantity=1)
    switches.remove("Written[1]:error:always", "bk_run_again")
    browser_page.goto(f"{served.url}/execution/{first['name']}")
    browser_page.get_by_role("button", name="Run again").dblclick()
    dialog = browser_page.get_by_role("dialog")
    expect(dialog).to_have_count(1)
    expect(dialog).to_contain_text("a redrive may be enough, and repeats less")
    dialog.get_by_role("button", name="Run again").click()
    summary = browser_page.get_by_role("region", name="Summary")
    expect(summary).to_contain_text("SUCCEEDED")
    assert "/execution/rerun-" in browser_page.url
    expect(summary.get_by_role("link", name="Also of this booking: FAILED")).to_have_attribute(
        "href", f"/execution/{first['name']}"
    )
    assert len(served.ended("bk_run_again", 2)) == 2


def test_an_execution_that_is_not_there_is_told_in_a_sentence(served, browser_page):
    browser_page.goto(f"{served.url}/execution/never-heard-of")
    expect(browser_page.get_by_role("heading", level=1)).to_have_text("No such execution")
    expect(browser_page.get_by_role("status")).to_contain_text("never-heard-of")


def test_an_address_that_is_none_is_told_in_a_sentence(served, browser_page):
    answer = browser_page.goto(f"{served.url}/nowhere/{MARKUP}")
    assert answer
    assert answer.status == 404
    expect(browser_page.get_by_role("heading", level=1)).to_have_text("No such page")
    expect(browser_page.get_by_role("link", name="Show all executions")).to_be_visible()
    browser_page.problems[:] = [p for p in browser_page.problems if "status of 404" not in p]


def test_of_many_seats_those_that_are_not_ready_can_be_seen_alone(served, failed, browser_page):
    open_page(browser_page, served, failed)
    expect(seat_row(browser_page, 1)).to_be_visible()
    browser_page.get_by_role("switch", name="Only what is not ready").click()
    expect(seat_row(browser_page, 1)).to_have_count(0)
    expect(seat_row(browser_page, 3)).to_be_visible()


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("part", ["Seats", "State", "Events", "Data"])
def test_it_is_read_on_a_phone_and_by_everybody(served, failed, browser_page, viewport, part):
    if viewport:
        browser_page.set_viewport_size(viewport)
    open_page(browser_page, served, failed)
    expect(node(browser_page, "Written")).to_be_visible()
    if part == "State":
        node(browser_page, "Written").click()
    tab(browser_page, part)
    expect(browser_page.get_by_role("tabpanel", name=part)).to_be_visible()
    assert not scrolls_sideways(browser_page)
    assert violations(browser_page) == []


def test_the_keyboard_reaches_states_seats_and_actions(served, failed, browser_page):
    open_page(browser_page, served, failed)
    expect(node(browser_page, "Written")).to_be_visible()
    tab_to(browser_page, "Redrive")
    label = node(browser_page, "Creating").get_attribute("aria-label")
    assert label
    tab_to(browser_page, label)
    browser_page.keyboard.press("Enter")
    expect(browser_page.get_by_role("tabpanel", name="State")).to_contain_text("Creating")
    tab(browser_page, "Seats")
    tab_to(browser_page, "seat 2: show only this one")
    browser_page.keyboard.press("Enter")
    expect(browser_page.get_by_role("button", name="show all")).to_be_visible()


def test_an_execution_without_a_readable_booking_is_shown_too(served, browser_page):
    served.send("{" + json.dumps("not a booking 7341"))
    (execution,) = served.ended("not a booking 7341")
    browser_page.goto(f"{served.url}/execution/{execution['name']}")
    expect(browser_page.get_by_role("heading", level=1)).to_have_text(
        "A message without a readable booking"
    )
    expect(browser_page.get_by_role("region", name="Summary")).to_contain_text("InvalidBooking")


def test_half_a_surrogate_pair_takes_neither_the_list_nor_its_page_down(served, browser_page):
    """SQS takes it as a JSON escape; a page's socket speaks UTF-8, which cannot hold it."""
    served.send('{"type": "booking.confirmed", "bookingId": "\\ud800half", "note": "\\udfff"}')
    (execution,) = served.ended("ud800half")
    browser_page.goto(served.url)
    expect(browser_page.get_by_role("link", name="\ufffdhalf")).to_be_visible()
    browser_page.goto(f"{served.url}/execution/{execution['name']}")
    expect(browser_page.get_by_role("heading", level=1)).to_have_text("\ufffdhalf")
    tab(browser_page, "Data")
    expect(browser_page.get_by_role("tabpanel", name="Data")).to_contain_text('"note": "\ufffd"')
