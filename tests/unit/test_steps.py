"""The frame around every step: what its log lines and metrics say, and what never leaks out."""

import importlib.util
import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from minitickets.domain.claim import Claim
from minitickets.errors import (
    BookingConflict,
    EmailRejected,
    EmailThrottled,
    InvalidBooking,
    TicketMissing,
)
from minitickets.observability import count, logger, step

FUNCTIONS = Path(__file__).parents[2] / "functions"
SECRET = "kim@example.org ABCDEFGHIJKLMNOPQRSTUVWXY2"
EVENT = {"execution": "arn:e1", "bookingId": "bk_1", "seatNumber": 3, "secret": SECRET}
CONTEXT = SimpleNamespace(aws_request_id="r-1")


@pytest.fixture
def log():
    """The log lines, read as they come."""
    stream = io.StringIO()
    before = logger.registered_handler.setStream(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.registered_handler.setStream(before)


def metrics_of(capsys):
    """The EMF lines printed since the last look."""
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_every_line_of_a_step_names_execution_booking_seat_and_request(log):
    @step
    def handler(event):
        logger.info("one")
        logger.warning("two")
        return {}

    handler(EVENT, CONTEXT)
    assert [line["message"] for line in log()] == ["one", "two"]
    for line in log():
        keys = (line["execution"], line["bookingId"], line["seatNumber"], line["requestId"])
        assert keys == ("arn:e1", "bk_1", 3, "r-1")


def test_the_booking_is_found_in_the_facts_too(log):
    @step
    def handler(event):
        logger.info("one")
        return {}

    handler({"execution": "arn:e1", "booking": {"bookingId": "bk_2"}}, CONTEXT)
    (line,) = log()
    assert line["bookingId"] == "bk_2"
    assert "seatNumber" not in line


def test_an_unknown_failure_escapes_and_is_logged_by_its_name_only(log):
    @step
    def handler(event):
        raise RuntimeError(event["secret"])

    with pytest.raises(RuntimeError):
        handler(EVENT, CONTEXT)
    (line,) = log()
    assert (line["level"], line["message"], line["error"]) == (
        "ERROR",
        "step failed",
        "RuntimeError",
    )
    assert not any(part in json.dumps(line) for part in SECRET.split())
    assert "exception" not in line


def test_a_named_failure_escapes_and_is_logged_with_its_reason(log):
    @step
    def handler(event):
        raise TicketMissing("no record of ticket bk_1-00003")

    with pytest.raises(TicketMissing):
        handler(EVENT, CONTEXT)
    (line,) = log()
    assert (line["error"], line["reason"]) == ("TicketMissing", "no record of ticket bk_1-00003")


@pytest.mark.parametrize("failing", [False, True])
def test_a_warm_worker_says_nothing_of_the_invocation_before(log, capsys, failing):
    @step
    def handler(event):
        logger.info("working")
        if event.get("counts"):
            count("TicketsReady")
        if event.get("fails"):
            raise TicketMissing
        return {}

    if failing:
        with pytest.raises(TicketMissing):
            handler(EVENT | {"fails": True}, CONTEXT)
    else:
        handler(EVENT, CONTEXT)
    handler({"counts": True}, None)
    last = log()[-1]
    assert not {"execution", "bookingId", "seatNumber", "requestId"} & set(last)
    (metric,) = metrics_of(capsys)
    assert metric["TicketsReady"] == [1.0]
    assert not {"execution", "bookingId", "seatNumber", "requestId"} & set(metric)


def test_a_metric_is_counted_once_and_says_what_it_is_about(capsys):
    @step
    def handler(event):
        count("TicketsReady")
        return {}

    handler(EVENT, CONTEXT)
    (metric,) = metrics_of(capsys)
    assert metric["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "MiniTickets"
    assert (metric["TicketsReady"], metric["bookingId"], metric["seatNumber"]) == ([1.0], "bk_1", 3)
    handler(EVENT, CONTEXT)
    (metric,) = metrics_of(capsys)
    assert metric["TicketsReady"] == [1.0]


# ---- AcceptBooking -------------------------------------------------------------------------------

MESSAGE = {
    "type": "booking.confirmed",
    "bookingId": "bk_1",
    "userId": "usr_1",
    "email": "kim@example.org",
    "eventId": "evt_1",
    "eventName": "Gala",
    "startsAt": "2026-12-24T19:30:00+01:00",
    "quantity": 2,
}


@pytest.fixture
def accept_booking(monkeypatch):
    """The step, fresh, with claims that remember the first of a booking."""
    monkeypatch.setenv("PROCESSED_JOBS_TABLE", "t")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    path = FUNCTIONS / "accept_booking.py"
    spec = importlib.util.spec_from_file_location("accept_booking_alone", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    claims = {}

    def claim(booking, identity, execution, now):
        found = claims.get(booking.booking_id)
        claims.setdefault(booking.booking_id, Claim(identity, booking))
        return found

    monkeypatch.setattr(module, "JOBS", SimpleNamespace(claim=claim))
    return module.handler


def event(message, message_id="m-1"):
    body = message if isinstance(message, str) else json.dumps(message)
    return {"records": [{"messageId": message_id, "body": body}], "execution": "arn:e1"}


def test_an_accepted_booking_is_no_rejection_and_its_line_holds_no_address(
    accept_booking, log, capsys
):
    answer = accept_booking(event(MESSAGE), CONTEXT)
    assert answer["email"] == "kim@example.org"
    assert answer["booking"]["bookingId"] == "bk_1"
    assert metrics_of(capsys) == []
    (line,) = log()
    assert (line["bookingId"], line["quantity"]) == ("bk_1", 2)
    assert "@" not in json.dumps(line)


def test_a_refused_booking_counts_as_one_rejection_of_its_own(accept_booking, log, capsys):
    """After an accepted one, in the same warm worker: nothing of that may be in the metric."""
    accept_booking(event(MESSAGE), CONTEXT)
    with pytest.raises(InvalidBooking, match="m-2"):
        accept_booking(event("hello", "m-2"), CONTEXT)
    (metric,) = metrics_of(capsys)
    assert metric["BookingsRejected"] == [1.0]
    assert "bookingId" not in metric
    assert log()[-1]["error"] == "InvalidBooking"


def test_a_conflicting_booking_counts_as_one_rejection_and_is_named(accept_booking, capsys):
    accept_booking(event(MESSAGE), CONTEXT)
    with pytest.raises(BookingConflict):
        accept_booking(event(MESSAGE | {"userId": "usr_2"}), CONTEXT)
    (metric,) = metrics_of(capsys)
    assert (metric["BookingsRejected"], metric["bookingId"]) == ([1.0], "bk_1")


def test_a_refused_message_is_logged_under_the_booking_that_it_names(accept_booking, log):
    with pytest.raises(InvalidBooking):
        accept_booking(event(MESSAGE | {"quantity": 0}), CONTEXT)
    assert log()[-1]["bookingId"] == "bk_1"


def test_what_is_no_booking_id_is_never_logged_as_one(accept_booking, log):
    with pytest.raises(InvalidBooking):
        accept_booking(event(MESSAGE | {"bookingId": "kim@example.org"}), CONTEXT)
    assert "bookingId" not in log()[-1]


@pytest.fixture
def send_email(monkeypatch):
    """SendEmail's own module, whose SES answers as it is told."""
    for name in ("PROCESSED_JOBS_TABLE", "EMAIL_FROM", "EMAIL_CONFIGURATION_SET", "MY_TICKETS_URL"):
        monkeypatch.setenv(name, "https://example.org/x")
    monkeypatch.setenv("EMAIL_LEASE_SECONDS", "300")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    spec = importlib.util.spec_from_file_location("send_email_alone", FUNCTIONS / "send_email.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def answer(outcome):
        def send_once(*_, **__):
            raise outcome

        monkeypatch.setattr(module, "send_once", send_once)
        return module.handler

    return answer


@pytest.mark.parametrize(
    ("refusal", "metric"),
    [
        (EmailRejected("MessageRejected"), "EmailsRejected"),
        (EmailThrottled("x"), "EmailsThrottled"),
    ],
)
def test_an_email_that_ses_refuses_is_counted_by_how(
    send_email, accept_booking, capsys, refusal, metric
):
    booking = accept_booking(event(MESSAGE), CONTEXT)["booking"]
    with pytest.raises(type(refusal)):
        send_email(refusal)(
            {"booking": booking, "email": "kim@example.org", "execution": "arn:e1"}, CONTEXT
        )
    (line,) = metrics_of(capsys)
    assert line[metric] == [1.0]
