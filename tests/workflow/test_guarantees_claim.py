"""G4: a message for a known booking with another identity changes nothing, however late."""

import threading
from collections import Counter
from datetime import UTC, datetime

from workflow.harness import booking, statuses
from workflow.tools import (
    break_step,
    days_later,
    decoded,
    everything,
    mend,
    message_ids,
    object_keys,
    on_step,
    payload,
    wait,
)

OTHERS = {
    "owner": {"userId": "usr_other"},
    "event": {"eventId": "evt_other"},
    "start": {"startsAt": "2027-03-01T20:00:01+01:00"},
    "more seats": {"quantity": 3},
    "fewer seats": {"quantity": 1},
}


def test_g4_another_owner_event_start_or_quantity_changes_nothing_and_fails_by_name(fulfilment):
    message = booking()
    fulfilment.fulfil(message)
    before = everything(fulfilment, message["bookingId"])
    first, *others = fulfilment.fulfil(*[message | change for change in OTHERS.values()])
    assert first["status"] == "SUCCEEDED"
    assert len(others) == len(OTHERS)
    for execution in others:
        assert (execution["status"], execution["error"]) == ("FAILED", "BookingConflict")
        assert message["bookingId"] in execution["cause"]
    assert everything(fulfilment, message["bookingId"]) == before


def test_g4_a_conflict_is_refused_while_the_booking_has_no_seat_yet(fulfilment):
    """The first run stops ahead of its first seat, until the others have ended."""
    message = booking()
    id_ = message["bookingId"]
    go_on = threading.Event()
    on_step(fulfilment, "Creating", id_, lambda _: wait(go_on))
    fulfilment.publish(message)
    fulfilment.wait_for(lambda: fulfilment.job(f"booking.accepted:{id_}"))
    fulfilment.publish(*[message | change for change in OTHERS.values()])
    fulfilment.wait_for(lambda: fulfilment.finished(id_) == len(OTHERS))
    assert fulfilment.tickets(id_) == {}
    go_on.set()
    fulfilment.wait_for(lambda: fulfilment.finished(id_) == len(OTHERS) + 1)
    first, *others = fulfilment.executions(id_)
    assert first["status"] == "SUCCEEDED"
    assert {execution["error"] for execution in others} == {"BookingConflict"}
    assert {ticket["userId"] for ticket in fulfilment.tickets(id_).values()} == {"usr_t"}
    assert len(fulfilment.emails(id_)) == 1


def test_g4_the_same_instant_written_with_another_offset_is_no_conflict(fulfilment):
    message = booking()
    elsewhere = message | {"startsAt": "2027-03-01T14:00:00-05:00"}
    first, second = fulfilment.fulfil(message, elsewhere)
    assert statuses([first, second]) == ["SUCCEEDED", "SUCCEEDED"]
    assert len(fulfilment.emails(message["bookingId"])) == 1
    (day,) = {t["eventDate"] for t in fulfilment.tickets(message["bookingId"]).values()}
    assert day == "2027-03-01"


def test_g4_a_later_message_may_correct_the_email_address(fulfilment):
    message = booking(email="tpyo@example.org")
    id_ = message["bookingId"]
    break_step(fulfilment, id_, "SendEmail", "error", None)
    (first,) = fulfilment.fulfil(message)
    assert first["status"] == "FAILED"
    mend(fulfilment, id_)
    _, second = fulfilment.fulfil(message | {"email": "typo@example.org"})
    assert second["status"] == "SUCCEEDED"
    assert [email.recipient for email in fulfilment.emails(id_)] == ["typo@example.org"]


def test_g4_names_venue_and_zone_corrected_in_mid_booking_leave_all_seats_with_the_first(
    fulfilment,
):
    """The first run stops ahead of seat 2 until the run of the corrected message has made it."""
    message = booking(quantity=3)
    id_ = message["bookingId"]
    corrected = message | {
        "eventName": "Holding Back",
        "venue": "Arena",
        "timeZone": "Asia/Tokyo",
    }
    first_runs: list[str] = []
    second_is_there = threading.Event()

    def hold_first(event):
        first_runs.append(event["execution"])
        if event["execution"] == first_runs[0] and event["seatNumber"] == 2:
            fulfilment.publish(corrected)
            wait(second_is_there)

    def let_go(event):
        if event["execution"] != first_runs[0] and event["seatNumber"] == 2:
            second_is_there.set()

    on_step(fulfilment, "Creating", id_, hold_first)
    on_step(fulfilment, "Written", id_, let_go)
    fulfilment.publish(message)
    fulfilment.wait_for(lambda: fulfilment.finished(id_) == 2)
    executions = fulfilment.executions(id_)
    assert statuses(executions) == ["SUCCEEDED", "SUCCEEDED"]
    assert second_is_there.is_set()
    tickets = fulfilment.tickets(id_)
    assert sorted(tickets) == [1, 2, 3]
    for ticket in tickets.values():
        said = (ticket["eventName"], ticket["venue"], ticket["timeZone"], ticket["eventDate"])
        assert said == ("Held Back", "Tempodrom", "Europe/Berlin", "2027-03-01")
        assert decoded(fulfilment.image(ticket["imageKey"])) == payload(ticket)
    (email,) = fulfilment.emails(id_)
    assert "Held Back" in email.text
    assert "Holding Back" not in email.text


def test_g4_31_days_later_a_conflict_is_still_one_and_the_same_booking_adds_no_seat(
    fulfilment, tmp_path
):
    conflicting, same = booking(), booking()
    fulfilment.fulfil(conflicting, same)
    sent = message_ids(fulfilment, same["bookingId"])
    before = everything(fulfilment, conflicting["bookingId"])
    tickets, images = fulfilment.tickets(same["bookingId"]), object_keys(fulfilment)
    with days_later(fulfilment, 31, tmp_path):
        late = fulfilment.fulfil(same, *[conflicting | change for change in OTHERS.values()])
    assert Counter((e["status"], e.get("error")) for e in late) == {
        ("SUCCEEDED", None): 3,
        ("FAILED", "BookingConflict"): len(OTHERS),
    }
    assert everything(fulfilment, conflicting["bookingId"]) == before
    assert fulfilment.tickets(same["bookingId"]) == tickets
    assert object_keys(fulfilment) == images
    # Past the 30 days for which an email is remembered, it is sent anew, and remembered anew.
    assert len(message_ids(fulfilment, same["bookingId"]) - sent) == 1
    job = fulfilment.job(f"booking.confirmed:{same['bookingId']}")
    assert {job["messageId"]} == message_ids(fulfilment, same["bookingId"]) - sent
    days_ahead = (int(job["expiresAt"]) - datetime.now(UTC).timestamp()) / 86_400
    assert 60.9 < days_ahead < 61.1
