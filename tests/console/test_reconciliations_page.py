"""Reconciliations in a real browser: the list, why one failed, its graph, and what was mended."""

import json
import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from fixtures.console_stack import Served, console, wait_for
from fixtures.looking import PHONE, scrolls_sideways, violations
from local_stack.aws import ACCOUNT, REGION

pytestmark = pytest.mark.slow

MACHINE = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:minitickets-dev-reconcile-tickets"
IMAGES = f"minitickets-dev-tickets-{ACCOUNT}-{REGION}"


def reconcile(served: Served, **input_: Any) -> dict[str, Any]:
    """Start one, and wait for its end."""
    sfn, name = served.client("stepfunctions"), f"test-{uuid.uuid4()}"
    started = sfn.start_execution(stateMachineArn=MACHINE, name=name, input=json.dumps(input_))
    arn = started["executionArn"]

    def ended() -> dict[str, Any] | None:
        found: dict[str, Any] = sfn.describe_execution(executionArn=arn)
        return found if found["status"] != "RUNNING" else None

    return wait_for(ended)


def lose_images(served: Served, booking_id: str, *seats: int) -> dict[str, bytes]:
    """Delete them; what they held, by key."""
    s3, found = served.client("s3"), {}
    for seat in seats:
        key = f"tickets/{booking_id}/{booking_id}-{seat:05d}.png"
        found[key] = s3.get_object(Bucket=IMAGES, Key=key)["Body"].read()
        s3.delete_object(Bucket=IMAGES, Key=key)
    return found


def row_of(page: Page, execution: dict[str, Any]) -> Locator:
    link = page.get_by_role("link", name=execution["name"], exact=True)
    return page.get_by_role("row").filter(has=link)


def node(page: Page, state: str) -> Locator:
    return page.locator(f'.execution-graph [data-name="{state}"]')


def test_a_failed_one_is_found_says_why_shows_where_and_is_redriven(served, browser_page):
    page, day = browser_page, "2034-01-01"
    served.book(bookingId="bk_gone", startsAt=f"{day}T20:00:00+01:00", quantity=4)
    images = lose_images(served, "bk_gone", 1, 2)
    failed = reconcile(served, **{"from": day, "to": day})
    assert (failed["status"], failed["error"]) == ("FAILED", "TooManyMissing")

    page.goto(served.url)
    page.get_by_role("link", name="Reconciliations", exact=True).click()
    row = row_of(page, failed)
    expect(row).to_contain_text("✗ FAILED")
    expect(row).to_contain_text(f"TooManyMissing: 2 of the 4 images of {day} are missing")
    row.get_by_role("link").click()
    expect(page).to_have_url(f"{served.url}/reconciliation/{failed['name']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Reconciliation")
    summary = page.get_by_role("region", name="Summary")
    expect(summary).to_contain_text(
        f"CheckAgain failed: TooManyMissing: 2 of the 4 images of {day} are missing"
    )
    expect(node(page, "CheckAgain")).to_have_attribute("data-status", "failed")
    expect(node(page, "Check")).to_have_attribute("data-status", "succeeded")
    expect(node(page, "Report")).to_have_attribute("data-status", "idle")
    expect(page.get_by_text("It can help: once the images are back")).to_be_visible()

    for key, png in images.items():
        served.client("s3").put_object(Bucket=IMAGES, Key=key, Body=png)
    page.get_by_role("button", name="Redrive").click()
    expect(summary).to_contain_text("✓ SUCCEEDED")
    expect(summary).to_contain_text(f"4 tickets checked on 1 dates from {day} to {day}.")
    expect(summary).to_contain_text("Nothing is broken.")
    expect(node(page, "CheckAgain")).to_have_attribute("data-status", "succeeded")
    page.get_by_role("link", name="Reconciliations", exact=True).click()
    expect(row.get_by_role("cell")).to_have_text(
        [failed["name"], "✓ SUCCEEDED", f"{day} to {day}", "4", "0", "0", "0"]
        + [re.compile(".")] * 2 + ["1"]
    )  # fmt: skip


