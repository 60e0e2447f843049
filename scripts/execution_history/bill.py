"""What AWS bills for an execution of a Standard workflow: its state transitions.

AWS's word: a transition is counted each time a step of the workflow is executed, each retry is
one more (https://aws.amazon.com/step-functions/pricing/), and so is a redrive itself, and each
state that is run again in it
(https://docs.aws.amazon.com/step-functions/latest/dg/concepts-transitions.html).

Deduced, for AWS names no events: a step is executed when its state is entered, whatever its type,
so a Map is one and so is each state in each of its iterations; a retry is a Task scheduled, or a
Map or Parallel started, once more; the start and the end of the execution count for nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from execution_history.model import StateRun
from execution_history.reading import Reading, read

FREE_A_MONTH = 4_000
_PER_TRANSITION = Decimal("0.025") / 1_000


def transitions(events: Iterable[Mapping[str, Any]]) -> int:
    """How many the history shows so far, complete or not."""
    return billed(read(events))


def cost(transitions: int) -> Decimal:
    """In US dollars, in us-east-1 and beyond the 4,000 that are free each month.

    Most regions have that price, and some up to half as much again:
    https://aws.amazon.com/step-functions/pricing/
    """
    return transitions * _PER_TRANSITION


def billed(reading: Reading) -> int:
    """``transitions`` of a history that is read already."""
    return reading.history.redrives + sum(_executed(reading).values())


def _executed(reading: Reading) -> Counter[tuple[StateRun, int]]:
    """How often each visit's step was executed before the first redrive, and in each.

    A redrive may schedule a Task without entering its state again, so neither events tell alone.
    """
    redrives = 0
    entered: Counter[tuple[StateRun, int]] = Counter()
    for event in reading.events:
        place = reading.places.of(event)
        if event.type == "ExecutionRedriven":
            redrives += 1
        elif event.type.endswith("StateEntered") and isinstance(place, StateRun):
            entered[place, redrives] += 1
    tried = Counter((run, a.redrive) for run in reading.history.runs for a in run.attempts)
    return entered | tried
