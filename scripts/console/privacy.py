"""What a page leaves out of an execution's data."""

import re

_AT = re.compile(r"(@|\\+u0040)")  # the sign, also as JSON may write it
_ENDS = "\t\n\r \"'\\<>(),;:"  # what no name of a mailbox holds unless it is quoted


def masked(text: str) -> str:
    """The text with each email address cut to its domain: ``…@example.com``.

    The domain stays: it is what tells a mistyped address and a refusing provider apart.
    """
    *parts, last = _AT.split(text)
    return "".join(_nameless(part) if at % 2 == 0 else part for at, part in enumerate(parts)) + last


def _nameless(before: str) -> str:
    """What stands before an at sign, without the mailbox's name at its end."""
    if before.endswith('"'):  # the name is quoted
        start = before.rstrip('"\\').rfind('"')
        return before[: start + 1] + "…" if start >= 0 else before
    start = max(before.rfind(end) for end in _ENDS) + 1
    return before[:start] + "…" if before[start:] else before
