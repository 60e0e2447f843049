"""Message bodies as an outbox might publish them: right ones, contradicting ones, broken ones."""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from random import Random
from typing import Any

Body = dict[str, Any]

_EVENTS = (
    ("evt_gala", "Winter Gala", "Tempodrom", "Europe/Berlin"),
    ("evt_jazz", "Zoë Łukasz Trio — Ελλάδα, Київ", "Blue Room", "America/New_York"),
    ("evt_matinee", "Sunday Matinée", None, None),
    ("evt_rock", "Rock & \"Roll\" <Live> at O'Neil's", "Hall 1\u2028Gate 4", "Asia/Kathmandu"),
    ("evt_long", "An evening that goes on and on " * 6, "Arena " * 20, "Pacific/Auckland"),
)
_FIRST_NIGHT = datetime(2027, 1, 2, 19, 30, tzinfo=UTC)
_OFFSETS = (-5, 0, 1, 5.75, 13)  # hours


def valid(rng: Random, booking_id: str, quantity: int) -> Body:
    event, name, venue, zone = rng.choice(_EVENTS)
    start = _FIRST_NIGHT + timedelta(days=rng.randrange(400), minutes=15 * rng.randrange(20))
    return {
        "type": "booking.confirmed",
        "bookingId": booking_id,
        "userId": f"usr_{rng.randrange(10_000)}",
        "email": address(rng),
        "eventId": event,
        "eventName": name,
        "startsAt": _written(rng, start),
        "timeZone": zone,
        "quantity": quantity,
        "venue": venue,
    }


def address(rng: Random) -> str:
    return f"guest.{rng.getrandbits(40):010x}@{rng.choice(('example.org', 'mail.example.com'))}"


def same_again(rng: Random, body: Body) -> Body:
    """The same booking, perhaps in other words: a start is an instant, however it is written."""
    start = datetime.fromisoformat(body["startsAt"])
    return rng.choice((body, {**body, "startsAt": _written(rng, start)}, {**body, "note": "again"}))


CONFLICTS = ("userId", "eventId", "startsAt", "quantity")


def conflicting(rng: Random, field: str, body: Body) -> Body:
    """The same booking id with another fact, one of :data:`CONFLICTS`."""
    start = datetime.fromisoformat(body["startsAt"]) + timedelta(days=1)
    others = {
        "userId": f"usr_other_{rng.randrange(100)}",
        "eventId": "evt_other",
        "startsAt": _written(rng, start),
        "quantity": body["quantity"] + 1,
    }
    return {**body, field: others[field], "email": address(rng)}


def _written(rng: Random, instant: datetime) -> str:
    return instant.astimezone(timezone(timedelta(hours=rng.choice(_OFFSETS)))).isoformat()


def broken(rng: Random, kind: str, booking_id: str) -> str:
    """A body of that kind, one of :data:`BROKEN`, that no reading makes a booking."""
    return BROKEN[kind](valid(rng, booking_id, rng.randint(1, 4)))


def _dumped(**changes: Any) -> Callable[[Body], str]:
    return lambda body: json.dumps({**body, **changes})


def _without(field: str) -> Callable[[Body], str]:
    return lambda body: json.dumps({name: body[name] for name in body if name != field})


BROKEN: Mapping[str, Callable[[Body], str]] = {
    "not JSON": lambda _: "hello",
    "cut off": lambda body: json.dumps(body)[:-7],
    "encoded twice": lambda body: json.dumps(json.dumps(body)),
    "byte order mark": lambda body: "\ufeff" + json.dumps(body),
    "two owners": lambda body: json.dumps(body)[:-1] + ', "userId": "usr_2"}',
    "NaN": lambda body: json.dumps({**body, "note": float("nan")}),
    "a list": lambda body: json.dumps([body]),
    "nested without end": lambda body: json.dumps(body)[:-1] + ', "note": ' + "[" * 20_000,
    "an endless number": lambda body: json.dumps(body)[:-1] + ', "note": ' + "9" * 5_000 + "}",
    "half a character": lambda body: json.dumps({**body, "eventName": "Gala \ud83c"}),
    "of another type": _dumped(type="booking.cancelled"),
    "no seats": _dumped(quantity=0),
    "too many seats": _dumped(quantity=501),
    "seats as text": _dumped(quantity="2"),
    "seats as truth": _dumped(quantity=True),
    "seats and a half": _dumped(quantity=1.5),
    "seats missing": _without("quantity"),
    "owner missing": _without("userId"),
    "an id that leads out": _dumped(bookingId="../bk_1"),
    "an id too long": _dumped(bookingId="b" * 65),
    "owner null": _dumped(userId=None),
    "start without offset": _dumped(startsAt="2027-01-02T19:30:00"),
    "start that is no day": _dumped(startsAt="2027-02-30T19:30:00Z"),
    "unknown zone": _dumped(timeZone="Europe/Atlantis"),
    "two addresses": _dumped(email="one@example.com, two@example.com"),
    "a header in the address": _dumped(email="one@example.com\r\nBcc: two@example.com"),
    "no address": _dumped(email="nobody"),
    "empty name": _dumped(eventName=" \t "),
    "name too long": _dumped(eventName="x" * 201),
}
