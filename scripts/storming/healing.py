"""What an operator does after a storm, with the operator's own code.

Dead letters go back to the queue; what a redrive can help is redriven, what it cannot is run again;
until nothing is left that either can help.
"""

import time
from collections import Counter
from collections.abc import Callable

from execution_history import NEVER_MENDED
from operations.advice import advise
from operations.context import Operator, operator
from operations.executions import Described
from operations.queues import DeadLetters
from operations.redriving import Redrive, consider, failed, redrive_all
from operations.rerunning import hindrance, start_again
from operations.screen import Screen
from operations.target import Target
from storming.storm import MOST_RUNNING, Storm

_ROUNDS = 6  # a rerun may have to be redriven, a dead letter's execution too
_ROUND_SECONDS = 300
_POLL_SECONDS = 0.2


class _Patience:
    """Follows redrives for so long."""

    def __init__(self) -> None:
        self._until = time.monotonic() + _ROUND_SECONDS

    def requested(self) -> bool:
        return time.monotonic() > self._until

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)


class Healing:
    def __init__(self, storm: Storm, endpoint: str, report: Callable[[str], None]) -> None:
        self._storm = storm
        self._operator: Operator = operator(Target.local(endpoint, "dev"), Screen())
        self._report = report
        self._run_again: dict[str, str] = {}
        self.returned: set[str] = set()
        self.counts: Counter[str] = Counter()

    def heal(self) -> None:
        """Raises StuckError if what runs does not come to an end."""
        self._storm.subside()
        self._storm.wait_for_quiet(_ROUND_SECONDS)
        self._storm.mend()
        for _ in range(_ROUNDS):
            did = self._send_back() + self._redrive() + self._rerun()
            self._storm.wait_for_quiet(_ROUND_SECONDS)
            if not did:
                return

    def _send_back(self) -> int:
        letters = DeadLetters(
            self._operator.target.client("sqs"), self._operator.queue("bookings-dead-letters")
        )
        found = list(letters.look())
        for letter in found:
            letters.send_back(letter, self._operator.queue("bookings"))
            self.returned.add(letter.id)
        self.counts["dead letters sent back"] += len(found)
        return len(found)

    def _redrive(self) -> int:
        chosen = [redrive for redrive in self._considered() if self._helps(redrive)]
        if chosen:
            self._report(f"redriving {len(chosen):,} executions")
        redrive_all(
            self._operator.executions, chosen, _Patience(), at_once=MOST_RUNNING, follow=True,
            pause=_POLL_SECONDS, done=lambda _: None,
        )  # fmt: skip
        redriven = sum(redrive.redriven for redrive in chosen)
        self.counts["redriven"] += redriven
        return redriven

    def _considered(self) -> list[Redrive]:
        executions = self._operator.executions
        found = [executions.describe(listed.arn) for listed in failed(executions, None)]
        considered = (consider(each, (), self._operator.now()) for each in found)
        return [redrive for redrive in considered if redrive is not None and not redrive.left_out]

    def _helps(self, redrive: Redrive) -> bool:
        execution = redrive.execution
        return advise(execution, None, self._operator.now(), execution.name).redrive

    def _rerun(self) -> int:
        executions = self._operator.executions
        started = 0
        for listed in failed(executions, None):
            execution = executions.describe(listed.arn)
            if self._needs_rerun(execution):
                self._run_again[execution.arn] = start_again(executions, execution)
                started += 1
        self.counts["run again"] += started
        return started

    def _needs_rerun(self, execution: Described) -> bool:
        """Once each: if the new execution fails too, it is that one's turn."""
        if execution.error in NEVER_MENDED or execution.arn in self._run_again:
            return False
        helped = advise(execution, None, self._operator.now(), execution.name).redrive
        return not helped and hindrance(execution) is None
