"""From events to visits of states.

AWS documents each event's fields and not how they hang together; that is learnt from recorded
histories: ``previousEventId`` leads from an event to the state that it belongs to, a container's
failure points at the state where it began, and several ``TaskStateAborted`` may all point at the
state that failed, so that only ``MapIterationAborted`` tells which iterations were stopped.
"""

from collections.abc import Callable

from execution_history import attempts, fates
from execution_history.events import Event
from execution_history.model import OPEN, History, Path, StateRun, Status
from execution_history.places import MACHINE, Place, Places, Scope, nearest

SCHEDULED = ("TaskScheduled", "LambdaFunctionScheduled", "ActivityScheduled")
_CONTAINERS = ("Map", "Parallel")
_ITERATION_ENDS = ("MapIterationSucceeded", "MapIterationFailed", "MapIterationAborted")
_ENDS = {
    "ExecutionSucceeded": "SUCCEEDED",
    "ExecutionFailed": "FAILED",
    "ExecutionTimedOut": "TIMED_OUT",
    "ExecutionAborted": "ABORTED",
}


class Reader:
    """Takes the events one by one, oldest first."""

    def __init__(self) -> None:
        self.history = History()
        self.places = Places(self.history)
        self._latest: dict[tuple[Path, str], StateRun] = {}
        self._waiting: list[StateRun] = []
        self._over = False
        self._endings: dict[str, Callable[[Event, Place], None]] = {
            "ExecutionStarted": self._started,
            "ExecutionRedriven": self._redriven,
            "MapIterationStarted": self._iteration_started,
            **dict.fromkeys(_ITERATION_ENDS, self._iteration_ended),
            "MapRunFailed": self._container_failed,
            "StateEntered": self._entered,
            "StateExited": self._exited,
            "StateStarted": self._container_started,
            "StateSucceeded": self._container_succeeded,
            "StateFailed": self._container_failed,
            "StateAborted": self._state_aborted,
            **dict.fromkeys(_ENDS, self._ended),
            **dict.fromkeys(SCHEDULED, self._scheduled),
            # Of a Task's attempt, under one of many names: TaskFailed, LambdaFunctionTimedOut …
            "Failed": self._attempt_failed,
            "TimedOut": self._attempt_failed,
            "Succeeded": self._attempt_succeeded,
        }

    def read(self, event: Event) -> None:
        self.history.events += 1
        place = self.places.open(event)
        # The local stack logs steps of siblings after the end. They did not count, so on a
        # redrive they are done again.
        if self._over and event.type != "ExecutionRedriven":
            return
        for ending, handle in self._endings.items():
            if event.type.endswith(ending):
                handle(event, place)
                return

    def _started(self, event: Event, _: Place) -> None:
        self.history.started_at = event.at
        self.history.input = event.text("input")

    def _redriven(self, event: Event, _: Place) -> None:
        history = self.history
        history.redrives = int(event.details.get("redriveCount") or history.redrives + 1)
        history.status, history.error, history.cause = "RUNNING", None, None
        history.stopped_at, self._over = None, False
        self.places.put(event, MACHINE)
        self._waiting = fates.await_redrive(history)

    def _ended(self, event: Event, place: Place) -> None:
        history = self.history
        history.status, history.stopped_at, self._over = _ENDS[event.type], event.at, True
        history.error, history.cause = event.text("error"), event.text("cause")
        history.output = event.text("output")
        if history.status == "FAILED":
            self._blame(place, event)
        fates.abort_all(history, event)
        for run in history.failures:
            fates.give_error(run, history.error, history.cause)

    def _entered(self, event: Event, place: Place) -> None:
        name = str(event.text("name"))
        awaited = fates.resume(self._waiting, place.path, lambda run: run.name == name)
        scope = self.places.scope_after(event, place, name)
        self.places.put(event, awaited or self._first_visit(name, event, scope))

    def _first_visit(self, name: str, event: Event, scope: Scope) -> StateRun:
        earlier = self._latest.get((scope.path, name))
        if earlier:
            earlier.superseded = True
            if earlier.type in _CONTAINERS:
                fates.supersede_within(self.history, earlier)
        run = StateRun(name, event.type.removesuffix("StateEntered"), scope.path)
        run.within, run.input, run.entered_at = scope.around, event.text("input"), event.at
        self._latest[scope.path, name] = run
        self.history.runs.append(run)
        return run

    def _exited(self, event: Event, place: Place) -> None:
        name = event.text("name")
        run = self.places.around(place, lambda run: run.name == name)
        if run is None:
            return
        self.places.put(event, run)
        failed = run.status is Status.FAILED or bool(run.attempts and run.attempts[-1].failed)
        run.output = event.text("output")
        fates.finish(run, Status.CAUGHT if failed else Status.SUCCEEDED, event)
        if failed:
            for leaf in self.history.caught:  # those inside it, and a Fail names no error itself
                fates.give_error(leaf, *fates.caught_error(run.output))

    def _scheduled(self, event: Event, place: Place) -> None:
        run: StateRun | None = place if isinstance(place, StateRun) else None
        if run is None:  # a redrive that does not enter the state again
            run = fates.resume(self._waiting, place.path, lambda run: run.type == "Task")
        if run is not None:
            fates.reopen(run)
            self.places.put(event, run)
            attempts.begin(self.history, run, event)

    def _attempt_failed(self, event: Event, place: Place) -> None:
        if isinstance(place, StateRun):
            attempts.fail(self.history, place, event)

    def _attempt_succeeded(self, event: Event, place: Place) -> None:
        if isinstance(place, StateRun):
            attempts.succeed(place, event)

    def _container_started(self, event: Event, place: Place) -> None:
        run = self.places.container(event, place)
        if run is None:
            return
        self.places.put(event, run)
        if run.type == "Parallel":
            self.places.branch(event)
        if attempts.started_before(self.history, run):
            attempts.fail_container(self.history, run, event)
            fates.supersede_within(self.history, run)
        fates.reopen(run)
        attempts.begin(self.history, run, event)
        run.length = event.details.get("length", run.length)

    def _container_succeeded(self, event: Event, place: Place) -> None:
        run = self.places.container(event, place)
        if run:
            self.places.put(event, run)

    def _container_failed(self, event: Event, place: Place) -> None:
        self._blame(place, event)
        run = self.places.container(event, place)
        if run is None:
            return
        self.places.put(event, run)
        attempts.fail_container(self.history, run, event)
        fates.abort_within(self.history, run, event)
        fates.finish(run, Status.FAILED, event)

    def _state_aborted(self, event: Event, place: Place) -> None:
        kind = event.type.removesuffix("StateAborted")
        run = nearest(place, lambda run: run.type == kind)
        if run and run.status in OPEN:
            fates.finish(run, Status.ABORTED, event)
        elif run:  # the one that failed; which of its siblings was stopped is not told
            self.places.put(event, Scope(run.within, run.within.path if run.within else ()))

    def _iteration_started(self, event: Event, place: Place) -> None:
        scope = self.places.iteration(event, place)
        if scope:
            self.places.put(event, scope)
            fates.reopen(scope.around)
            self.history.iterations[scope.path] = Status.RUNNING

    def _iteration_ended(self, event: Event, place: Place) -> None:
        scope = self.places.iteration(event, place)
        if scope is None:
            return
        self.places.put(event, scope)
        fate = Status(event.type.removeprefix("MapIteration").lower())
        if fate is Status.ABORTED:
            fates.abort_iteration(self.history, scope.path, event)
        elif fate is Status.FAILED:
            self._blame(place, event)
        self.history.iterations[scope.path] = fate

    def _blame(self, place: Place, event: Event) -> None:
        """The state from which a failure came, unless that is known already."""
        if isinstance(place, StateRun) and place.status in (*OPEN, Status.ABORTED):
            fates.finish(place, Status.FAILED, event)
