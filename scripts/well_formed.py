"""Text that every reader takes."""

import re

_HALF = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> str:
    """Half of a surrogate pair, which JSON can name and UTF-8 cannot hold, becomes U+FFFD."""
    return text if text.isascii() else _HALF.sub("\ufffd", text)
