"""Every example of a good and of a bad message, through the whole system, ends as it must."""

import json
from pathlib import Path

import pytest

from workflow.tools import everything, image_is_the_tickets

CASES = Path(__file__).parents[1] / "cases"
VALID = [json.loads(line) for line in (CASES / "valid.jsonl").read_bytes().splitlines()]
INVALID = [json.loads(line) for line in (CASES / "invalid.jsonl").read_bytes().splitlines()]


@pytest.fixture(scope="module")
def valid(fulfilment):
    """The executions of the valid bodies, by booking."""
    bodies = (CASES / "valid.jsonl").read_text(encoding="utf-8").split("\n")
    fulfilment.publish(*filter(None, bodies))
    ids = [message["bookingId"] for message in VALID]
    fulfilment.wait_for(lambda: all(fulfilment.finished(id_) for id_ in ids))
    return {id_: fulfilment.executions(id_) for id_ in ids}


@pytest.mark.parametrize("message", VALID, ids=lambda message: message["bookingId"])
def test_a_valid_message_ends_with_all_its_tickets_and_one_email(fulfilment, valid, message):
    id_, seats = message["bookingId"], message["quantity"]
    (execution,) = valid[id_]
    assert execution["status"] == "SUCCEEDED"
    assert json.loads(execution["output"]) == {
        "bookingId": id_,
        "tickets": {"ready": seats},
        "email": "sent",
    }
    tickets = fulfilment.tickets(id_)
    assert sorted(tickets) == list(range(1, seats + 1))
    assert {ticket["status"] for ticket in tickets.values()} == {"ready"}
    assert all(image_is_the_tickets(fulfilment, ticket) for ticket in tickets.values())
    (email,) = fulfilment.emails(id_)
    assert email.recipient == message["email"].replace("exämple", "xn--exmple-cua")
    assert "\n" not in email.subject
    assert "\r" not in email.subject


def test_there_are_the_twenty_six_bad_kinds_that_were_agreed():
    assert len(INVALID) == 26


def test_each_invalid_message_fails_as_invalid_booking_and_writes_nothing(fulfilment):
    fulfilment.wait_for(lambda: nothing_runs(fulfilment))
    before = everything(fulfilment)
    sqs, queue = fulfilment.stack.client("sqs"), fulfilment.stack.output("BookingQueueUrl")
    sent = {
        sqs.send_message(QueueUrl=queue, MessageBody=case["body"])["MessageId"]: case["why"]
        for case in INVALID
    }
    ended = fulfilment.wait_for(lambda: all_ended(fulfilment, set(sent)))
    for id_, why in sent.items():
        outcome = (ended[id_]["status"], ended[id_]["error"])
        assert outcome == ("FAILED", "InvalidBooking"), why
        assert id_ in ended[id_]["cause"], why
        assert "example.com" not in ended[id_]["cause"], why
    assert everything(fulfilment) == before


def nothing_runs(fulfilment):
    return all(listed["status"] != "RUNNING" for _, listed in fulfilment.by_message())


def all_ended(fulfilment, message_ids):
    """The executions by the message's id, once all have ended; else nothing."""
    arns = {
        id_: listed["executionArn"]
        for id_, listed in fulfilment.by_message()
        if id_ in message_ids and listed["status"] != "RUNNING"
    }
    describe = fulfilment.stack.client("stepfunctions").describe_execution
    if message_ids > set(arns):
        return None
    return {id_: describe(executionArn=arn) for id_, arn in arns.items()}
