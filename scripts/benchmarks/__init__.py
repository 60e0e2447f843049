"""Speed as ratios, each within one run and side by side, so that a busy machine matters less."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Row:
    """One line of the report; ``limit`` is what the ratio should keep to, if anything."""

    what: str
    figure: str
    ratio: float | None = None
    limit: float | None = None
    at_least: bool = False

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}x"
        sign = "at least" if self.at_least else "at most"
        limit = "" if self.limit is None else f"({sign} {self.limit}x)"
        return f"{self.what:<34} {ratio:>7} {limit:<16} {self.figure}"


def in_turn(
    first: Callable[[], float], second: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """The medians of two measurements taken in turn: first, second, first, second …"""
    pairs = [(first(), second()) for _ in range(rounds)]
    return median(a for a, _ in pairs), median(b for _, b in pairs)
