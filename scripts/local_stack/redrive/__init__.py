"""RedriveExecution, which moto lacks, on moto's Step Functions interpreter.

:func:`install` once for the life of the process; a later call moves the clock only.

The history and how far each branch and iteration came are recorded together (:mod:`.recorder`,
:mod:`.progress`). A redrive restores that record and evaluates the same definition on the same
input: each scope goes on after the last state that it left, with that state's recorded output
(:mod:`.evaluation`). Nothing of a state that was left is evaluated, invoked or logged again.

What AWS says
-------------

``DG`` is https://docs.aws.amazon.com/step-functions/latest/dg,
``API`` is https://docs.aws.amazon.com/step-functions/latest/apireference.

- Task, Choice, Wait, Fail, Pass, Parallel and inline Map on redrive; the same definition, input and
  ARN; retry counts and timeouts from 0; all branches or iterations again after
  ``States.DataLimitExceeded``; the 14 days, the 24,999 events and the year
  (DG/redrive-executions.html).
- A state is redriven that has an ``Entered`` and no ``Exited`` event (DG/redrive-map-run.html).
- ``clientToken``: the last 10, for 15 minutes from their first use (API/API_RedriveExecution.html).
- ``redriveCount``, ``redriveDate``, ``redriveStatus``; the reasons' words
  (API/API_DescribeExecution.html). ``redriveFilter`` and ``PENDING_REDRIVE`` are refused with a
  machine's ARN (API/API_ListExecutions.html).
- Pages of 100 events, at most 1,000, newest first on request; an expired or foreign token is
  ``InvalidToken`` (API/API_GetExecutionHistory.html).
- ``$$.Execution.RedriveCount``, and ``RedriveTime`` once redriven
  (DG/input-output-contextobject.html).
- The siblings of a failed iteration stop (DG/state-map-inline.html), those of a failed branch too
  (DG/state-parallel.html). Functions that were invoked run on; what they answer is lost.
- Histories recorded on AWS show ``TaskStateAborted`` and ``MapIterationAborted`` between
  ``MapIterationFailed`` and ``MapStateFailed``, with the failure as their previous event.

What is deduced
---------------

- An iteration or branch goes on at the step that had not exited. AWS says that successful steps are
  kept and that failed iterations are redriven, not where inside one.
- A state that is redriven is entered again, after ``ExecutionRedriven``, whose previous event is
  the end before it. AWS publishes no history of a redriven execution.
- A Pass that was entered and not left is left with its input as its output. One that was never
  entered runs.
- A Wait for a number of seconds waits for all of them again.
- ``ExecutionNotRedrivable`` carries the reason that ``redriveStatusReason`` would give; the words
  for an EXPRESS machine are ours.
- What a stop or a timeout aborts is shown before the end, each with its own ``Entered`` event as
  the previous one.
- ``RedriveCount`` is 0, and not absent, in an execution that was never redriven.

What is left out: the redrive of a Distributed Map's child workflows (a redrive runs the whole Map
again), aliases and versions, the failure of a running execution at 25,000 events, and workflow
variables, which moto cannot read without JSONata.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from local_stack.redrive import api, evaluation
from local_stack.redrive.redriving import Redriving

__all__ = ["install"]

_installed: list[bool] = []


def install(now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
    """Patch moto. ``now`` decides what is too old to be redriven."""
    if not _installed:
        evaluation.install()
        _installed.append(True)
    api.install(Redriving(now))
