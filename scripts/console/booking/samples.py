"""Bookings to try: whole ones, and ones that are broken each in its own way."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from local_stack.samples import SAMPLES as OF_THE_STACK

_PLAIN: dict[str, Any] = json.loads(OF_THE_STACK[0])
_ACCENTS = "Zoë Łukasz Trio — Ελλάδα, Київ"
_MARKUP = "<img src=x onerror=alert(1)>"


class Sample(NamedTuple):
    """``body`` makes a message's body for a booking id."""

    title: str
    body: Callable[[str], str]


def _booking(**changes: object) -> Callable[[str], str]:
    def body(booking: str) -> str:
        return json.dumps(_PLAIN | changes | {"bookingId": booking}, ensure_ascii=False, indent=2)

    return body


def _not_json(booking: str) -> str:
    return f"bookingId={booking}, two seats please"


SAMPLES = (
    Sample("4 seats", _booking()),
    Sample("1 seat", _booking(quantity=1)),
    Sample("Accents, Greek, Cyrillic", _booking(quantity=2, eventName=_ACCENTS)),
    Sample("500 seats", _booking(quantity=500)),
    Sample("Broken: 0 seats", _booking(quantity=0)),
    Sample("Broken: not JSON", _not_json),
    Sample("A name that is markup", _booking(quantity=1, eventName=_MARKUP)),
)
