"""Whatever fails once at any step heals: the booking ends as if nothing had happened.

All bookings run at once on the shared stack, one fault each. Retries without a fault never happen,
so a booking's one TaskFailed event is its fault.
"""

import io
import json
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
import zxingcpp
from PIL import Image

from execution_status import OPEN
from local_stack.endpoint import _call
from local_stack.lambda_service import Fault, FaultKind
from local_stack.lambda_service.faults import SES_KINDS
from local_stack.request_body import read_body
from local_stack.results import list_executions, rows
from local_stack.subjects import booking_of
from workflow.harness import Fulfilment, booking
from workflow.tools import failures

pytestmark = pytest.mark.slow  # every kind at every step: a minute of work

STEPS = ("AcceptBooking", "Creating", "Written", "Ready", "SendEmail", "RecordEmailJob")
SEAT_STEPS = ("Creating", "Written", "Ready")
QUANTITY = 2
SEAT = 2
PATIENCE = 100  # seconds, for all bookings together
# The error that each kind shows to the workflow, as AWS names it:
# https://docs.aws.amazon.com/lambda/latest/dg/invocation-retries.html
# https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
SHOWS = {
    FaultKind.ERROR: "InjectedError",
    FaultKind.LOST_REPLY: "InjectedError",
    FaultKind.CRASH: "Runtime.ExitError",
    FaultKind.HANG: "Sandbox.Timedout",
    FaultKind.THROTTLE: "Lambda.TooManyRequestsException",
    FaultKind.SES_THROTTLE: "EmailThrottled",
    FaultKind.SES_REJECT: "EmailRejected",
    FaultKind.SES_PAUSE: "EmailRejected",
}
EVERYWHERE = [kind for kind in FaultKind if kind not in SES_KINDS]
CASES = [(state, kind) for state in STEPS for kind in EVERYWHERE] + [
    ("SendEmail", kind) for kind in FaultKind if kind in SES_KINDS
]
# SES has accepted the email, and nobody knows: only then may it be sent again.
SENT_TWICE = {("SendEmail", FaultKind.LOST_REPLY), ("SendEmail", FaultKind.CRASH)}


