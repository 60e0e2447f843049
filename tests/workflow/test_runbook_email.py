"""RUNBOOK.md, emails that were not sent: each row's symptom is made, seen and mended."""

import time
from pathlib import Path

import pytest

from workflow.harness import Fulfilment, booking
from workflow.runbook import Operator, Row, a_file, fails, is_fulfilled, plays
from workflow.tools import Record, break_step, mend, put

pytestmark = pytest.mark.slow  # retries to their end, and two graces


def lease(message: Record, seconds: int) -> Record:
    """Another run's lease on the booking's email, for so many seconds from now."""
    now = int(time.time())
    return {
        "jobKey": f"booking.confirmed:{message['bookingId']}",
        "status": "sending",
        "owner": "arn:aws:states:eu-west-1:123456789012:execution:another:run",
        "leaseUntil": now + seconds,
        "expiresAt": now + 86_400,
    }


@plays("EmailInProgress")
def test_another_run_that_holds_the_email_too_long(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    message = booking()
    put(fulfilment, "ProcessedJobsTableName", lease(message, 3600))
    failed = fails(fulfilment, message)
    assert failed["error"] == row.key
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    found = fulfilment.job(f"booking.confirmed:{message['bookingId']}")
    assert found is not None
    assert "leaseUntil" in found
    put(fulfilment, "ProcessedJobsTableName", lease(message, -1))  # as if it had been waited for
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


@plays("EmailThrottled")
@pytest.mark.usefixtures("hardly_waiting")
def test_ses_refuses_for_its_rate_until_the_retries_end(
    fulfilment: Fulfilment, operator: Operator, row: Row
) -> None:
    """Real: SES's answer and all 30 attempts. Not real: the two hours, and the quota itself."""
    message = booking()
    break_step(fulfilment, message["bookingId"], "SendEmail", "ses-throttle", times=None)
    assert fails(fulfilment, message)["error"] == row.key
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    assert "after 30 attempts" in operator.wrote
    mend(fulfilment, message["bookingId"])
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])


@plays("EmailRejected")
def test_ses_refuses_the_email(
    fulfilment: Fulfilment, operator: Operator, row: Row, tmp_path: Path
) -> None:
    """Once it is the identity, which is mended, and once the address, which is corrected."""
    identity, address = booking(), booking(email="wrong@example.org")
    corrected = address | {"email": "right@example.org"}
    break_step(fulfilment, identity["bookingId"], "SendEmail", "ses-reject", times=None)
    break_step(fulfilment, address["bookingId"], "SendEmail", "ses-reject", times=2)
    failed = fulfilment.fulfil(identity, address)
    assert [execution["error"] for execution in failed] == [row.key] * 2
    operator.about(BOOKING=identity["bookingId"], FILE=a_file(tmp_path, corrected))
    operator.types(row.look)
    operator.sees(row)

    operator.types(row.fix, only="scripts/minitickets book")
    is_fulfilled(fulfilment, address["bookingId"])
    (email,) = fulfilment.emails(address["bookingId"])
    assert email.recipient == "right@example.org"

    mend(fulfilment, identity["bookingId"])
    operator.types(row.fix, only="scripts/minitickets redrive")
    is_fulfilled(fulfilment, identity["bookingId"])
    is_fulfilled(fulfilment, address["bookingId"])


@plays("sending is paused")
def test_aws_has_paused_the_account(fulfilment: Fulfilment, operator: Operator, row: Row) -> None:
    """Real: the error that SES answers with then. Not real: the review that leads to it."""
    message = booking()
    break_step(fulfilment, message["bookingId"], "SendEmail", "ses-pause", times=None)
    failed = fails(fulfilment, message)
    assert failed["error"] == "EmailRejected"
    assert {t["status"] for t in fulfilment.tickets(message["bookingId"]).values()} == {"ready"}
    operator.about(BOOKING=message["bookingId"])
    operator.types(row.look)
    operator.sees(row)
    mend(fulfilment, message["bookingId"])
    operator.types(row.fix)
    is_fulfilled(fulfilment, message["bookingId"])
