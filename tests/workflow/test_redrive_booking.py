"""Fail, mend, redrive: a booking goes on at the step that failed, and repeats nothing.

Invocations are counted where the Lambda service takes them.
"""

import json
import threading
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from local_stack.subjects import subject_of
from workflow.harness import Fulfilment, booking
from workflow.tools import break_step, image_is_the_tickets, mend, on_step, tokens, wait

SEATS = 5
BAD = 2
SEAT_STEPS = ("Creating", "Written", "Ready")
pytestmark = pytest.mark.slow  # a booking for each case, failed to the end of its retries

STEPS = ("AcceptBooking", *SEAT_STEPS, "SendEmail", "RecordEmailJob")
LEFT_ONCE = {
    "AcceptBooking": 1,
    "Creating": SEATS,
    "Written": SEATS,
    "Ready": SEATS,
    "SendEmail": 1,
    "RecordEmailJob": 1,
}
# The steps that run on the redrive, with their seat.
EXPECTED: dict[str, set[tuple[str, int | None]]] = {
    "AcceptBooking": {("AcceptBooking", None), ("SendEmail", None), ("RecordEmailJob", None)}
    | {(step, seat) for step in SEAT_STEPS for seat in range(1, SEATS + 1)},
    "Creating": {("Creating", BAD), ("Written", BAD), ("Ready", BAD)},
    "Written": {("Written", BAD), ("Ready", BAD)},
    "Ready": {("Ready", BAD)},
    "SendEmail": {("SendEmail", None), ("RecordEmailJob", None)},
    "RecordEmailJob": {("RecordEmailJob", None)},
}
CASES = [(step, "error") for step in STEPS] + [("SendEmail", "ses-reject")]


@dataclass
class Redriven:
    """A booking that failed and was redriven; ``invoked`` since the redrive."""

    id: str
    arn: str
    failed: dict[str, Any]
    tokens: dict[int, str]
    ended: dict[str, Any] = field(default_factory=dict)
    invoked: Counter[tuple[str, int | None]] = field(default_factory=Counter)


def count_invocations(fulfilment: Fulfilment, known: dict[str, Redriven]) -> None:
    states = fulfilment.stack.deployment.states

    def observe(function: str, payload: bytes) -> None:
        subject = subject_of(payload)
        if subject.booking in known:
            known[subject.booking].invoked[states[function], subject.seat] += 1

    fulfilment.stack.lambda_service.on_invoke(observe)


def redrive_all(fulfilment: Fulfilment, known: dict[str, Redriven]) -> None:
    client = fulfilment.stack.client("stepfunctions")
    for each in known.values():
        mend(fulfilment, each.id)
        each.invoked.clear()
        client.redrive_execution(executionArn=each.arn)
    for each in known.values():
        each.ended = ended(fulfilment, each.arn)


def ended(fulfilment: Fulfilment, arn: str) -> dict[str, Any]:
    describe = fulfilment.stack.client("stepfunctions").describe_execution
    fulfilment.wait_for(lambda: describe(executionArn=arn)["status"] != "RUNNING")
    return dict(describe(executionArn=arn))


def left(fulfilment: Fulfilment, arn: str) -> Counter[str]:
    """How often each Task was left, in the whole history."""
    return Counter(
        event["stateExitedEventDetails"]["name"]
        for event in fulfilment.history(arn)
        if event["type"] == "TaskStateExited"
    )


def hold_until_all_else_is_done(fulfilment: Fulfilment, id_: str, step: str) -> None:
    """Let the step that will fail begin only then: what a redrive repeats is known."""
    rest = Counter(LEFT_ONCE) - Counter(repeated for repeated, _ in EXPECTED[step])
    begun = threading.Event()

    def hold(event: dict[str, Any]) -> None:
        if event.get("seatNumber") in (None, BAD) and not begun.is_set():
            begun.set()
            (execution,) = fulfilment.executions(id_)
            fulfilment.wait_for(lambda: left(fulfilment, execution["executionArn"]) == rest)

    on_step(fulfilment, step, id_, hold)


@pytest.fixture(scope="module")
def cases(fulfilment: Fulfilment) -> dict[tuple[str, str], Redriven]:
    messages = {case: booking(quantity=SEATS) for case in CASES}
    for (step, kind), message in messages.items():
        seat = BAD if step in SEAT_STEPS else None
        break_step(fulfilment, message["bookingId"], step, kind, times=None, seat=seat)
        hold_until_all_else_is_done(fulfilment, message["bookingId"], step)
    fulfilment.fulfil(*messages.values())
    known = {}
    for message in messages.values():
        id_ = message["bookingId"]
        (execution,) = fulfilment.executions(id_)
        known[id_] = Redriven(id_, execution["executionArn"], execution, tokens(fulfilment, id_))
    count_invocations(fulfilment, known)
    redrive_all(fulfilment, known)
    return {case: known[message["bookingId"]] for case, message in messages.items()}


