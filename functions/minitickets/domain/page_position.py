"""``next``: where a holder's next page begins, as a text that means nothing to anybody else.

It is a ticket id, and the bookings that the page before cut, with an HMAC under the user's own id.
That needs no secret: the partition that is read is always the caller's own, and a link is made of
records alone, so whoever forges one moves within their own list, and misnames their own bookings.
What the HMAC does is to refuse what was damaged, or is another user's. What is in it is therefore
checked by type and range, as anything that comes from outside.
"""

import base64
import hashlib
import hmac
import json
import re
from typing import Any, NamedTuple

from minitickets.domain.held_booking import BOOKING_ID, MAX_SEATS, Facts, read_facts

_FACTS = ("eventId", "quantity", "eventName", "venue", "startsAt", "timeZone")
_LONGEST_KEY = 1024  # bytes of a sort key
_CONTROL = re.compile(r"[\x00-\x1f]")  # of no ticket id, and six times as long in JSON
_LONGEST_ID = 64  # of an event, as its message is accepted
# More ids of at most 64 characters do not nest: each has four more than the one around it, as
# a-001 lies between the seats 99 and 100 of a.
_MOST_CUT = 16
# API Gateway takes 10,240 bytes of address and headers, the caller's token among them.
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
# Two bookings with names of 200 four-byte letters, the longest accepted, nearly fill this share.
_NAMES_BYTES = 3300
_MOST_BYTES = 5960  # of all the content: below 8,000 characters, with the HMAC, in base64
_LONGEST_ESCAPE = 6  # characters of JSON for one byte: \u0000
_SHORTEST_SHARE = 4 * _LONGEST_ESCAPE  # leaves one letter of any kind, since no name is empty
_PURPOSE = b"minitickets next page 1\n"
_MAC_SIZE = hashlib.sha256().digest_size


class CutBooking(NamedTuple):
    """A booking that goes on behind a page's end; its seats up to ``listed`` have been listed."""

    booking_id: str
    listed: int
    facts: Facts


class Position(NamedTuple):
    """A Query's begin: the ticket id it begins behind, ``""`` at the start."""

    after: str = ""
    cut: tuple[CutBooking, ...] = ()


class InvalidPositionError(ValueError):
    """The text is no position of this user; it never holds the text."""


def write_position(position: Position, user_id: str) -> str:
    """URL-safe base64 without padding.

    Names that would not fit into an address, as of three bookings nested in each other, are cut.
    """
    left = min(_NAMES_BYTES, _MOST_BYTES - len(_content(position, 0)))
    share = max(_SHORTEST_SHARE, left // (2 * len(position.cut) or 1))
    content = _content(position, share)
    return base64.urlsafe_b64encode(_mac(content, user_id) + content).decode().rstrip("=")


def read_position(text: str, user_id: str) -> Position:
    """The position that was written; raises InvalidPositionError."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
        position = _position(json.loads(content[_MAC_SIZE:]))
        written = write_position(position, user_id)
    except (ValueError, TypeError, RecursionError):
        raise InvalidPositionError("is no position") from None
    # The whole text, since base64 and JSON have several spellings of one content.
    if not hmac.compare_digest(written.encode(), text.encode()):
        raise InvalidPositionError("is not of this user, or was changed")
    return position


def _content(position: Position, share: int) -> bytes:
    return json.dumps(
        [position.after, *([cut.booking_id, cut.listed, *_shortened(cut.facts, share)]
                           for cut in position.cut)],
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()  # fmt: skip


def _position(content: Any) -> Position:
    """Raises ValueError or TypeError unless each part is what could have been written."""
    after, *cut = content
    if not isinstance(after, str) or not 1 <= len(after.encode()) <= _LONGEST_KEY:
        raise ValueError
    if _CONTROL.search(after):
        raise ValueError
    if len(cut) > _MOST_CUT:
        raise ValueError
    return Position(after, tuple(_cut_booking(*one) for one in cut))


def _cut_booking(booking_id: Any, listed: Any, *facts: Any) -> CutBooking:
    found = read_facts(dict(zip(_FACTS, facts, strict=True)))
    if found is None or not isinstance(booking_id, str) or not BOOKING_ID.fullmatch(booking_id):
        raise ValueError
    if type(listed) is not int or not 0 <= listed <= MAX_SEATS:  # True is an int
        raise ValueError
    return CutBooking(booking_id, listed, found)


def _shortened(facts: Facts, share: int) -> Facts:
    """With each name in so many bytes of JSON."""
    return facts._replace(
        event_id=_begin(facts.event_id, _LONGEST_ID),
        event_name=_begin(facts.event_name, share),
        venue=None if facts.venue is None else _begin(facts.venue, share),
    )


def _begin(text: str, most: int) -> str:
    if len(json.dumps(text, ensure_ascii=False).encode()) <= most + 2:
        return text
    return text.encode()[: most // _LONGEST_ESCAPE].decode(errors="ignore")


def _mac(content: bytes, user_id: str) -> bytes:
    return hmac.digest(user_id.encode(), _PURPOSE + content, hashlib.sha256)
