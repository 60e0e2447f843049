"""A request to AWS, as far as permissions depend on it."""

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any


class UnknownCallError(Exception):
    """The local stack does not know what this request needs."""


@dataclass(frozen=True)
class Request:
    """An HTTP request to one of AWS's services. ``environ`` is WSGI's.

    ``service`` is the name in its signature; ``identities`` are those that SES has verified.
    """

    service: str
    environ: Any
    body: Callable[[], bytes]
    identities: Callable[[], Collection[str]]

    @property
    def method(self) -> str:
        return str(self.environ["REQUEST_METHOD"])

    @property
    def path(self) -> str:
        return str(self.environ["PATH_INFO"]).encode("latin-1").decode(errors="replace")

    @property
    def operation(self) -> str:
        """The operation of a JSON protocol; empty for the others."""
        return str(self.environ.get("HTTP_X_AMZ_TARGET", "")).rpartition(".")[2]

    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body())
        return found

    def __str__(self) -> str:
        return f"{self.service} {self.operation or f'{self.method} {self.path}'}"
