"""One run of an execution: from its start, or from a redrive, to its end."""

from __future__ import annotations

import contextlib
import pickle
import threading
import zlib
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.utils.encoding import to_json_str
from moto.stepfunctions.parser.backend.execution_worker import ExecutionWorker
from moto.stepfunctions.parser.utils import TMP_THREADS

from local_stack.redrive.progress import Progress
from local_stack.redrive.recorder import Recorder

# A bulk redrive could start hundreds, and each costs about ten threads. AWS knows no such bound.
_redriven_at_once = threading.BoundedSemaphore(50)
_STATUS = {
    "ExecutionSucceeded": ExecutionStatus.SUCCEEDED,
    "ExecutionFailed": ExecutionStatus.FAILED,
    "ExecutionAborted": ExecutionStatus.ABORTED,
    "ExecutionTimedOut": ExecutionStatus.TIMED_OUT,
}


class Run(ExecutionWorker):
    """moto's worker of an execution, which records as it goes and ends when its history does."""

    def __init__(self, recorder: Recorder, redrives: Redrives, **of_moto: Any) -> None:
        super().__init__(**of_moto)
        self._recorder = recorder
        self._redrives = redrives
        self._finishing = threading.Lock()
        self._finished = False

    def start(self) -> None:
        """Log the first event and go on in a thread, so that a stop has something to stop."""
        self.env = self._get_evaluation_environment()
        env: Any = self.env
        env.event_manager = self._recorder
        env.progress = self._recorder.root
        execution = env.states.context_object.context_object_data["Execution"]
        execution["RedriveCount"] = self._redrives.count
        context = env.event_history_context
        if self._redrives.date is None:
            self._recorder.add_event(
                context, "ExecutionStarted", self._started(), update_source_event_id=False
            )
        else:
            execution["RedriveTime"] = self._redrives.date.isoformat(timespec="milliseconds")
            context.source_event_id = self._recorder.last_id
            count = {"redriveCount": self._redrives.count}
            self._recorder.add_event(
                context, "ExecutionRedriven", {"executionRedrivenEventDetails": count}
            )
        name = f"execution {self._evaluation_details.execution_details.name}"
        threading.Thread(target=self._execution_logic, name=name, daemon=True).start()

    def stop(self, stop_date: datetime, error: str | None, cause: str | None) -> None:
        env: Any = self.env
        env.set_stop(stop_date=stop_date, error=error, cause=cause)
        given = {"error": error, "cause": cause}
        details = {name: value for name, value in given.items() if value}
        self._recorder.end("ExecutionAborted", {"executionAbortedEventDetails": details})
        self._finish()

    def _execution_logic(self) -> None:
        program: Any = self._get_evaluation_entrypoint()
        with _redriven_at_once if self._redrives.date else contextlib.nullcontext():
            program.eval(self.env)
        # What is still here without an end was timed out by the program's own clock.
        self._recorder.end("ExecutionTimedOut", {"executionTimedOutEventDetails": {}})
        self._finish()

    def _started(self) -> dict[str, Any]:
        details = self._evaluation_details
        return {
            "executionStartedEventDetails": {
                "input": to_json_str(details.execution_details.inpt),
                "inputDetails": {"truncated": False},
                "roleArn": details.aws_execution_details.role_arn,
            }
        }

    def _finish(self) -> None:
        """Give the execution its end. Of two threads, and of an abandoned one, only the first."""
        with self._finishing:
            if self._finished:
                return
            self._finished = True
        communication: Any = self._execution_communication
        execution = communication.execution
        finished = FinishedRun(self._recorder)
        end = finished.end
        details: dict[str, Any] = next((v for v in end.values() if isinstance(v, dict)), {})
        execution.exec_worker = finished
        execution.stop_date = datetime.now(UTC)
        execution.error, execution.cause = details.get("error"), details.get("cause")
        execution.output = details.get("output")  # JSON, which moto's answer passes on
        execution.exec_status = _STATUS[end["type"]]
        TMP_THREADS.clear()


class FinishedRun:
    """Stands where moto looks for a finished execution's worker.

    Only the history and the progress are left: no thread, no frame.
    """

    def __init__(self, recorder: Recorder) -> None:
        with recorder.lock:  # abandoned threads may still look into the progress
            self.end = recorder.events[-1]
            self.length = len(recorder.events)
            kept = pickle.dumps((recorder.events, recorder.root))
        self._kept = zlib.compress(kept, level=1)
        self.env = SimpleNamespace(event_manager=self)

    def get_event_history(self) -> list[dict[str, Any]]:
        return self._load()[0]

    def resume(self) -> Recorder:
        """The recorder of a run that goes on from here; this run's is left as it is."""
        events, root = self._load()
        root.restore()
        return Recorder(events, root)

    def stop(self, *_: Any, **__: Any) -> None:
        """An execution that has ended cannot be stopped; AWS ignores it too."""

    def _load(self) -> tuple[list[dict[str, Any]], Progress]:
        kept: tuple[list[dict[str, Any]], Progress]
        kept = pickle.loads(zlib.decompress(self._kept))  # noqa: S301 - its own
        return kept


class Redrives:
    """What an execution keeps of its redrives. ``date`` is the last one's."""

    def __init__(self) -> None:
        self.count = 0
        self.date: datetime | None = None
        # client token → (first use, the date it was answered with), oldest first
        self.tokens: dict[str, tuple[datetime, datetime]] = {}
