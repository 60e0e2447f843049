"""Shorter waits for trying things out: ``--time-scale``.

The interpreter multiplies every retry interval by the scale (:mod:`local_stack.interpreter`). Two
waits have a floor, since they must outlast something that is not scaled: a function's timeout.
"""

import copy
import math
from typing import Any

GRACE_FLOOR = 10  # seconds, in which the siblings of a failing step finish
IN_PROGRESS = "EmailInProgress"
_GRACE = {"TicketConflict", "TicketMissing", "EmailRejected"}
_MARGIN = 1.2  # the waiting run outlasts the lease by a fifth, as in the definition


def scaled_lease(lease: int, scale: float, send_timeout: int) -> int:
    """The email's lease in whole seconds: never below SendEmail's timeout plus 1 s."""
    return max(math.ceil(lease * scale), send_timeout + 1)


def with_floors(definition: dict[str, Any], scale: float, lease: int) -> dict[str, Any]:
    """The definition whose intervals, once multiplied by ``scale``, respect the floors.

    ``lease`` is the scaled lease in seconds.
    """
    floored = copy.deepcopy(definition)
    for retrier in _retriers(floored):
        errors = set(retrier["ErrorEquals"])
        if errors & _GRACE:
            floor = GRACE_FLOOR / scale
        elif IN_PROGRESS in errors:
            floor = _MARGIN * lease / scale / retrier["MaxAttempts"]
        else:
            continue
        retrier["IntervalSeconds"] = max(retrier["IntervalSeconds"], math.ceil(floor))
    return floored


def _retriers(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [retrier for item in node for retrier in _retriers(item)]
    if not isinstance(node, dict):
        return []
    return [*node.get("Retry", []), *_retriers(list(node.values()))]
