"""What every page has: the bar with its ways, and the notice when nothing answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

from nicegui import run, ui

from console.context import Console
from console.faults import SwitchesError
from operations.failures import KNOWN, sentence

_STYLE = '<link rel="stylesheet" href="/static/console.css">'
_BRAND = "#1f4e8c"  # --brand of console.css, for Quasar's own elements
_READING_SECONDS = 1.0
_FAILURES = (*KNOWN, SwitchesError)
T = TypeVar("T")


@contextmanager
def frame(console: Console, here: str, title: str) -> Iterator[None]:
    """What stands around a page; ``here`` is its path, as in the bar."""
    ui.add_head_html(_STYLE)
    ui.colors(primary=_BRAND)
    ui.page_title(f"{title} – MiniTickets")
    with ui.header(fixed=False).classes("bar"):
        ui.link("MiniTickets", "/").classes("brand")
        with ui.element("nav").props('aria-label="Pages"'):
            for label, path in console.ways:
                link = ui.link(label, path)
                if path == here:
                    link.props('aria-current="page"')
        ui.label(console.where).classes("where")
    with ui.element("div").classes("page"):
        yield


def live(console: Console, read: Callable[[], T], show: Callable[[T], None]) -> ui.timer:
    """Read once a second for as long as the page is open, and show what was read.

    ``read`` runs in a thread of its own. When nothing answers the page says so, keeps what it
    shows, and goes on asking; it returns to normal when the stack does.
    """
    with ui.element("p").classes("notice").props('role="alert"') as notice:
        words = ui.label()
    notice.set_visibility(False)

    async def refresh() -> None:
        try:
            found = await run.io_bound(read)
        except _FAILURES as error:
            if not notice.visible:
                since = datetime.now(UTC).strftime("%H:%M:%S UTC")
                reason = sentence(error, console.where, console.endpoint)
                words.set_text(f"{reason} So it is since {since}; asking again each second.")
                notice.set_visibility(True)
            return
        notice.set_visibility(False)
        if found is not None:  # None while the console itself is stopping
            show(found)

    return ui.timer(_READING_SECONDS, refresh)
