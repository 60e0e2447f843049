"""What a ticket's image is called where it is saved, whatever its event is called."""

import re
from urllib.parse import quote

from minitickets.domain.names import header_safe

# What a path, or a file system, reads as something else than a name.
_NOT_IN_A_NAME = re.compile(r'[\\/:*?"<>|]+')
_MOST_BYTES = 80  # of the event's name: the link holds each of them as five characters


def content_disposition(ticket_id: str, seat_number: int, event_name: str) -> str:
    """The header's value: two names, the first for who does not know the second.

    ASCII throughout. https://www.rfc-editor.org/rfc/rfc6266#section-4.3
    """
    name = _NOT_IN_A_NAME.sub(" ", header_safe(event_name))
    short = " ".join(name.encode()[:_MOST_BYTES].decode(errors="ignore").split())
    # Begins with a word of ours, so that no name is hidden, a device or an option.
    file = f"Ticket {seat_number} {short}".rstrip(" .") + ".png"
    return f"inline; filename=\"{ticket_id}.png\"; filename*=UTF-8''{quote(file, safe='')}"
