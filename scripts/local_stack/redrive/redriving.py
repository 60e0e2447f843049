"""The act of redriving, on moto's executions."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.backend.execution import Execution

from local_stack.redrive.eligibility import Facts, refusal
from local_stack.redrive.progress import Progress
from local_stack.redrive.recorder import Recorder
from local_stack.redrive.run import FinishedRun, Redrives, Run

TOKENS_KEPT = 10
TOKEN_LIFE = timedelta(minutes=15)


class NotRedrivableError(Exception):
    """Its text is AWS's reason."""


class Redriving:
    """``now`` decides what is too old; it is passed in so that a test can move it."""

    def __init__(self, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._now = now
        self._one_at_a_time = threading.Lock()

    def refusal(self, execution: Any) -> str | None:
        """Why the execution cannot be redriven now, in AWS's words; None if it can."""
        worker = execution.exec_worker
        facts = Facts(
            status=execution.status,
            type=execution.state_machine.type,
            started=execution.start_date,
            stopped=execution.stop_date,
            events=worker.length if isinstance(worker, FinishedRun) else 0,
        )
        return refusal(facts, self._now())

    def redrive(self, execution: Any, token: str | None) -> datetime:
        """Start it where it stopped, and give the date of that; once for one client token."""
        with self._one_at_a_time:
            kept = redrives(execution)
            now = self._now()
            used, answer = kept.tokens.get(token or "", (None, None))
            if used is not None and answer is not None and now - used <= TOKEN_LIFE:
                return answer
            reason = self.refusal(execution)
            if reason is not None:
                raise NotRedrivableError(reason)
            kept.count += 1
            kept.date = now
            if token:
                kept.tokens.pop(token, None)
                kept.tokens[token] = (now, now)
                for oldest in list(kept.tokens)[:-TOKENS_KEPT]:
                    del kept.tokens[oldest]
            _start(execution, execution.exec_worker.resume())
            return now


def redrives(execution: Any) -> Redrives:
    if not hasattr(execution, "redrives"):
        execution.redrives = Redrives()
    kept: Redrives = execution.redrives
    return kept


def new_run(execution: Any) -> Run:
    """The worker of an execution that starts."""
    return _run(execution, Recorder([], Progress()))


def _start(execution: Any, recorder: Recorder) -> None:
    """As moto's ``Execution.start``, of an execution that has run before."""
    execution.exec_worker = _run(execution, recorder)
    execution.error = execution.cause = execution.output = execution.stop_date = None
    execution.exec_status = ExecutionStatus.RUNNING
    execution.exec_worker.start()


def _run(execution: Execution, recorder: Recorder) -> Run:
    moto = _MOTO_WORKER(execution)
    return Run(
        recorder,
        redrives(execution),
        evaluation_details=moto._evaluation_details,  # noqa: SLF001
        exec_comm=moto._execution_communication,  # noqa: SLF001
        cloud_watch_logging_session=None,
        activity_store=moto._activity_store,  # noqa: SLF001
    )


_MOTO_WORKER: Any = Execution._get_start_execution_worker  # noqa: SLF001
