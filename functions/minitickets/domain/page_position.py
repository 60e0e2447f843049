"""``next``: where a holder's next page begins, as a text that means nothing to anybody else.

It is the last ticket id of the page before, with an HMAC under the user's own id. That needs no
secret: the partition that is read is always the caller's own, so whoever forges one moves within
their own list. What the HMAC does is to refuse what was damaged, or is another user's.
"""

import base64
import binascii
import hashlib
import hmac

_LONGEST_KEY = 1024  # bytes of a sort key
_PURPOSE = b"minitickets next page 1\n"
_MAC_SIZE = hashlib.sha256().digest_size


class InvalidPositionError(ValueError):
    """The text is no position of this user; it never holds the text."""


def write_position(ticket_id: str, user_id: str) -> str:
    """URL-safe base64 without padding."""
    position = ticket_id.encode()
    return base64.urlsafe_b64encode(_mac(position, user_id) + position).decode().rstrip("=")


def read_position(text: str, user_id: str) -> str:
    """The ticket id that was written; raises InvalidPositionError."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars="-_", validate=True)
        position = content[_MAC_SIZE:].decode()
    except (binascii.Error, ValueError):
        raise InvalidPositionError("is no position") from None
    if not 1 <= len(content) - _MAC_SIZE <= _LONGEST_KEY:
        raise InvalidPositionError("is no position")
    # The whole text, since base64 has several spellings of one content.
    if not hmac.compare_digest(write_position(position, user_id).encode(), text.encode()):
        raise InvalidPositionError("is not of this user, or was changed")
    return position


def _mac(position: bytes, user_id: str) -> bytes:
    return hmac.digest(user_id.encode(), _PURPOSE + position, hashlib.sha256)
