"""A stack or a console that stops, and comes back."""

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from commands.processes import running
from fixtures.console_stack import console

pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextmanager
def stack(out, port: int, *more: str) -> Iterator[None]:
    with running("local_stack", "--out", out, f"--port={port}", *more) as started:
        started.wait_for(rf"Listening on http://127\.0\.0\.1:{port} ")
        started.wait_for("Ctrl-C stops the stack")
        yield


def test_the_page_says_that_the_stack_stopped_and_goes_on_when_it_is_back(tmp_path, browser_page):
    port = free_port()
    with console(f"--endpoint=http://127.0.0.1:{port}") as url:
        with stack(tmp_path / "one", port, "--no-console"):
            browser_page.set_viewport_size({"width": 360, "height": 240})
            browser_page.goto(url)
            expect(browser_page.get_by_role("link", name="bk_gala_1")).to_be_visible()
            browser_page.get_by_role("link", name="bk_gala_1").scroll_into_view_if_needed()
        notice = browser_page.get_by_role("alert")
        expect(notice).to_contain_text(f"Nothing answers at http://127.0.0.1:{port}")
        expect(notice).to_be_in_viewport()
        expect(browser_page.get_by_role("link", name="bk_gala_1")).to_be_visible()  # what it knew
        with stack(tmp_path / "two", port, "--no-console"):
            expect(notice).to_be_hidden()
            expect(browser_page.get_by_role("link", name="bk_gala_1")).to_be_visible()


def test_a_page_finds_the_console_again_after_scripts_run_was_started_again(tmp_path, browser_page):
    port, console_port = free_port(), free_port()
    with stack(tmp_path / "one", port, f"--console-port={console_port}"):
        browser_page.goto(f"http://127.0.0.1:{console_port}/book")
        heading = browser_page.get_by_role("heading", level=1)
        expect(heading).to_be_visible()
    lost = browser_page.get_by_text("The console has stopped")
    expect(lost).to_be_visible()
    with stack(tmp_path / "two", port, f"--console-port={console_port}"):
        expect(lost).to_be_hidden()
        expect(heading).to_be_visible()
    # What the browser says of a console that is away is no fault of the page.
    noise = re.compile(r"ERR_CONNECTION_REFUSED|WebSocket connection|ERR_CONNECTION_RESET")
    browser_page.problems[:] = [p for p in browser_page.problems if not noise.search(p)]
