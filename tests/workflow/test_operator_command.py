"""``minitickets`` on the running local stack."""

import json
from typing import Any

import pytest

from local_stack.lambda_service import parse_fault
from local_stack.results import rows
from operations.cli import main
from workflow.harness import Fulfilment, booking

STATES = ["Written"]


@pytest.fixture
def told(fulfilment: Fulfilment, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str, code: int = 0) -> dict[str, Any]:
        endpoint = fulfilment.stack.endpoint.url
        assert main([*arguments, "--json", "--endpoint", endpoint]) == code
        written = capsys.readouterr()
        tokens = [row["token"] for row in rows(fulfilment.stack, "TicketsTableName")]
        assert not any(token in written.out + written.err for token in tokens)
        return json.loads(written.out)

    return run


def test_a_failed_booking_is_found_explained_and_run_again(fulfilment, told):
    message = booking(bookingId="bk_operator", quantity=3)
    fault = parse_fault("Written[2]:error:9", STATES)  # the first attempt and its 8 retries
    fulfilment.stack.faults.add(fault)
    fulfilment.fulfil(message)

    [row] = told("executions", "--booking", "bk_operator")["executions"]
    assert (row["status"], row["seatsReady"], row["seats"]) == ("FAILED", 2, 3)

    shown = told("show", "bk_operator")
    [failure] = shown["failures"]
    assert (failure["state"], failure["attempts"]) == ("Written", 9)
    seats = {each["seatNumber"]: each["states"] for each in shown["maps"][0]["iterations"]}
    assert seats[2]["Written"] == "failed"
    assert seats[1]["Ready"] == seats[3]["Ready"] == "succeeded"
    assert shown["neverReached"] == ["AlreadyReady"]
    assert shown["next"].startswith("minitickets redrive bk_operator --endpoint ")

    told("rerun", "bk_operator", "--yes")
    fulfilment.wait_for(lambda: fulfilment.finished("bk_operator") == 2)
    rows = told("executions", "--booking", "bk_operator", "--every-delivery")["executions"]
    assert [(each["status"], each["seatsReady"]) for each in rows] == [
        ("SUCCEEDED", 3),
        ("FAILED", 3),
    ]
    assert len(fulfilment.emails("bk_operator")) == 1


def test_bookings_are_published_and_dead_letters_sent_back(fulfilment, told, tmp_path):
    file = tmp_path / "bookings.jsonl"
    file.write_text(json.dumps(booking(bookingId="bk_booked", quantity=1)) + "\n")
    assert told("book", str(file)) == {"sent": 1, "refused": 0}

    body = json.dumps(booking(bookingId="bk_returned", quantity=1))
    dead = fulfilment.stack.output("BookingDeadLetterQueueUrl")
    fulfilment.stack.client("sqs").send_message(QueueUrl=dead, MessageBody=body)
    [letter] = told("dead-letters")["deadLetters"]
    assert letter["bookingId"] == "bk_returned"
    assert told("dead-letters", "--send-back")["sentBack"] == 1
    assert told("dead-letters")["deadLetters"] == []

    fulfilment.wait_for(
        lambda: fulfilment.finished("bk_booked") == fulfilment.finished("bk_returned") == 1
    )


def test_lines_that_sqs_refuses_are_counted_and_the_others_are_sent(fulfilment, told, tmp_path):
    file = tmp_path / "bookings.jsonl"
    sent = json.dumps(booking(bookingId="bk_between", quantity=1)).encode()
    file.write_bytes(b"\n".join([b"", b"a\x01b", sent, b"x" * 65_537, b"\xff"]))
    assert told("book", str(file), code=1) == {"sent": 1, "refused": 4}
    fulfilment.wait_for(lambda: fulfilment.finished("bk_between") == 1)


def test_another_stage_is_told_apart_from_an_empty_one(fulfilment, capsys):
    endpoint = fulfilment.stack.endpoint.url
    assert main(["executions", "--stage", "other", "--endpoint", endpoint]) == 3
    assert "There is no MiniTickets in stage other" in capsys.readouterr().err
