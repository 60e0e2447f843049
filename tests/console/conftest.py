"""A real browser for the console's pages."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from fixtures.console_stack import Served, serve

WIDE = {"width": 1440, "height": 900}
PATIENCE_MS = 20_000
expect.set_options(timeout=PATIENCE_MS)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# No sandbox: CI runs as root. The others keep Chromium from calling home.
_SWITCHES = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """What scripts/run serves. Tests share it: each uses bookings of its own, and heals it.

    It starts only where there is a browser to look at it.
    """
    with serve(tmp_path_factory.mktemp("console") / "out") as stack:
        yield stack


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium of the system: no download. MINITICKETS_CHROMIUM names another one."""
    asked = os.environ.get("MINITICKETS_CHROMIUM")
    found = asked or next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("no Chromium: install it (Debian: apt install chromium) for the browser tests")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=_SWITCHES)
        yield chromium
        chromium.close()


class Watched:
    """What a page did that it should not: errors, dialogs, requests to anywhere else."""

    def __init__(self, page: Page) -> None:
        self.problems: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("dialog", self._dialog)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            self.problems.append(f"request to {request.url}")

    def _dialog(self, dialog: object) -> None:
        self.problems.append(f"dialog: {dialog}")
        dialog.dismiss()  # type: ignore[attr-defined]


@pytest.fixture
def browser_page(browser: Browser) -> Iterator[Page]:
    """A fresh page. The test fails if the browser's log has an error, or a request left here."""
    context = browser.new_context(viewport=WIDE)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    watched = Watched(page)
    page.problems = watched.problems  # a test that expects one takes it out
    yield page
    context.close()
    assert watched.problems == []
