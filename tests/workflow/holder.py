"""My tickets as a holder reaches it: over HTTP, with a token of the local stack's own key."""

import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import quote

from workflow.harness import Fulfilment


class Holder:
    """A user who has signed in, and asks over HTTP."""

    def __init__(self, fulfilment: Fulfilment, user: str) -> None:
        self._url = fulfilment.stack.endpoint.url
        _, content = self._get(f"/_minitickets/token?user={user}")
        self._token = content["token"]

    def ask(self, position: str = "") -> tuple[int, dict[str, Any]]:
        query = f"?next={quote(position)}" if position else ""
        return self._get(f"/_minitickets/api/tickets{query}", f"Bearer {self._token}")

    def bookings(self) -> dict[str, dict[str, Any]]:
        status, content = self.ask()
        assert status == 200
        return {held["bookingId"]: held for held in content["bookings"]}

    def _get(self, path: str, authorization: str = "") -> tuple[int, dict[str, Any]]:
        headers = {"Authorization": authorization} if authorization else {}
        status, body, _ = fetch(self._url + path, headers)
        return status, json.loads(body)


def fetch(url: str, headers: dict[str, str] | None = None) -> tuple[int, bytes, dict[str, str]]:
    request = urllib.request.Request(url, headers=headers or {})
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=60) as answer:
            return answer.status, answer.read(), dict(answer.headers.items())
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers.items())
