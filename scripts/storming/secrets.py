"""Looks for QR tokens and for email addresses in text."""

import re
from collections.abc import Container

TOKEN = re.compile("[A-Z2-7]{26}")
"""What every token looks like, so that none can hide from :func:`tokens_in`."""

_RUN = re.compile("[A-Z2-7]{26,}")
_LENGTH = 26
# Looser than any address that is accepted: what could be one should not be where none may be.
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")


def tokens_in(text: str, tokens: Container[str]) -> set[str]:
    """Those of ``tokens`` that occur in the text, also inside a longer run of such letters."""
    return {
        run[start : start + _LENGTH]
        for run in _RUN.findall(text)
        for start in range(len(run) - _LENGTH + 1)
        if run[start : start + _LENGTH] in tokens
    }


def addresses_in(text: str) -> list[str]:
    """What looks like an email address."""
    return _ADDRESS.findall(text)