class Reservations:
    """In front of the local endpoint: every token that a PutItem carried, by ticket.

    ``accepted`` holds those that DynamoDB took. A ticket that keeps its first token has one.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._lock = threading.Lock()
        self.tried: dict[str, list[str]] = defaultdict(list)
        self.accepted: dict[str, list[str]] = defaultdict(list)

    def __call__(self, environ: Any, start: Any) -> Iterable[bytes]:
        if not environ.get("HTTP_X_AMZ_TARGET", "").endswith(".PutItem"):
            return self._app(environ, start)
        item = json.loads(read_body(environ))["Item"]
        status, answer = _call(self._app, environ, start)
        if "token" in item:
            self._note(item["ticketId"]["S"], item["token"]["S"], status.startswith("200"))
        return [answer]

    def _note(self, ticket: str, token: str, accepted: bool) -> None:
        with self._lock:
            self.tried[ticket].append(token)
            if accepted:
                self.accepted[ticket].append(token)


@contextmanager
def watched(fulfilment: Fulfilment) -> Iterator[Reservations]:
    server = fulfilment.stack._server._server
    app = server.application
    server.application = Reservations(app)
    try:
        yield server.application
    finally:
        server.application = app


@dataclass
class Outcome:
    """What a booking with one fault came to."""

    fault: Fault
    execution: dict[str, Any]
    failures: list[tuple[str, str]]
    tickets: list[dict[str, Any]]
    images: list[bytes]
    emails: int
    job: dict[str, Any]
    reservations: Reservations


def fault(state: str, kind: FaultKind) -> Fault:
    seat = SEAT if state in SEAT_STEPS else None
    return Fault(state, seat, kind, 1, booking=f"bk_{state}_{kind}")


@pytest.fixture(scope="module")
def outcomes(fulfilment: Fulfilment) -> dict[str, Outcome]:
    faults = [fault(*case) for case in CASES]
    for planned in faults:
        fulfilment.stack.faults.add(planned)
    before = {e["executionArn"] for e in list_executions(fulfilment.stack)}

    def finished() -> bool:
        mine = [e for e in list_executions(fulfilment.stack) if e["executionArn"] not in before]
        open_ = [e for e in mine if e["status"] in OPEN]
        return len(mine) >= len(faults) and not open_

    with watched(fulfilment) as reservations:
        fulfilment.publish(
            *(booking(bookingId=planned.booking, quantity=QUANTITY) for planned in faults)
        )
        fulfilment.wait_for(finished, PATIENCE)
    return dict(collect(fulfilment, faults, reservations))


def collect(
    fulfilment: Fulfilment, faults: list[Fault], reservations: Reservations
) -> Iterator[tuple[str, Outcome]]:
    describe = fulfilment.stack.client("stepfunctions").describe_execution
    executions: dict[str, dict[str, Any]] = {}
    for listed in list_executions(fulfilment.stack):
        execution = describe(executionArn=listed["executionArn"])
        executions[booking_of(json.loads(execution["input"])) or ""] = execution
    tickets = defaultdict(list)
    for row in rows(fulfilment.stack, "TicketsTableName"):
        tickets[row["bookingId"]].append(row)
    for planned in faults:
        id_ = str(planned.booking)
        yield (
            id_,
            Outcome(
                fault=planned,
                execution=executions[id_],
                failures=failures(fulfilment.history(executions[id_]["executionArn"])),
                tickets=tickets[id_],
                images=[fulfilment.image(row["imageKey"]) for row in tickets[id_]],
                emails=len(fulfilment.emails(id_)),
                job=fulfilment.job(f"booking.confirmed:{id_}") or {},
                reservations=reservations,
            ),
        )


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest) -> tuple[str, FaultKind]:
    return request.param


@pytest.fixture
def outcome(case: tuple[str, FaultKind], outcomes: dict[str, Outcome]) -> Outcome:
    return outcomes[str(fault(*case).booking)]


def test_the_fault_was_played_once_where_and_as_it_was_asked_for(fulfilment, case, outcome):
    state, kind = case
    assert outcome.fault.booking not in {f.booking for f in fulfilment.stack.faults.active()}
    assert outcome.failures == [(state, SHOWS[kind])]


def test_the_booking_ends_as_if_nothing_had_happened(outcome):
    assert outcome.execution["status"] == "SUCCEEDED"
    assert json.loads(outcome.execution["output"]) == {
        "bookingId": outcome.fault.booking,
        "tickets": {"ready": QUANTITY},
        "email": "sent",
    }
    assert [row["status"] for row in outcome.tickets] == ["ready"] * QUANTITY
    assert outcome.job["status"] == "done"


def test_each_seat_keeps_the_token_of_its_first_attempt(case, outcome):
    for row in outcome.tickets:
        assert outcome.reservations.accepted[row["ticketId"]] == [row["token"]]
        if case in {("Creating", FaultKind.LOST_REPLY), ("Creating", FaultKind.CRASH)}:
            # The retry came with a token of its own, and lost.
            attempts = 2 if row["seatNumber"] == SEAT else 1
            assert len(set(outcome.reservations.tried[row["ticketId"]])) == attempts


def test_one_email_is_sent_and_two_only_if_its_acceptance_was_not_heard_of(case, outcome):
    assert outcome.emails == (2 if case in SENT_TWICE else 1)


@pytest.mark.parametrize("behind", [None, "black", "#282828"])
def test_every_image_is_read_by_another_reader_as_the_stored_ticket(outcome, behind):
    assert len(outcome.images) == QUANTITY
    for row, png in zip(outcome.tickets, outcome.images, strict=True):
        found = zxingcpp.read_barcodes(shown(png, behind), formats=zxingcpp.BarcodeFormat.QRCode)
        assert [code.text for code in found] == [f"MT1.{row['ticketId']}.{row['token']}"]


def shown(png: bytes, behind: str | None) -> Image.Image:
    """The ticket alone, or on a screen of one colour that is larger by 60 pixels on each side."""
    ticket = Image.open(io.BytesIO(png)).convert("RGB")
    if behind is None:
        return ticket
    screen = Image.new("RGB", (ticket.width + 120, ticket.height + 120), behind)
    screen.paste(ticket, (60, 60))
    return screen
