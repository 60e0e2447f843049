"""The page My tickets, in a real browser: what a holder sees while a booking breaks and heals."""

import io
from datetime import UTC, datetime, timedelta

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from console.breaking.faults import FaultSwitches
from fixtures.console_stack import Served, booking
from fixtures.looking import PHONE, scrolls_sideways, tab_to, violations
from fixtures.qr_readers import read_code
from local_stack.aws import ACCOUNT, REGION
from minitickets.clock import iso
from operations.cli import main

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


# ---- Storage breaks, nobody redrives, and reconciliation brings the tickets

TABLE = "minitickets-dev-tickets"
IMAGES = f"{TABLE}-{ACCOUNT}-{REGION}"


def records(served: Served, user: str) -> dict[int, dict[str, str]]:
    """The user's records by seat number, of their texts."""
    found = served.client("dynamodb").query(
        TableName=TABLE,
        KeyConditionExpression="userId = :user",
        ExpressionAttributeValues={":user": {"S": user}},
    )["Items"]
    texts = ({name: v["S"] for name, v in item.items() if "S" in v} for item in found)
    return {int(item["seatNumber"]["N"]): text for item, text in zip(found, texts, strict=True)}


def age(served: Served, user: str) -> None:
    """The user's records, as if they had been reserved 16 minutes ago."""
    then = iso(datetime.now(UTC) - timedelta(minutes=16))
    for record in records(served, user).values():
        served.client("dynamodb").update_item(
            TableName=TABLE,
            Key={name: {"S": record[name]} for name in ("userId", "ticketId")},
            UpdateExpression="SET createdAt = :then",
            ExpressionAttributeValues={":then": {"S": then}},
        )


def reconcile(served: Served, day: str, *options: str) -> None:
    dates = ("--from", day, "--to", day, "--endpoint", served.endpoint)
    assert main(["reconcile", *dates, *options]) == 0


def tickets(page: Page) -> Locator:
    return page.get_by_role("table").nth(1)


def code_seen(page: Page, seat: int) -> str:
    """What the code of that seat says, read off the screen where a click shows it in full size."""
    shown = tickets(page).get_by_role("img", name=f"Ticket of seat {seat}", exact=True)
    assert shown.evaluate("e => e.decode().then(() => e.naturalWidth)") > 100
    with page.context.expect_page() as opened:
        shown.click()
    picture = opened.value.locator("img")
    assert picture.evaluate("e => e.decode().then(() => e.naturalWidth)") > 100
    screen = Image.open(io.BytesIO(picture.screenshot()))
    opened.value.close()
    return str(read_code(screen).text)


def test_without_a_redrive_a_reconciliation_brings_the_tickets_that_storage_lost(
    served, browser_page
):
    page, user, name, day = browser_page, "usr_mended", "bk_mended", "2033-05-01"
    switches = FaultSwitches(served.endpoint)
    switches.add("Written:error:always", name)
    body = booking(bookingId=name, userId=user, startsAt=f"{day}T20:00:00+02:00", quantity=2)
    served.send(body)
    (execution,) = served.ended(name)
    assert execution["status"] == "FAILED"
    kept = {seat: record["token"] for seat, record in records(served, user).items()}
    page.goto(f"{served.url}/my-tickets?user={user}")
    row = page.get_by_role("row").filter(has_text=name)
    expect(row).to_contain_text("0/2")
    expect(row).to_contain_text("● creating")
    expect(tickets(page).get_by_text("● creating")).to_have_count(2)
    expect(page.get_by_role("img")).to_have_count(0)

    switches.remove("Written:error:always", name)
    age(served, user)
    reconcile(served, day)
    expect(row).to_contain_text("2/2")  # by itself, on the open page
    expect(tickets(page).get_by_text("✓ ready")).to_have_count(2)
    assert {seat: record["token"] for seat, record in records(served, user).items()} == kept
    seen = {seat: code_seen(page, seat) for seat in kept}
    assert seen == {seat: f"MT1.{name}-{seat:05d}.{token}" for seat, token in kept.items()}
    (execution,) = served.executions(name)
    assert (execution["status"], execution["redriveCount"]) == ("FAILED", 0)


def test_an_image_that_was_deleted_is_on_the_page_again_after_a_reconciliation(
    served, browser_page
):
    page, user, name, day = browser_page, "usr_redrawn", "bk_redrawn", "2033-06-01"
    served.book(bookingId=name, userId=user, startsAt=f"{day}T20:00:00+02:00")
    page.goto(f"{served.url}/my-tickets?user={user}")
    before = code_seen(page, 1)
    served.client("s3").delete_object(
        Bucket=IMAGES,
        Key=records(served, user)[1]["imageKey"],
    )
    with page.expect_response("**/tickets/**") as missed:
        page.reload()
    assert missed.value.status == 404
    expect(tickets(page).get_by_role("img")).to_have_js_property("naturalWidth", 0)
    page.problems.clear()  # the browser tells of the image that it did not get

    reconcile(served, day, "--allow-missing", "100")
    page.reload()
    assert code_seen(page, 1) == before == f"MT1.{name}-00001.{records(served, user)[1]['token']}"
