"""Lots that come round: each card once in every round, in an order that the seed shuffles.

Where independent chances would leave a rare kind out of a small storm, a deck does not.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Generic, TypeVar

Card = TypeVar("Card")


class Deck(Generic[Card]):
    def __init__(self, rng: Random, cards: Sequence[Card]) -> None:
        self._cards = self._shuffled(rng, cards)

    def draw(self) -> Card:
        return next(self._cards)

    @classmethod
    def one_in(cls, rng: Random, many: int) -> "Deck[bool]":
        """True once in so many draws, somewhere among them."""
        return Deck(rng, [True, *[False] * (many - 1)])

    @staticmethod
    def _shuffled(rng: Random, cards: Sequence[Card]) -> Iterator[Card]:
        while True:
            yield from rng.sample(cards, len(cards))
