"""RUNBOOK.md, reconciliation: each row breaks what it says, and is mended as it says.

Not real: the schedule, which the local stack does not have; so nothing was started.
"""

from datetime import date, timedelta

import pytest

from workflow.grants import without
from workflow.harness import Fulfilment, booking
from workflow.reconciling import (
    booked,
    change,
    ended,
    give_back,
    lose_images,
    new_date,
    reconciliations,
    start,
    stop_halfway,
)
from workflow.runbook import Operator, Row, fails, is_fulfilled, plays
from workflow.tools import break_step, mend, object_keys

pytestmark = pytest.mark.slow  # retries to their end


def about(operator: Operator, arn: str, day: date) -> None:
    operator.about(NAME=arn.rpartition(":")[2], DATE=str(day))


@plays("ImagesUnreadable")
def test_a_check_that_may_not_list_the_bucket(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    day = new_date()
    id_ = booked(fulfilment, day, 20)
    lose_images(fulfilment, id_, 4)
    with without(fulfilment, "CheckTicketsRole", "s3:ListBucket"):
        stopped = ended(fulfilment, start(fulfilment, day))
    about(operator, stopped["executionArn"], day)
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    assert len(object_keys(fulfilment, id_)) == 20


@plays("TooManyMissing")
@pytest.mark.parametrize("come_back", [True, False])
def test_images_that_went_in_great_number(
    fulfilment: Fulfilment, operator: Operator, row: Row, come_back: bool
) -> None:
    day = new_date()
    id_ = booked(fulfilment, day, 4)
    images = lose_images(fulfilment, id_, 1, 2, 3)
    stopped = ended(fulfilment, start(fulfilment, day))
    about(operator, stopped["executionArn"], day)
    operator.types(row.look)
    operator.sees(row)
    if come_back:
        give_back(fulfilment, images)
        operator.types(row.fix)
    else:
        operator.types(row.fix, only="scripts/minitickets reconcile ")
    assert len(object_keys(fulfilment, id_)) == 4


@plays("many repairs")
def test_bookings_that_failed_and_were_not_redriven(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    day = new_date()
    message = booking(startsAt=f"{day}T20:00:00+01:00")
    id_ = message["bookingId"]
    break_step(fulfilment, id_, "Written", "error", None, seat=2)
    fails(fulfilment, message)
    mend(fulfilment, id_)
    change(fulfilment, id_, 2, "SET createdAt = :old", {":old": "2026-01-01T00:00:00.000000Z"})
    run = ended(fulfilment, start(fulfilment, day))
    about(operator, run["executionArn"], day)
    operator.types(row.look)
    operator.sees(row)
    assert id_ in operator.wrote
    operator.types(row.fix)
    is_fulfilled(fulfilment, id_)


@plays("seats not repaired")
def test_a_seat_that_a_reconciliation_could_not_mend(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    day = new_date()
    id_ = booked(fulfilment, day, 2)
    stop_halfway(fulfilment, id_, 2)
    break_step(fulfilment, id_, "Written", "error", None, seat=2)
    run = ended(fulfilment, start(fulfilment, day))
    assert run["status"] == "SUCCEEDED"
    about(operator, run["executionArn"], day)
    operator.types(row.look)
    operator.sees(row)
    assert f"{id_} seat 2" in operator.wrote
    mend(fulfilment, id_)
    operator.types(row.fix)
    assert fulfilment.tickets(id_)[2]["status"] == "ready"


@plays("no reconciliation")
def test_a_day_without_a_reconciliation(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    day = new_date()
    id_ = booked(fulfilment, day + timedelta(days=1), 2)
    stop_halfway(fulfilment, id_, 1)
    operator.about(DATE=str(day + timedelta(days=1)))
    before = len(reconciliations(fulfilment))
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    assert len(reconciliations(fulfilment)) == before + 1
    assert fulfilment.tickets(id_)[1]["status"] == "ready"