def test_the_mended_seats_of_several_bookings_are_told_apart_each_with_its_ticket(
    served, browser_page
):
    page, day = browser_page, "2034-02-01"
    for name in ("bk_apart_1", "bk_apart_2"):
        served.book(bookingId=name, startsAt=f"{day}T20:00:00+01:00")
        lose_images(served, name, 1)
    mended = reconcile(served, **{"from": day, "to": day, "allowMissing": 100})
    page.goto(f"{served.url}/reconciliation/{mended['name']}")
    expect(page.get_by_role("heading", name="Repair: 2 of 2 done")).to_be_visible()
    expect(page.get_by_role("region", name="Summary")).to_contain_text("2 repaired")
    expect(node(page, "Written")).to_contain_text("2 ✓")
    for name in ("bk_apart_1", "bk_apart_2"):
        picture = page.get_by_role("img", name=f"Ticket of {name} seat 1")
        expect(picture).to_have_attribute("src", f"/tickets/{name}/1.png")
        assert picture.evaluate("e => e.decode().then(() => e.naturalWidth)") > 100


def test_what_no_redrive_can_mend_says_so(served, browser_page):
    failed = reconcile(served, dryrun=True)
    assert failed["error"] == "InvalidOptions"
    browser_page.goto(f"{served.url}/reconciliation/{failed['name']}")
    summary = browser_page.get_by_role("region", name="Summary")
    expect(summary).to_contain_text("InvalidOptions: there is no option dryrun")
    expect(browser_page.get_by_text("It cannot help: its input asks")).to_be_visible()
    expect(browser_page.get_by_role("button", name="Redrive")).to_be_disabled()


def test_bookings_and_reconciliations_are_listed_apart(served, browser_page):
    page = browser_page
    booked = served.book(bookingId="bk_listed")
    reconciled = reconcile(served, **{"from": "2034-03-01", "to": "2034-03-01", "dryRun": True})
    page.goto(f"{served.url}/reconciliations")
    expect(row_of(page, reconciled)).to_contain_text("a dry run")
    assert page.locator(f'a[href="/execution/{booked["name"]}"]').count() == 0
    page.goto(served.url)
    expect(page.locator(f'a[href="/execution/{booked["name"]}"]')).to_be_visible()
    assert page.locator(f'a[href$="/{reconciled["name"]}"]').count() == 0
    page.goto(f"{served.url}/reconciliation/{booked['name']}")
    expect(page.get_by_role("heading", level=1)).to_have_text("No such execution")


@pytest.fixture(scope="module")
def console_of_nothing(served: Served) -> Iterator[str]:
    """A console of a stage that has never reconciled."""
    served.client("stepfunctions").create_state_machine(
        name="minitickets-idle-reconcile-tickets",
        definition=json.dumps({"StartAt": "Only", "States": {"Only": {"Type": "Succeed"}}}),
        roleArn="arn:aws:iam::123456789012:role/only",
    )
    with console("--endpoint", served.endpoint, "--stage=idle") as url:
        yield url


def test_without_one_it_says_how_to_start_one(served, console_of_nothing, browser_page):
    browser_page.goto(f"{console_of_nothing}/reconciliations")
    command = f"minitickets reconcile --endpoint {served.endpoint} --stage idle"
    expect(browser_page.get_by_text(command)).to_be_visible()


def test_it_is_read_at_360_pixels_and_by_everyone(served, browser_page):
    failed = reconcile(served, dryrun=True)
    browser_page.set_viewport_size(PHONE)
    for path in ("/reconciliations", f"/reconciliation/{failed['name']}"):
        browser_page.goto(served.url + path)
        expect(browser_page.get_by_text("InvalidOptions: ").first).to_be_visible()
        assert not scrolls_sideways(browser_page)
        assert violations(browser_page) == []
