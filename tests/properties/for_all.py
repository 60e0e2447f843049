"""How a property runs: some examples each time, many more among the slow tests.

Every run draws the same examples, so that a failure on one machine is one on every machine.
Nothing is kept between runs, and no example has a deadline: a busy machine is no fault.
"""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy, just

Property = Callable[..., None]


def for_all(
    *values: SearchStrategy[Any], quick: int, deep: int, each: Iterable[str] | None = None
) -> Callable[[Property], Callable[..., None]]:
    """Turn ``check(*values)`` into two tests: of ``quick`` examples, and slow of ``deep``.

    With ``each``, into two of ``check(case, *values)`` for each of these cases: sixty drawn
    examples may leave out one case of a dozen.
    """

    def decorate(check: Property) -> Callable[..., None]:
        def run(examples: int, *fixed: SearchStrategy[str]) -> None:
            same_each_time = settings(
                max_examples=examples, derandomize=True, database=None, deadline=None
            )
            same_each_time(given(*fixed, *values)(check))()

        def test(examples: int) -> None:
            run(examples)

        def test_case(case: str, examples: int) -> None:
            run(examples, just(case))

        chosen: Property = (
            test if each is None else pytest.mark.parametrize("case", each)(test_case)
        )
        chosen.__name__, chosen.__doc__ = check.__name__, check.__doc__
        return pytest.mark.parametrize(
            "examples",
            [
                pytest.param(quick, id="quick"),
                pytest.param(deep, id="deep", marks=pytest.mark.slow),
            ],
        )(chosen)

    return decorate
