"""Every definition is drawn in a real browser: names as text, frames, live words, picking."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from asl_walk import scopes
from strict_yaml import load

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
OURS = "statemachines/fulfil_booking.asl.yaml"
DEFINITIONS = [
    OURS,
    "statemachines/reconcile_tickets.asl.yaml",
    *sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "tests" / "console" / "definitions").glob("*.asl.json")
    ),
]
PATIENCE_SECONDS = 30
SIGNS = "✓✗●↷■◌"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = tmp_path_factory.mktemp("graph") / "page.log"
    paths = os.pathsep.join(str(ROOT / part) for part in ("functions", "scripts"))
    # Without pytest's marks, by which NiceGUI would take itself for a test of its own.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("graph_page.py")), str(port)],
            env=environment | {"PYTHONPATH": paths},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        await_answer(f"{url}/broken", process, log)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_SECONDS)


def await_answer(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"the page did not start: {log.read_text()}")


def open_graph(page: Page, address: str, path: str) -> Locator:
    page.goto(f"{address}/?{urlencode({'path': path})}")
    graph = page.locator(".execution-graph svg")
    expect(graph).to_be_visible()
    return graph


def names_of(path: str) -> list[str]:
    return [name for scope in scopes(load(ROOT / path)) for name in scope.states]


def frames_of(path: str) -> int:
    return sum(
        state.get("Type") in ("Map", "Parallel")
        for scope in scopes(load(ROOT / path))
        for state in scope.states.values()
    )


def read(node: Locator) -> str:
    """What a node's lines say, without the last one, which is for live words, and no spaces."""
    return squeezed("".join(node.locator("tspan.row:not(.words)").all_text_contents()))


def squeezed(name: str) -> str:
    shown = "".join(c if c.isprintable() or c == "\u200d" else "\ufffd" for c in name.strip())
    return re.sub(r"[\s\ufffd]", "", shown)


@pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: Path(path).name)
def test_a_definition_is_drawn_with_every_name_as_text(
    browser_page: Page, address: str, path: str
) -> None:
    graph = open_graph(browser_page, address, path)
    nodes = graph.locator("[data-name]")
    drawn = {node.get_attribute("data-name"): node for node in nodes.all()}
    assert sorted(drawn, key=str) == sorted(names_of(path))
    for name, node in drawn.items():
        expect(node).to_be_visible()
        text, whole = read(node), squeezed(str(name)) or "(blank)"
        assert text == whole or (text.endswith("…") and whole.startswith(text[:-1]))
    expect(graph.locator("g.cluster")).to_have_count(frames_of(path))
    assert graph.locator("img, script, a, foreignObject").count() == 0

    browser_page.get_by_role("button", name="Show", exact=True).click()
    told = graph.locator(".words", has_text=re.compile(rf"^[{SIGNS}] \d+ so$"))
    expect(told).to_have_count(len(drawn))


def test_a_state_tells_its_name_type_and_status_to_a_screen_reader(
    browser_page: Page, address: str
) -> None:
    graph = open_graph(browser_page, address, OURS)
    browser_page.get_by_role("button", name="Show", exact=True).click()
    accept = graph.get_by_role("button", name="AcceptBooking, Task, succeeded: told 1")
    expect(accept).to_have_attribute("aria-pressed", "true")
    expect(graph.locator("[aria-pressed=true]")).to_have_count(1)


@pytest.mark.parametrize("key", ["click", "Enter", "Space"])
@pytest.mark.parametrize(
    ("path", "name"),
    [
        (OURS, "Written"),
        ("tests/console/definitions/nasty_names.asl.json", "<img src=x onerror=alert(1)>"),
        ("tests/console/definitions/keywords.asl.json", "__proto__"),
    ],
)
def test_a_state_is_picked_by_click_and_by_key(
    browser_page: Page, address: str, path: str, name: str, key: str
) -> None:
    graph = open_graph(browser_page, address, path)
    index = [n.get_attribute("data-name") for n in graph.locator("[data-name]").all()].index(name)
    node = graph.locator("[data-name]").nth(index)
    if key == "click":
        node.click()
    else:
        node.press(key)
    expect(browser_page.locator(".picked")).to_have_text(name)


def test_a_change_of_status_keeps_the_drawing_and_the_focus(
    browser_page: Page, address: str
) -> None:
    graph = open_graph(browser_page, address, OURS)
    browser_page.get_by_role("button", name="Show", exact=True).click()
    written = graph.locator("[data-name=Written]")
    written.focus()
    written.evaluate("node => { node.isTheSame = true }")
    before = written.get_attribute("data-status")
    size = graph.bounding_box()
    # by the DOM, so that the focus stays where it is
    browser_page.get_by_role("button", name="Change", exact=True).evaluate("b => b.click()")
    expect(written).not_to_have_attribute("data-status", str(before))
    assert written.evaluate("node => node.isTheSame === true")
    expect(written).to_be_focused()
    assert graph.bounding_box() == size


def test_on_a_narrow_screen_the_graph_stays_readable_and_scrolls_in_its_box(
    browser_page: Page, address: str
) -> None:
    natural = open_graph(browser_page, address, OURS).bounding_box()
    browser_page.set_viewport_size({"width": 360, "height": 740})
    narrow = open_graph(browser_page, address, OURS).bounding_box()
    assert natural is not None
    assert narrow is not None
    assert narrow["width"] == pytest.approx(0.7 * natural["width"], abs=1)
    root = "document.documentElement"
    assert browser_page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")


def test_a_drawing_that_fails_is_told_in_a_sentence_and_leaves_nothing_behind(
    browser_page: Page, address: str
) -> None:
    browser_page.goto(f"{address}/broken")
    expect(browser_page.get_by_role("alert")).to_contain_text("The graph could not be drawn")
    expect(browser_page.locator(".execution-graph-holder, .execution-graph svg")).to_have_count(0)
    assert browser_page.locator(".execution-graph img, [id^=dexecution-graph]").count() == 0
