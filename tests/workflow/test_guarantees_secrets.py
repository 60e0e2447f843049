"""G9: a token is in the tickets table and in the image, nowhere else.

``secrets_found`` looks at all that the shared stack ever did, and again after its last test.
"""

import json

from workflow.harness import booking
from workflow.secrets_scan import secrets_found
from workflow.tools import break_step, delete_ticket, put, tokens

PLANTED = "PLANTED" + "7" * 19


def test_g9_no_token_leaves_the_table_whatever_breaks_at_a_step_that_knows_it(fulfilment):
    messages = [booking() for _ in range(4)]
    kinds = ("lost-reply", "crash", "error")
    for message, kind in zip(messages, kinds, strict=False):
        break_step(fulfilment, message["bookingId"], "Creating", kind)
        break_step(fulfilment, message["bookingId"], "Written", kind)
    fulfilment.fulfil(*messages, *messages)
    assert all(len(tokens(fulfilment, m["bookingId"])) == 2 for m in messages)
    assert secrets_found(fulfilment) == []


def test_g9_the_scan_finds_a_token_in_an_input_a_history_a_log_an_email_and_a_job(fulfilment):
    message = booking(quantity=1) | {"ignored": f"x{PLANTED}Y"}
    (execution,) = fulfilment.fulfil(message)
    log = fulfilment.out / "logs" / "planted.log"
    log.write_text(f"token={PLANTED}\n")
    put(fulfilment, "ProcessedJobsTableName", {"jobKey": "planted", "note": PLANTED})
    request = {
        "FromEmailAddress": "a@example.org",
        "Destination": {"ToAddresses": ["b@example.org"]},
        "Content": {
            "Simple": {
                "Subject": {"Data": "planted"},
                "Body": {"Text": {"Data": PLANTED}, "Html": {"Data": ""}},
            }
        },
    }
    fulfilment.stack.outbox.add("planted", request)
    number = fulfilment.stack.outbox.sent[-1].number
    assert secrets_found(fulfilment) == []
    ticket = {
        "userId": "usr_planted",
        "ticketId": "planted-00001",
        "bookingId": "planted",
        "seatNumber": 1,
        "token": PLANTED,
    }
    put(fulfilment, "TicketsTableName", ticket)
    try:
        found = secrets_found(fulfilment)
    finally:
        delete_ticket(fulfilment, "usr_planted", "planted-00001")
    arn = execution["executionArn"]
    assert found == [
        f"execution {arn}",
        f"history {arn}",
        "log",
        f"email {number}",
        "job planted",
    ]
    assert PLANTED not in json.dumps(found)
