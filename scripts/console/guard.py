"""Whom the console answers: its own pages on this machine, and no page of elsewhere.

A web page of elsewhere can make a browser send requests to 127.0.0.1, and with a name of its own
that leads there (DNS rebinding) even read the answers. The first carries a foreign ``Origin``, the
second a foreign ``Host``.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY_VIOLATION = 1008  # of a WebSocket, RFC 6455, section 7.4.1
_REFUSAL = b"This console answers only its own pages, at http://127.0.0.1.\n"
# Vue compiles its templates in the browser, which takes eval; nothing comes from anywhere else.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", _POLICY.encode()),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
]


class Guard:
    """ASGI middleware in front of everything that the console serves."""

    def __init__(self, app: "ASGIApp", port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif self._is_own(scope["headers"]):
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            headers = [(b"content-type", b"text/plain")]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": _REFUSAL})

    def _is_own(self, headers: Iterable[tuple[bytes, bytes]]) -> bool:
        hosts = [value for name, value in headers if name == b"host"]
        origins = [value for name, value in headers if name == b"origin"]
        return (
            len(hosts) == 1
            and hosts[0].decode("latin-1") in self._hosts
            and all(origin.decode("latin-1") in self._origins for origin in origins)
        )


def _with_headers(send: "Send") -> "Send":
    async def send_with_headers(message: "Message") -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *_HEADERS]
        await send(message)

    return send_with_headers
