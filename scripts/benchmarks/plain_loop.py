"""The same steps without queue, pipe, machine and workers: the handlers in a loop of 8 threads.

Run as a process of its own, so that it does not share the stack's interpreter lock. Prints the
seconds that it took.
"""

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import accept_booking
import mark_ticket_ready
import record_email_job
import reserve_ticket
import send_email
import write_ticket_image

THREADS = 8


def main() -> None:
    bodies = json.load(sys.stdin)
    started = time.perf_counter()
    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(fulfil, bodies))
    print(time.perf_counter() - started, file=sys.__stdout__)


def fulfil(body: str) -> None:
    execution = f"plain-{hash(body)}"
    record = {"messageId": "m", "body": body}
    accepted = accept_booking.handler({"records": [record], "execution": execution}, None)
    booking = accepted["booking"]
    for seat in range(1, booking["quantity"] + 1):
        _issue(booking, seat, execution)
    sent = send_email.handler({**accepted, "execution": execution}, None)
    ids = {"bookingId": booking["bookingId"], "execution": execution}
    record_email_job.handler({**sent, **ids}, None)


def _issue(booking: dict[str, Any], seat: int, execution: str) -> None:
    reserve_ticket.handler({"booking": booking, "seatNumber": seat, "execution": execution}, None)
    event = {
        "userId": booking["userId"],
        "bookingId": booking["bookingId"],
        "seatNumber": seat,
        "execution": execution,
    }
    written = write_ticket_image.handler(event, None)
    mark_ticket_ready.handler({**event, **written}, None)


if __name__ == "__main__":
    main()
