"""RUNBOOK.md, executions that ended another way or cannot be redriven: each row is played."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import pytest

from local_stack import redrive
from local_stack.redrive import eligibility
from workflow.harness import Fulfilment, booking
from workflow.runbook import (
    Definition,
    Operator,
    Record,
    Row,
    fails,
    is_fulfilled,
    other_definition,
    plays,
)
from workflow.tools import break_step, mend, on_step, wait

pytestmark = pytest.mark.slow  # retries to their end, and a timeout

REDRIVE = "`scripts/minitickets redrive BOOKING`"


@plays("ABORTED")
def test_an_execution_that_somebody_stopped(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    message, reached, go_on = booking(), threading.Event(), threading.Event()

    def hold(_: Record) -> None:
        reached.set()
        wait(go_on)

    on_step(fulfilment, "Written", message["bookingId"], hold)
    fulfilment.publish(message)
    wait(reached)
    fulfilment.wait_for(lambda: fulfilment.emails(message["bookingId"]))
    fulfilment.wait_for(lambda: (fulfilment.job(job_of(message)) or {}).get("status") == "done")
    (running,) = fulfilment.executions(message["bookingId"])
    fulfilment.stack.client("stepfunctions").stop_execution(executionArn=running["executionArn"])
    go_on.set()
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


def job_of(message: Record) -> str:
    return f"booking.confirmed:{message['bookingId']}"


@plays("TIMED_OUT")
def test_an_execution_that_ran_too_long(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """The real definition with a TimeoutSeconds of 5 instead of 12 hours."""

    def short(definition: Definition) -> None:
        definition["TimeoutSeconds"] = 5

    message, go_on = booking(), threading.Event()
    on_step(fulfilment, "Written", message["bookingId"], lambda _: wait(go_on))
    with other_definition(fulfilment, short):
        (ended,) = fulfilment.fulfil(message)
    go_on.set()
    assert ended["status"] == row.key
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


@pytest.fixture
def failed(fulfilment: Fulfilment) -> Record:
    """A failed execution whose cause is mended."""
    message = booking()
    break_step(fulfilment, message["bookingId"], "Written", "error", times=None, seat=2)
    execution = fails(fulfilment, message)
    mend(fulfilment, message["bookingId"])
    return execution | {"bookingId": message["bookingId"]}


@plays("a full history")
def test_an_execution_whose_history_is_full(
    fulfilment: Fulfilment,
    operator: Operator,
    row: Row,
    failed: Record,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The history is real but short: the local limit is moved to its length."""
    length = len(fulfilment.history(failed["executionArn"]))
    monkeypatch.setattr(eligibility, "EVENT_LIMIT", length)
    operator.about(BOOKING=failed["bookingId"])
    operator.types(row.look)
    operator.types(REDRIVE, code=1)
    operator.sees(row)
    operator.types(row.fix)
    is_fulfilled(fulfilment, failed["bookingId"])


@pytest.fixture
def later() -> Iterator[Callable[[timedelta], None]]:
    """Moves the clock that tells what is too old to be redriven."""
    yield lambda by: redrive.install(now=lambda: datetime.now(UTC) + by)
    redrive.install()


@plays("older than 14 days")
def test_an_execution_that_ended_15_days_ago(
    fulfilment: Fulfilment,
    operator: Operator,
    row: Row,
    failed: Record,
    later: Callable[[timedelta], None],
) -> None:
    """15 days later for RedriveExecution and DescribeExecution; nothing else is older."""
    later(timedelta(days=15))
    operator.about(BOOKING=failed["bookingId"])
    operator.types(row.look)
    operator.types(REDRIVE, code=1)
    operator.sees(row)
    operator.types(row.fix, only="scripts/minitickets rerun")
    is_fulfilled(fulfilment, failed["bookingId"])