@pytest.fixture(params=CASES, ids="-".join)
def case(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


def test_the_booking_failed_and_the_redrive_completes_it(fulfilment, cases, case):
    each = cases[case]
    assert each.failed["status"] == "FAILED"
    assert each.failed["redriveStatus"] == "REDRIVABLE"
    assert (each.ended["status"], each.ended["redriveCount"]) == ("SUCCEEDED", 1)
    assert json.loads(each.ended["output"]) == {
        "bookingId": each.id,
        "tickets": {"ready": SEATS},
        "email": "sent",
    }
    tickets = fulfilment.tickets(each.id)
    assert [ticket["status"] for ticket in tickets.values()] == ["ready"] * SEATS
    assert image_is_the_tickets(fulfilment, tickets[BAD])
    assert len(fulfilment.emails(each.id)) == 1


def test_only_what_had_not_been_done_is_invoked(cases, case):
    assert cases[case].invoked == dict.fromkeys(EXPECTED[case[0]], 1)


def test_every_step_is_left_once_in_the_whole_history(fulfilment, cases, case):
    assert left(fulfilment, cases[case].arn) == LEFT_ONCE


def test_each_seat_keeps_its_first_token(fulfilment, cases, case):
    each = cases[case]
    assert tokens(fulfilment, each.id).items() >= each.tokens.items()
    if case[0] in ("Written", "Ready"):
        assert BAD in each.tokens


def test_a_stopped_booking_goes_on_where_it_was_stopped(fulfilment):
    message = booking(quantity=SEATS)
    id_ = message["bookingId"]
    reached, go_on = threading.Event(), threading.Event()

    def hold(event):
        if event["seatNumber"] == BAD and not go_on.is_set():
            reached.set()
            wait(go_on)

    on_step(fulfilment, "Written", id_, hold)
    fulfilment.publish(message)
    wait(reached)
    (running,) = fulfilment.executions(id_)
    arn = running["executionArn"]
    others_done = LEFT_ONCE | {"Written": SEATS - 1, "Ready": SEATS - 1}
    fulfilment.wait_for(lambda: left(fulfilment, arn) == Counter(others_done))
    fulfilment.stack.client("stepfunctions").stop_execution(executionArn=arn)
    (stopped,) = fulfilment.executions(id_)
    assert stopped["status"] == "ABORTED"
    go_on.set()

    known = {id_: Redriven(id_, arn, stopped, tokens(fulfilment, id_))}
    count_invocations(fulfilment, known)
    redrive_all(fulfilment, known)
    assert known[id_].ended["status"] == "SUCCEEDED"
    assert set(known[id_].invoked) == {("Written", BAD), ("Ready", BAD)}
    assert left(fulfilment, arn) == LEFT_ONCE
    assert tokens(fulfilment, id_) == known[id_].tokens
    assert len(fulfilment.emails(id_)) == 1


def test_a_booking_whose_machine_timed_out_goes_on(fulfilment):
    """The real definition, with a timeout that one held seat outlasts."""
    client = fulfilment.stack.client("stepfunctions")
    real = client.describe_state_machine(stateMachineArn=fulfilment.stack.output("StateMachineArn"))
    short = json.loads(real["definition"]) | {"TimeoutSeconds": 6}
    machine = client.create_state_machine(
        name=f"short-{uuid.uuid4()}", definition=json.dumps(short), roleArn=real["roleArn"]
    )
    message = booking(quantity=SEATS)
    id_ = message["bookingId"]
    go_on = threading.Event()
    on_step(fulfilment, "Written", id_, lambda event: event["seatNumber"] != BAD or wait(go_on))
    record = {"messageId": "m-1", "body": json.dumps(message)}
    arn = client.start_execution(
        stateMachineArn=machine["stateMachineArn"], name="one", input=json.dumps([record])
    )["executionArn"]
    timed_out = ended(fulfilment, arn)
    assert timed_out["status"] == "TIMED_OUT"
    go_on.set()

    client.redrive_execution(executionArn=arn)
    assert ended(fulfilment, arn)["status"] == "SUCCEEDED"
    assert left(fulfilment, arn) == LEFT_ONCE
    assert len(fulfilment.emails(id_)) == 1


def test_a_redrive_sends_nothing_when_a_second_delivery_has_sent_the_email(fulfilment):
    message = booking()
    id_ = message["bookingId"]
    break_step(fulfilment, id_, "SendEmail", "error", times=None)
    (failed,) = fulfilment.fulfil(message)
    assert (failed["status"], fulfilment.emails(id_)) == ("FAILED", [])
    mend(fulfilment, id_)
    _, sibling = fulfilment.fulfil(message)
    assert (sibling["status"], len(fulfilment.emails(id_))) == ("SUCCEEDED", 1)

    client = fulfilment.stack.client("stepfunctions")
    client.redrive_execution(executionArn=failed["executionArn"])
    redriven = ended(fulfilment, failed["executionArn"])
    assert redriven["status"] == "SUCCEEDED"
    assert json.loads(redriven["output"])["email"] == "already-sent"
    assert len(fulfilment.emails(id_)) == 1
