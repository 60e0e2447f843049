"""The local stack's faults, seen and changed through :mod:`local_stack.fault_control`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from local_stack.fault_control import PATH

_PATIENCE = 5  # seconds
_LONGEST_ANSWER = 1024 * 1024  # bytes


class SwitchesError(Exception):
    """The stack did not do it; the message is one sentence for a person."""


@dataclass(frozen=True)
class ActiveFault:
    """``fault`` as ``Written[3]:error:always``; ``booking`` None strikes any."""

    fault: str
    booking: str | None


@dataclass(frozen=True)
class Switches:
    """What is in force. ``states`` are those that can be broken, in the definition's order."""

    active: tuple[ActiveFault, ...]
    states: tuple[str, ...]
    time_scale: float


class FaultSwitches:
    """Every method raises SwitchesError, and gives what is in force after it."""

    def __init__(self, url: str) -> None:
        """``url`` is where the local stack listens, as ``http://127.0.0.1:4510``."""
        self._url = url

    def read(self) -> Switches:
        return self._ask("GET")

    def active(self) -> list[ActiveFault]:
        return list(self.read().active)

    def add(self, fault: str, booking: str | None = None) -> Switches:
        """Nothing changes if the very same is in force already."""
        return self._ask("POST", body={"fault": fault, "booking": booking})

    def remove(self, fault: str, booking: str | None = None) -> Switches:
        """Nothing changes if it is not in force."""
        asked = {"fault": fault} | ({"booking": booking} if booking else {})
        return self._ask("DELETE", query=asked)

    def lift(self) -> Switches:
        """Remove all."""
        return self._ask("DELETE")

    def _ask(
        self,
        method: str,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, str | None] | None = None,
    ) -> Switches:
        path = f"{PATH}?{urlencode(query, quote_via=quote)}" if query else PATH
        try:
            return _switches(self._request(method, path, json.dumps(body) if body else None))
        except (OSError, HTTPException) as error:
            raise SwitchesError(f"No local stack answers at {self._url}.") from error
        except (ValueError, LookupError, TypeError) as error:
            raise SwitchesError(f"What answers at {self._url} is no local stack.") from error

    def _request(self, method: str, path: str, body: str | None) -> Any:
        # Not by urllib, which would go through the proxy of the shell.
        address = urlsplit(self._url)
        connection = HTTPConnection(address.hostname or "", address.port, timeout=_PATIENCE)
        try:
            connection.request(method, path, body and body.encode())
            response = connection.getresponse()
            answer = json.loads(response.read(_LONGEST_ANSWER))
        finally:
            connection.close()
        if response.status != 200:
            raise SwitchesError(answer["message"])
        return answer


def _switches(answer: Any) -> Switches:
    return Switches(
        active=tuple(ActiveFault(each["fault"], each["booking"]) for each in answer["faults"]),
        states=tuple(answer["states"]),
        time_scale=float(answer["timeScale"]),
    )
