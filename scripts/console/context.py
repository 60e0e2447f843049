"""What each page works with."""

from dataclasses import dataclass
from typing import Self

from console.breaking.faults import FaultSwitches
from operations.context import Operator
from operations.finding import NotFound
from operations.following import Follower, Row


@dataclass(frozen=True)
class Console:
    """``endpoint`` and ``switches`` are the local stack's, None on AWS."""

    operator: Operator
    follower: Follower
    endpoint: str | None
    switches: FaultSwitches | None

    @classmethod
    def of(cls, operator: Operator) -> Self:
        endpoint = operator.target.endpoint
        switches = FaultSwitches(endpoint) if endpoint else None
        return cls(operator, Follower(operator), endpoint, switches)

    def executions_of(self, booking: str) -> list[Row]:
        """The newest first; none is no error."""
        try:
            return self.follower.rows_of(booking)
        except NotFound:
            return []

    @property
    def where(self) -> str:
        """The stage and where it runs, for people."""
        return self.operator.target.where

    @property
    def ways(self) -> list[tuple[str, str]]:
        """The pages in the bar: label and path. Faults can be played on the local stack only."""
        ways = [
            ("Executions", "/"),
            ("Reconciliations", "/reconciliations"),
            ("Book", "/book"),
            ("My tickets", "/my-tickets"),
        ]
        return [*ways, ("Break it", "/break-it")] if self.endpoint else ways
