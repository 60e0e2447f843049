"""From what a person types to executions."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from botocore.exceptions import ClientError

from operations.bookings import Bookings, Claim
from operations.executions import Described, Executions
from operations.target import RECONCILIATIONS, Target

_NO_SUCH = ("ExecutionDoesNotExist", "InvalidArn", "ValidationException")
_CLOCKS_DIFFER = timedelta(hours=1)


class NotFound(Exception):
    """A booking, name or ARN that nothing answers to; the message is for people."""


def is_missing(error: ClientError) -> bool:
    """Whether AWS says that there is no such execution."""
    return error.response["Error"].get("Code") in _NO_SUCH


@dataclass(frozen=True)
class Finder:
    target: Target
    executions: Executions
    bookings: Bookings
    options: str = ""

    def one(self, asked: str) -> Described:
        """The execution of that ARN, name or booking; of a booking's several, the first."""
        return self.all(asked)[0]

    def all(self, asked: str, *, thorough: bool = False) -> list[Described]:
        """Every execution that is known by that ARN, name or booking, oldest first.

        A booking's are those that its two records in processed-jobs name: the one that accepted it
        and the one that has its email. ``thorough`` reads all executions since the booking was
        accepted, and so finds each second delivery and each refused one; the local stack, where
        that costs nothing, is always searched so. Raises NotFound.
        """
        if asked.startswith("arn:"):
            return [self._by_arn(asked, f"There is no execution {asked}.")]
        claim = self.bookings.claim(asked)
        if thorough or self.target.endpoint is not None:
            found = self._search(asked, claim)
            if found or claim or thorough:
                return found or self._of_none(asked)
        if claim is None:
            unknown = (
                f"No execution of {self.target.where} has accepted a booking {asked!r}, and none "
                "is named so. A message that was refused, or failed before it was accepted, is "
                f"found by: {self._search_command(asked)}"
            )
            return [self._by_name(asked, unknown)]
        return self._of_records(asked, claim)

    def _of_none(self, booking: str) -> list[Described]:
        raise NotFound(f"No execution of {self.target.where} is of a booking {booking!r}.")

    def _search_command(self, booking: str) -> str:
        search = f"minitickets executions --booking {shlex.quote(booking)} --every-delivery"
        return search + self.options

    def _by_name(self, name: str, unknown: str) -> Described:
        """A booking's, else a reconciliation's."""
        try:
            return self._by_arn(self.target.execution_arn(name), unknown)
        except NotFound:
            return self._by_arn(self.target.execution_arn(name, RECONCILIATIONS), unknown)

    def _by_arn(self, arn: str, unknown: str) -> Described:
        try:
            return self.executions.describe(arn)
        except ClientError as error:
            if is_missing(error):
                raise NotFound(unknown) from error
            raise

    def _of_records(self, booking: str, claim: Claim) -> list[Described]:
        email = self.bookings.email(booking)
        arns = dict.fromkeys([claim.execution_arn, *([email.owner] if email else [])])
        gone = (
            f"The execution of booking {booking!r} is not there any more: {claim.execution_arn}. "
            "Step Functions keeps an execution for 90 days after its end."
        )
        found = [self._by_arn(arn, gone) for arn in arns]
        return sorted(found, key=lambda execution: execution.started_at)

    def _search(self, booking: str, claim: Claim | None) -> list[Described]:
        since = claim.accepted_at - _CLOCKS_DIFFER if claim and claim.accepted_at else None
        return [each for each in self._described(since) if each.booking == booking][::-1]

    def _described(self, since: datetime | None) -> Iterator[Described]:
        for listed in self.executions.list(since=since):
            yield self.executions.describe(listed.arn)
