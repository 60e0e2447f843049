"""What a judge says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """``occasions``: how often the guarantee was put to the test. ``counted``: what was looked at.
    Each of ``broken`` names who and what, in a sentence."""

    guarantee: str
    promise: str
    occasions: int
    counted: str
    broken: tuple[str, ...] = ()

    @property
    def held(self) -> bool | None:
        """None where nothing came about that could have broken it."""
        if self.broken:
            return False
        return True if self.occasions else None


def count(number: int, what: str, plural: str = "") -> str:
    """``1 seat``, ``2,413 seats``."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
