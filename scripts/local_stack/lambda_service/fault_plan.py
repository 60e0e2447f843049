"""The faults in force, counted down as they strike; safe to use and change from many threads."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from local_stack.lambda_service.faults import SES_KINDS, Fault, FaultKind, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class FaultPlan:
    """Faults in the order of their addition; the first that fits a call strikes it."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._faults = list(faults)
        self._lock = threading.Lock()

    def take(self, state: str, subject: Subject) -> FaultKind | None:
        """The kind that strikes this call of the state's function, if any."""
        return self._strike(
            lambda fault: (
                fault.state == state and fault.fits(subject) and fault.kind not in SES_KINDS
            )
        )

    def take_ses(self, booking: str | None) -> FaultKind | None:
        """The kind that strikes this request to SES, if any."""
        subject = Subject(booking)
        return self._strike(lambda fault: fault.kind in SES_KINDS and fault.fits(subject))

    def active(self) -> tuple[Fault, ...]:
        """What still can strike, with the times that are left."""
        with self._lock:
            return tuple(self._faults)

    def add(self, fault: Fault) -> None:
        with self._lock:
            self._faults.append(fault)

    def add_once(self, fault: Fault) -> None:
        """Add it unless the very same is there."""
        with self._lock:
            if fault not in self._faults:
                self._faults.append(fault)

    def remove(self, fault: Fault) -> None:
        """Remove the very same, with the times that are left; nothing happens without it."""
        with self._lock:
            self._faults = [each for each in self._faults if each != fault]

    def clear(self, state: str) -> None:
        """Remove the faults of one state."""
        with self._lock:
            self._faults = [fault for fault in self._faults if fault.state != state]

    def lift(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._faults.clear()

    def _strike(self, fits: Callable[[Fault], bool]) -> FaultKind | None:
        with self._lock:
            for index, fault in enumerate(self._faults):
                if fits(fault):
                    self._count_down(index, fault)
                    return fault.kind
        return None

    def _count_down(self, index: int, fault: Fault) -> None:
        if fault.times is None:
            return
        if fault.times == 1:
            del self._faults[index]
        else:
            self._faults[index] = replace(fault, times=fault.times - 1)
