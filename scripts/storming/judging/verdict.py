"""What a judge says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verdict:
    """``counted`` is what was looked at; each of ``broken`` names who and what, in a sentence."""

    guarantee: str
    promise: str
    counted: str
    broken: tuple[str, ...] = ()

    @property
    def held(self) -> bool:
        return not self.broken


def count(number: int, what: str, plural: str = "") -> str:
    """``1 seat``, ``2,413 seats``."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"
