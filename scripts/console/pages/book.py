"""``/book``: send a message to the booking queue, and see what becomes of it."""

import secrets

from nicegui import run, ui

from console.booking.samples import SAMPLES, Sample
from console.booking.sending import send
from console.booking.sent import SentList
from console.context import Console
from console.frame import opened
from console.parts import Words, button, focus, heading, press, style
from operations.failures import KNOWN, sentence

_WARNING = (
    "This is AWS: a booking that you send here is a real one. It makes tickets, and sends an email "
    "to the address that it names."
)


def register(console: Console) -> None:
    @ui.page("/book")
    async def page() -> None:
        async with opened(console, "/book", "Book"):
            style()
            heading("Book")
            if console.endpoint is None:
                ui.label(_WARNING).classes("notice").props('role="note"')
            with ui.element("div").classes("sides"):
                _Form(console)


class _Form:
    """The form of one open page. The body is sent as it stands, whatever it is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._booking = ""
        self._sample = SAMPLES[0]
        self._choices: dict[str, ui.button] = {}
        with ui.element("section").props('aria-label="Message"'):
            self._show_samples()
            # Above SQS's 64 KiB, so that one can see it refuse; a page's socket takes a megabyte.
            self._body = ui.textarea("Message body").props("maxlength=100000")
            self._body.props("outlined autogrow spellcheck=false")
            self._body.classes("body")
            self._show_buttons()
        with ui.element("section").props('aria-label="What was sent"'):
            heading("Sent", 2)
            self._sent = SentList(console)
        self._choose(self._sample)

    def _show_samples(self) -> None:
        ui.label("Start from a sample, or paste a body of your own:").classes("count")
        with ui.element("div").classes("samples").props('role="group" aria-label="Samples"'):
            for sample in SAMPLES:
                choice = button(sample.title).on_click(lambda sample=sample: self._choose(sample))
                self._choices[sample.title] = choice

    def _show_buttons(self) -> None:
        with ui.element("div").classes("actions"):
            self._once = button("Send once", main=True).on_click(lambda: self._send(1))
            self._twice = button("Send twice at the same time").on_click(lambda: self._send(2))

    def _choose(self, sample: Sample) -> None:
        self._sample, self._booking = sample, _fresh()
        self._body.set_value(sample.body(self._booking))
        for title, choice in self._choices.items():
            press(choice, title == sample.title)

    async def _send(self, times: int) -> None:
        body = self._body.value or ""
        if self._console.endpoint is None and not await _confirmed(times):
            return
        self._enable(False)
        try:
            sent = await run.io_bound(send, self._console.operator, body, times)
        except KNOWN as error:
            self._sent.failed(sentence(error, self._console.where, self._console.endpoint))
        else:
            if sent is not None:  # None while the console itself is stopping
                self._sent.add(body, sent)
                self._renew()
        finally:
            self._enable(True)
            focus(self._once if times == 1 else self._twice)

    def _renew(self) -> None:
        """The next booking has an id of its own, also when the sample was edited."""
        before, self._booking = self._booking, _fresh()
        self._body.set_value((self._body.value or "").replace(before, self._booking))

    def _enable(self, enabled: bool) -> None:
        for each in (self._once, self._twice):
            each.set_enabled(enabled)


async def _confirmed(times: int) -> bool:
    question = "Send a real booking?"
    with ui.dialog().props(f'transition-duration=0 aria-label="{question}"') as dialog, ui.card():
        heading(question, 2)
        Words("p", _WARNING)
        with ui.element("div").classes("actions"):
            words = "Send it" if times == 1 else "Send it twice"
            button(words, main=True).on_click(lambda: dialog.submit(True))
            button("Cancel").on_click(lambda: dialog.submit(False))
    try:
        return bool(await dialog)
    finally:
        dialog.delete()


def _fresh() -> str:
    return f"bk_{secrets.token_hex(4)}"
