"""Ctrl-C, or a request to end, as one KeyboardInterrupt."""

import signal
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def interrupt_once() -> None:
    """From now on the first of them raises KeyboardInterrupt, and later ones do nothing."""
    for number in _SIGNALS:
        signal.signal(number, _interrupt)


def _interrupt(*_: object) -> NoReturn:
    """End through the stack's own close, which another Ctrl-C would only leave half done."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt
