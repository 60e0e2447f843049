"""G5 and G6: an email is never lost, doubled only where SES leaves no choice, and sent by one run.

The lease of the shared stack is 11 s. Scenarios that wait run side by side: each test waits for its
own.
"""

import itertools
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from minitickets.adapters.jobs_table import JobsTable
from minitickets.domain.email_job import Owner
from workflow.aws_calls import aws_calls
from workflow.harness import PATIENCE, booking, statuses
from workflow.tools import break_step, invoke, message_ids, on_step, put, tokens, wait

HOUR = 3600
ANOTHER_RUN = "arn:aws:states:eu-west-1:123456789012:execution:another:run"

# What breaks, and how many emails may come of it: two only where SES accepted and no one knows.
FAULTS = {
    "send fails before its work": ("SendEmail", "error", 3, {1}),
    "send's reply is lost": ("SendEmail", "lost-reply", 1, {1, 2}),
    "send crashes after its work": ("SendEmail", "crash", 1, {1, 2}),
    "SES throttles": ("SendEmail", "ses-throttle", 3, {1}),
    "SES rejects once": ("SendEmail", "ses-reject", 1, {1}),
    "record fails five times": ("RecordEmailJob", "error", 5, {1}),
    "record's reply is lost twice": ("RecordEmailJob", "lost-reply", 2, {1}),
    "record crashes twice": ("RecordEmailJob", "crash", 2, {1}),
}


def job(message, status, **changes):
    """A record under the booking's email job, as the design gives it; times from now in seconds."""
    now = int(time.time())
    record = {
        "jobKey": f"booking.confirmed:{message['bookingId']}",
        "status": status,
        "owner": ANOTHER_RUN,
        "expiresAt": now + changes.pop("expires", 24 * HOUR),
    }
    if status == "sending":
        return record | {"leaseUntil": now + changes.pop("lease", HOUR)}
    return record | {"messageId": "by-another-run", "completedAt": "2026-01-01T00:00:00Z"}


# What another run left, and how many emails this one adds.
LEFT_BEHIND = {
    "a lease that lapsed": (("sending", {"lease": -1}), 1),
    "a lease that lapses after a refusal": (("sending", {}), 1),
    "a record": (("done", {}), 0),
    "a record that expired, and was not deleted yet": (("done", {"expires": -1}), 1),
    "a live lease in a record that expired": (("sending", {"expires": -1}), 1),
}


@pytest.fixture(scope="module")
def broken(fulfilment):
    """A booking for each of the faults, all published at once."""
    messages = {name: booking(quantity=1) for name in FAULTS}
    for name, (state, kind, times, _) in FAULTS.items():
        break_step(fulfilment, messages[name]["bookingId"], state, kind, times)
    fulfilment.publish(*messages.values())
    return messages


@pytest.fixture(scope="module")
def resumed(fulfilment):
    """A booking for each thing left behind, all published at once."""
    messages = {name: booking(quantity=1) for name in LEFT_BEHIND}
    for name, ((status, changes), _) in LEFT_BEHIND.items():
        put(fulfilment, "ProcessedJobsTableName", job(messages[name], status, **changes))
    lapse_after_a_refusal(fulfilment, messages["a lease that lapses after a refusal"])
    fulfilment.publish(*messages.values())
    return messages


def lapse_after_a_refusal(fulfilment, message):
    visits = itertools.count(1)

    def act(_):
        if next(visits) == 2:
            put(fulfilment, "ProcessedJobsTableName", job(message, "sending", lease=-1))

    on_step(fulfilment, "SendEmail", message["bookingId"], act)


@pytest.fixture(scope="module")
def hung(fulfilment):
    """A booking published twice at once; the send of one run hangs until its function's timeout."""
    message = booking(quantity=1)
    break_step(fulfilment, message["bookingId"], "SendEmail", "hang")
    fulfilment.publish(message, message)
    return message


def ended(fulfilment, message, count=1):
    """The booking's executions, as soon as ``count`` of them have ended."""
    id_ = message["bookingId"]
    fulfilment.wait_for(lambda: fulfilment.finished(id_) >= count)
    return fulfilment.executions(id_)


# ---- G5 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAULTS)
def test_g5_an_email_is_never_lost_and_doubled_only_after_a_lost_reply_or_crash_of_the_send(
    fulfilment, hung, broken, resumed, name
):
    (execution,) = ended(fulfilment, broken[name])
    assert execution["status"] == "SUCCEEDED"
    assert json.loads(execution["output"])["email"] == "sent"
    sent = message_ids(fulfilment, broken[name]["bookingId"])
    assert len(sent) in FAULTS[name][-1]
    record = fulfilment.job(f"booking.confirmed:{broken[name]['bookingId']}")
    assert record["status"] == "done"
    assert record["messageId"] in sent


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_g5_what_another_run_left_is_waited_for_believed_or_treated_as_absent(
    fulfilment, resumed, name
):
    (execution,) = ended(fulfilment, resumed[name])
    sent = message_ids(fulfilment, resumed[name]["bookingId"])
    assert execution["status"] == "SUCCEEDED"
    assert len(sent) == LEFT_BEHIND[name][-1]
    assert json.loads(execution["output"])["email"] == ("sent" if sent else "already-sent")
    record = fulfilment.job(f"booking.confirmed:{resumed[name]['bookingId']}")
    assert record["status"] == "done"
    assert {record["messageId"]} == (sent or {"by-another-run"})


def test_g5_nobody_sends_while_another_runs_lease_lives(fulfilment, resumed):
    (execution,) = ended(fulfilment, resumed["a lease that lapses after a refusal"])
    failures = [
        event["taskFailedEventDetails"]["error"]
        for event in fulfilment.history(execution["executionArn"])
        if "taskFailedEventDetails" in event
    ]
    assert failures == ["EmailInProgress"]


def test_g5_the_record_treats_an_expired_one_as_absent_and_a_live_one_as_success(fulfilment):
    expired, live = booking(), booking()
    put(fulfilment, "ProcessedJobsTableName", job(expired, "done", expires=-1))
    put(fulfilment, "ProcessedJobsTableName", job(live, "done"))
    for message in (expired, live):
        event = {
            "bookingId": message["bookingId"],
            "email": "sent",
            "messageId": "mine",
            "execution": "arn:mine",
        }
        answer = invoke(fulfilment, "RecordEmailJob", event)
        assert answer == {"bookingId": message["bookingId"], "email": "sent"}
    replaced = fulfilment.job(f"booking.confirmed:{expired['bookingId']}")
    assert (replaced["messageId"], replaced["owner"]) == ("mine", "arn:mine")
    assert abs(int(replaced["expiresAt"]) - time.time() - 30 * 24 * HOUR) < 60
    kept = fulfilment.job(f"booking.confirmed:{live['bookingId']}")
    assert (kept["messageId"], kept["owner"]) == ("by-another-run", ANOTHER_RUN)


def test_g5_the_email_is_asked_for_only_under_a_stored_lease_and_recorded_after_it(fulfilment):
    message = booking(quantity=1)
    with aws_calls() as calls:
        fulfilment.fulfil(message)
    lease, record = calls.of("PutItem", f"booking.confirmed:{message['bookingId']}")
    (send,) = calls.of("SendEmail", message["bookingId"])
    assert lease.ended < send.began
    assert send.ended < record.began


# ---- G6 ------------------------------------------------------------------------------------------


def hold_until_another_was_refused(fulfilment, id_, state):
    """Hold the first run ahead of ``state`` until a later one comes back to SendEmail.

    It comes back only because it was refused: no run visits SendEmail twice otherwise here.
    """
    refused, first_run = threading.Event(), []
    visits = []

    def note(event):
        visits.append(event["execution"])
        if visits.count(event["execution"]) == 2:
            refused.set()

    def hold(event):
        first_run.append(event["execution"])
        if event["execution"] == first_run[0]:
            wait(refused)

    on_step(fulfilment, "SendEmail", id_, note)
    on_step(fulfilment, state, id_, hold)


@pytest.mark.parametrize("runs", [2, 3])
def test_g6_runs_of_one_booking_at_the_same_time_send_one_email(fulfilment, runs):
    """The run that sent is held up ahead of its record, until another has met its lease."""
    message = booking()
    id_ = message["bookingId"]
    hold_until_another_was_refused(fulfilment, id_, "RecordEmailJob")
    executions = fulfilment.fulfil(*[message] * runs)
    assert statuses(executions) == ["SUCCEEDED"] * runs
    assert len(fulfilment.emails(id_)) == 1
    outcomes = sorted(json.loads(execution["output"])["email"] for execution in executions)
    assert outcomes == ["already-sent"] * (runs - 1) + ["sent"]
    assert len(set(tokens(fulfilment, id_).values())) == 2


def test_g6_of_two_hundred_races_for_a_free_lease_each_has_one_winner(fulfilment):
    table = JobsTable(
        fulfilment.stack.client("dynamodb"), fulfilment.stack.output("ProcessedJobsTableName")
    )
    now = int(time.time())
    barrier = threading.Barrier(2)

    def race(owner):
        lost = 0
        for number in range(200):
            barrier.wait(PATIENCE)
            in_the_way = table.lease(f"bk_race{number}", owner, now, now + HOUR, now + HOUR)
            lost += in_the_way is not None and in_the_way.owner != owner
        return lost

    with ThreadPoolExecutor(2) as threads:
        assert sum(threads.map(race, [Owner("arn:one", 0), Owner("arn:one", 1)])) == 200


def test_g6_a_run_that_hung_finds_the_email_sent_by_the_other(fulfilment, hung):
    executions = ended(fulfilment, hung, 2)
    assert statuses(executions) == ["SUCCEEDED", "SUCCEEDED"]
    assert len(fulfilment.emails(hung["bookingId"])) == 1


def test_g6_sent_twice_at_once_and_again_later_it_stays_one_set_of_tickets_and_one_email(
    fulfilment,
):
    message = booking(quantity=4)
    id_ = message["bookingId"]
    fulfilment.fulfil(message, message)
    first = tokens(fulfilment, id_)
    executions = fulfilment.fulfil(message)
    assert statuses(executions) == ["SUCCEEDED"] * 3
    assert sorted(first) == [1, 2, 3, 4]
    assert len(set(first.values())) == 4
    assert tokens(fulfilment, id_) == first
    assert {ticket["status"] for ticket in fulfilment.tickets(id_).values()} == {"ready"}
    assert len(fulfilment.emails(id_)) == 1
