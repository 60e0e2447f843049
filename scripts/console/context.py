"""What each page works with."""

from dataclasses import dataclass

from operations.context import Operator


@dataclass(frozen=True)
class Console:
    """``endpoint`` is the local stack's address, None on AWS."""

    operator: Operator
    endpoint: str | None

    @property
    def where(self) -> str:
        """The stage and where it runs, for people."""
        return self.operator.target.where

    @property
    def ways(self) -> list[tuple[str, str]]:
        """The pages in the bar: label and path. Faults can be played on the local stack only."""
        ways = [("Executions", "/"), ("Book", "/book")]
        return [*ways, ("Break it", "/break-it")] if self.endpoint else ways
