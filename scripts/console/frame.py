"""What every page has: the bar with its ways, and the notice when nothing answers."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import TypeVar

from nicegui import run, ui

from console.breaking.faults import SwitchesError
from console.context import Console
from operations.failures import KNOWN, sentence

_STYLE = '<link rel="stylesheet" href="/static/console.css">'
_BRAND = "#1f4e8c"  # --brand of console.css, for Quasar's own elements
_READING_SECONDS = 1.0
_OPENING_SECONDS = 60.0  # a busy machine's browser takes ten
_FAILURES = (*KNOWN, SwitchesError)
T = TypeVar("T")


@asynccontextmanager
async def opened(console: Console, here: str, title: str) -> AsyncIterator[None]:
    """A page whose content comes once its socket is there.

    What one typed or pressed before would stay on the page unheard: another body than the one seen
    would be sent. A page that is asked for and never opened in a browser is forgotten.
    """
    with frame(console, here, title):
        await ui.context.client.connected(timeout=_OPENING_SECONDS)
        yield


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
    notice = _Notice()

    async def refresh() -> None:
        try:
            found = await run.io_bound(read)
            if found is not None:  # None while the console itself is stopping
                show(found)
        except _FAILURES as error:
            notice.tell(sentence(error, console.where, console.endpoint))
        except Exception:
            notice.tell("This page failed; what the console writes says why.")
            raise
        else:
            notice.set_visibility(False)

    return ui.timer(_READING_SECONDS, refresh)


class _Notice(ui.element):
    """What is wrong, and since when, above all else on the page; unseen while nothing is."""

    def __init__(self) -> None:
        super().__init__("p")
        self.classes("notice").props('role="alert"')
        self.set_visibility(False)
        self._reason = ""
        with self:
            self._words = ui.label()
        self.move(ui.context.client.content, target_index=0)

    def tell(self, reason: str) -> None:
        if self.visible and reason == self._reason:
            return
        self._reason = reason
        since = datetime.now(UTC).strftime("%H:%M:%S UTC")
        self._words.set_text(f"{reason} So it is since {since}; asking again each second.")
        self.set_visibility(True)
