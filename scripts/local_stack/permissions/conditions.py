"""The conditions of a statement: those that the template uses, and their kin. No other is guessed.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html
"""

import operator
from collections.abc import Callable, Mapping

from local_stack.permissions.patterns import arn_matches, matches

Context = tuple[tuple[str, str], ...]
"""The condition keys of a request, each with its one value."""

OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "StringEquals": operator.eq,
    "StringLike": matches,
    "ArnEquals": arn_matches,
    "ArnLike": arn_matches,
}
KEYS = ("ses:FromAddress",)
"""The condition keys that :mod:`local_stack.permissions.needs` gives a request."""

Condition = Mapping[str, Mapping[str, tuple[str, ...]]]


def holds(condition: Condition, context: Context) -> bool:
    """All operators and keys have to hold, each for one of its values; an absent key does not.

    The names of keys have no case, their values do.
    """
    given = {key.lower(): value for key, value in context}
    return all(
        key.lower() in given and any(OPERATORS[name](value, given[key.lower()]) for value in values)
        for name, keys in condition.items()
        for key, values in keys.items()
    )
