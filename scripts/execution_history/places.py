"""Where each event belongs: the machine, an iteration, a branch, or a visit of a state."""

from collections.abc import Callable
from dataclasses import dataclass

from execution_history.events import Event
from execution_history.model import OPEN, History, Path, StateRun, Step


@dataclass(frozen=True)
class Scope:
    """Where states follow each other: the machine, an iteration or a branch."""

    around: StateRun | None = None
    path: Path = ()


Place = StateRun | Scope
MACHINE = Scope()


class Places:
    """Filled while the history is read; an event starts out where the one before it belongs."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._places: dict[int, Place] = {}
        self._branching: set[int] = set()

    def open(self, event: Event) -> Place:
        place = self._places.get(event.before, MACHINE)
        self._places[event.id] = place
        return place

    def of(self, event: Event) -> Place:
        """Where an event that was read belongs."""
        return self._places[event.id]

    def put(self, event: Event, place: Place) -> None:
        self._places[event.id] = place

    def branch(self, event: Event) -> None:
        """Each state entered right after this event begins a branch."""
        self._branching.add(event.id)

    def scope_after(self, event: Event, place: Place, name: str) -> Scope:
        """Where a state that is entered for the first time stands."""
        if isinstance(place, Scope):
            return place
        if event.before in self._branching:
            return Scope(place, (*place.path, Step(place.name, name)))
        return Scope(place.within, place.path)

    def iteration(self, event: Event, place: Place) -> Scope | None:
        name, index = event.text("name"), event.details.get("index")
        run = self.around(place, lambda run: run.type == "Map" and name in (None, run.name))
        if run is None or not isinstance(index, int):
            return None
        return Scope(run, (*run.path, Step(run.name, index)))

    def container(self, event: Event, place: Place) -> StateRun | None:
        """The open Map or Parallel that the event is about."""
        kind = "Parallel" if event.type.startswith("Parallel") else "Map"
        return self.around(place, lambda run: run.type == kind and run.status in OPEN)

    def around(self, place: Place, wanted: Callable[[StateRun], bool]) -> StateRun | None:
        """The nearest wanted state at or around a place, else the latest one that is open."""
        found = nearest(place, wanted)
        if found:
            return found
        open_ = (run for run in reversed(self._history.runs) if run.status in OPEN)
        return next((run for run in open_ if wanted(run)), None)


def nearest(place: Place, wanted: Callable[[StateRun], bool]) -> StateRun | None:
    """The nearest wanted state at or around a place."""
    run = place.around if isinstance(place, Scope) else place
    while run is not None and not wanted(run):
        run = run.within
    return run
