"""Whom the console answers. A foreign page can send requests to 127.0.0.1; it must get nothing."""

from collections.abc import Coroutine
from typing import Any

import pytest

from console.guard import Guard

OWN = b"127.0.0.1:4511"
CASES = [
    ([(b"host", OWN)], True),
    ([(b"host", b"localhost:4511")], True),
    ([(b"host", OWN), (b"origin", b"http://127.0.0.1:4511")], True),
    ([(b"host", OWN), (b"origin", b"http://evil.example")], False),
    ([(b"host", OWN), (b"origin", b"null")], False),  # a sandboxed frame, or a file
    ([(b"host", OWN), (b"origin", b"http://127.0.0.1:8000")], False),  # another server here
    ([(b"host", OWN), (b"origin", b"https://127.0.0.1:4511")], False),
    ([(b"host", b"evil.example:4511")], False),  # DNS rebinding
    ([(b"host", b"127.0.0.1")], False),
    ([(b"host", b"127.0.0.1.evil.example:4511")], False),
    ([(b"host", OWN), (b"host", b"evil.example")], False),
    ([], False),
]


def ask(kind: str, headers: list[tuple[bytes, bytes]]) -> tuple[bool, list[dict[str, Any]]]:
    """Whether the request reached the application, and what was answered."""
    reached, answers = [], []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        answers.append(message)

    async def receive() -> Any:
        raise AssertionError("a refused request is not read")

    guard = Guard(application, port=4511)
    _run(guard({"type": kind, "headers": headers}, receive, send))
    return bool(reached), answers


def _run(coroutine: Coroutine[Any, Any, None]) -> None:
    """To its end. Nothing in it waits, and the browser of other tests has the event loop."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


@pytest.mark.parametrize(("headers", "own"), CASES)
def test_only_the_consoles_own_pages_reach_it(headers, own):
    reached, answers = ask("http", headers)
    assert reached is own
    assert answers[0]["status"] == (200 if own else 403)


@pytest.mark.parametrize(("headers", "own"), CASES)
def test_only_the_consoles_own_pages_open_its_websocket(headers, own):
    reached, answers = ask("websocket", headers)
    assert reached is own
    if not own:
        assert [answer["type"] for answer in answers] == ["websocket.close"]


def test_no_page_of_elsewhere_can_frame_the_console_or_read_an_image_of_it():
    _, answers = ask("http", [(b"host", OWN)])
    headers = dict(answers[0]["headers"])
    assert b"frame-ancestors 'none'" in headers[b"content-security-policy"]
    assert headers[b"cross-origin-resource-policy"] == b"same-origin"
