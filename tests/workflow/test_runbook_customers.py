"""RUNBOOK.md, what customers write about: each row is played."""

import itertools
import threading
from pathlib import Path

import pytest

from workflow.harness import Fulfilment, booking
from workflow.runbook import Operator, Record, Row, a_file, is_fulfilled, plays
from workflow.tools import break_step, mend, on_step, tokens, wait

pytestmark = pytest.mark.slow  # retries to their end


@plays("tickets stay creating")
def test_a_seat_that_stays_creating_while_its_step_is_retried_and_after(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    message = booking()
    id_ = message["bookingId"]
    looked, third, attempts = threading.Event(), threading.Event(), itertools.count(1)

    def hold_the_third(event: Record) -> None:
        if event["seatNumber"] == 2 and next(attempts) == 3:
            third.set()
            wait(looked)

    break_step(fulfilment, id_, "Written", "error", times=None, seat=2)
    on_step(fulfilment, "Written", id_, hold_the_third)
    fulfilment.publish(message)
    wait(third)
    fulfilment.wait_for(lambda: fulfilment.tickets(id_)[1]["status"] == "ready")
    operator.about(BOOKING=id_)
    operator.types(row.look)
    operator.sees(row, fulfilment.tickets(id_)[2]["status"])
    assert "RUNNING" in operator.wrote
    assert "1/2" in operator.wrote
    looked.set()
    fulfilment.wait_for(lambda: fulfilment.finished(id_))
    operator.types(row.look)
    assert "Written of seat 2 after 9 attempts" in operator.wrote
    mend(fulfilment, id_)
    operator.types(row.fix)
    is_fulfilled(fulfilment, id_)


@plays("the same email twice")
def test_a_crash_between_the_emails_acceptance_and_its_record(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    message = booking()
    id_ = message["bookingId"]
    break_step(fulfilment, id_, "SendEmail", "crash")
    fulfilment.fulfil(message)
    first, second = fulfilment.emails(id_)
    assert (first.subject, first.text) == (second.subject, second.text)
    assert len(set(tokens(fulfilment, id_).values())) == 2
    operator.about(BOOKING=id_)
    operator.types(row.look)
    operator.sees(row)


@plays("a bounce")
def test_an_email_that_ses_accepted_and_that_did_not_arrive(
    fulfilment: Fulfilment, operator: Operator, row: Row, tmp_path: Path
) -> None:
    """Real: SES's acceptance is all that the workflow hears, and publishing again sends nothing.

    Not real: the bounce. Nothing is delivered here; the address is that of AWS's simulator.
    """
    message = booking(email="bounce@simulator.amazonses.com")
    fulfilment.fulfil(message)
    operator.about(BOOKING=message["bookingId"], FILE=a_file(tmp_path, message))
    operator.types(row.look)
    operator.sees(row)
    is_fulfilled(fulfilment, message["bookingId"])
    operator.types("`scripts/minitickets book FILE`")
    fulfilment.wait_for(lambda: fulfilment.finished(message["bookingId"]) == 2)
    is_fulfilled(fulfilment, message["bookingId"])


@plays("a complaint")
def test_a_booking_whose_email_was_called_spam(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: the operator sees that the booking was published once. Not real: the complaint."""
    message = booking(email="complaint@simulator.amazonses.com")
    fulfilment.fulfil(message)
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    assert operator.wrote.count(message["bookingId"]) == 1
    is_fulfilled(fulfilment, message["bookingId"])
