"""Three bookings to begin with."""

import json
from typing import Any

_GALA: dict[str, Any] = {
    "type": "booking.confirmed",
    "bookingId": "bk_gala_1",
    "userId": "usr_pat",
    "email": "pat@example.com",
    "eventId": "evt_winter_gala",
    "eventName": "Winter Gala",
    "startsAt": "2026-12-24T19:30:00+01:00",
    "timeZone": "Europe/Berlin",
    "quantity": 4,
    "venue": "Tempodrom",
}
_JAZZ = _GALA | {
    "bookingId": "bk_jazz_1",
    "userId": "usr_zoe",
    "email": "zoe@example.com",
    "eventId": "evt_blue_note",
    "eventName": "Zoë Łukasz Trio — Ελλάδα, Київ",
    "startsAt": "2027-02-05T20:00:00-05:00",
    "timeZone": "America/New_York",
    "quantity": 2,
    "venue": "Blue Room",
}
_MATINEE = _GALA | {
    "bookingId": "bk_matinee_1",
    "userId": "usr_kim",
    "email": "kim@example.com",
    "eventId": "evt_matinee",
    "eventName": "Sunday Matinée",
    "startsAt": "2027-03-28T14:00:00+02:00",
    "timeZone": None,
    "quantity": 1,
    "venue": None,
}

SAMPLES: list[bytes] = [
    json.dumps(booking, ensure_ascii=False).encode() for booking in (_GALA, _JAZZ, _MATINEE)
]
