"""Where the pages are."""

from urllib.parse import quote

from operations.executions import Listed, is_reconciliation
from operations.following import Row
from operations.target import BOOKINGS, RECONCILIATIONS

# The first part of the path, by the machine.
PLACES = {BOOKINGS: "execution", RECONCILIATIONS: "reconciliation"}


def page_of(execution: Row | Listed) -> str:
    """The path of the execution's page."""
    return path_of(execution.arn)


def path_of(arn: str) -> str:
    """The path of the page of the execution of that ARN."""
    place = PLACES[RECONCILIATIONS if is_reconciliation(arn) else BOOKINGS]
    return f"/{place}/{quote(arn.rpartition(':')[2], safe='')}"
