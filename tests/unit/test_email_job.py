"""Check, lease, send, record: every branch, on a table that judges conditions as DynamoDB does.

Times in the records are epoch seconds: 2026-11-30T10:00:00Z is 1796032800.
"""

from datetime import UTC, datetime, timedelta

import pytest

from fixtures.tables import new_table
from minitickets.adapters.jobs_table import JobsTable
from minitickets.domain.email_job import Owner, record_sent, send_once
from minitickets.errors import EmailInProgress, EmailRejected, EmailThrottled

NOW = datetime(2026, 11, 30, 10, 0, 0, 900_000, tzinfo=UTC)
EPOCH = 1_796_032_800
LEASE = timedelta(seconds=300)
IN_30_DAYS = EPOCH + 2_592_000
KEY = "booking.confirmed:bk_1"
US, THEM = "arn:us", "arn:them"
OURS = {
    "jobKey": KEY,
    "status": "sending",
    "owner": US,
    "redriveCount": 2,
    "leaseUntil": EPOCH + 301,  # NOW has a fraction: a lease is never cut short
    "expiresAt": IN_30_DAYS,
}
THEIRS = OURS | {"owner": THEM, "leaseUntil": EPOCH + 1}
DONE = {
    "jobKey": KEY,
    "status": "done",
    "owner": THEM,
    "messageId": "m-theirs",
    "completedAt": "2026-11-01T00:00:00.000000Z",
    "expiresAt": EPOCH + 1,
}


@pytest.fixture
def table():
    with new_table("jobKey") as table:
        yield table


@pytest.fixture
def jobs(table):
    return JobsTable(table.client, table.name)


class Ses:
    """Counts; raises what it is given instead of accepting."""

    def __init__(self, refusal=None):
        self.sent = 0
        self.refusal = refusal

    def __call__(self):
        self.sent += 1
        if self.refusal:
            raise self.refusal
        return "m-ours"


def send(jobs, ses, execution=US, redrives=2, clock=lambda: NOW):
    owner = Owner(execution, redrives)
    return send_once(jobs, "bk_1", owner=owner, lease=LEASE, clock=clock, send=ses)


FREE = {
    "nothing": None,
    "their lapsed lease": THEIRS | {"leaseUntil": EPOCH},
    "our own live lease": OURS,
    "our own lapsed lease": OURS | {"leaseUntil": EPOCH - 1},
    "a record that has expired": DONE | {"expiresAt": EPOCH},
    "their live lease in a record that has expired": THEIRS | {"expiresAt": EPOCH},
}


@pytest.mark.parametrize("left", FREE)
def test_it_is_sent_once_under_a_lease_where_nothing_is_in_the_way(table, jobs, left):
    if FREE[left]:
        table.put(FREE[left])
    seen = []
    outcome = send(jobs, lambda: seen.append(table.item()) or "m-ours")
    assert (outcome.email, outcome.message_id) == ("sent", "m-ours")
    assert seen == [OURS]
    assert table.item() == OURS


IN_THE_WAY = {
    "another execution's": THEIRS,
    "that of our execution before its redrive, which may still be sending": OURS
    | {"redriveCount": 1},
    "of a version that did not count redrives": {k: OURS[k] for k in OURS if k != "redriveCount"},
}


@pytest.mark.parametrize("live", IN_THE_WAY)
def test_a_live_lease_of_another_run_is_in_the_way(table, jobs, live):
    table.put(IN_THE_WAY[live])
    ses = Ses()
    with pytest.raises(EmailInProgress, match="bk_1"):
        send(jobs, ses)
    assert ses.sent == 0
    assert table.item() == IN_THE_WAY[live]


def test_a_live_record_means_already_sent(table, jobs):
    table.put(DONE)
    ses = Ses()
    outcome = send(jobs, ses)
    assert (outcome.email, outcome.message_id, ses.sent) == ("already-sent", None, 0)
    assert table.item() == DONE


class Overtaken:
    """The jobs, where another run writes its record between our look and our lease."""

    def __init__(self, jobs, table, record):
        self._jobs, self._table, self._record = jobs, table, record

    def __getattr__(self, name):
        if name == "lease":
            self._table.put(self._record)
        return getattr(self._jobs, name)


def test_a_race_for_the_lease_lost_to_a_run_that_has_sent_is_already_sent(table, jobs):
    ses = Ses()
    outcome = send(Overtaken(jobs, table, DONE), ses)
    assert (outcome.email, ses.sent) == ("already-sent", 0)
    assert table.item() == DONE


def test_a_race_for_the_lease_lost_to_a_run_that_sends_is_in_progress(table, jobs):
    ses = Ses()
    with pytest.raises(EmailInProgress):
        send(Overtaken(jobs, table, THEIRS), ses)
    assert ses.sent == 0
    assert table.item() == THEIRS


def test_nobody_sends_on_a_lease_that_ran_out(table, jobs):
    """The process stood still between the lease and the send."""
    times = iter([NOW, NOW + LEASE])
    ses = Ses()
    with pytest.raises(EmailInProgress):
        send(jobs, ses, clock=lambda: next(times))
    assert ses.sent == 0


def test_the_last_moment_of_a_lease_still_sends(jobs):
    times = iter([NOW, NOW + LEASE - timedelta(microseconds=1)])
    assert send(jobs, Ses(), clock=lambda: next(times)).email == "sent"


@pytest.mark.parametrize("refusal", [EmailThrottled("slow down"), EmailRejected("not verified")])
def test_a_refusal_lets_another_run_send_at_once(table, jobs, refusal):
    with pytest.raises(type(refusal)):
        send(jobs, Ses(refusal))
    assert table.item() == OURS | {"leaseUntil": EPOCH}
    assert send(jobs, Ses(), execution=THEM).email == "sent"


def test_a_refusal_that_comes_after_the_lease_lapsed_keeps_the_next_runs_lease(table, jobs):
    def late_refusal():
        table.put(THEIRS)
        raise EmailThrottled("slow down")

    with pytest.raises(EmailThrottled):
        send(jobs, late_refusal)
    assert table.item() == THEIRS


def test_an_error_that_leaves_it_open_whether_ses_accepted_keeps_the_lease(table, jobs):
    with pytest.raises(TimeoutError):
        send(jobs, Ses(TimeoutError("no reply")))
    assert table.item() == OURS
    with pytest.raises(EmailInProgress):
        send(jobs, Ses(), execution=THEM)
    again = Ses()
    assert send(jobs, again).email == "sent"
    assert again.sent == 1


# ---- the record ----------------------------------------------------------------------------------

RECORDED = {
    "jobKey": KEY,
    "status": "done",
    "owner": US,
    "messageId": "m-ours",
    "completedAt": "2026-11-30T10:00:00.900000Z",
    "expiresAt": IN_30_DAYS,
}


# A record that comes after its lease lapsed is still that of an email which was sent.
LEFT = {
    "nothing": None,
    "our live lease": OURS,
    "our lapsed lease": OURS | {"leaseUntil": EPOCH - 1},
    "their live lease": THEIRS,
    "their lapsed lease": THEIRS | {"leaseUntil": EPOCH},
    "a record that has expired": DONE | {"expiresAt": EPOCH},
}


@pytest.mark.parametrize("left", LEFT)
def test_the_record_is_kept_for_30_days_whoever_holds_the_lease(table, jobs, left):
    if LEFT[left]:
        table.put(LEFT[left])
    record_sent(jobs, "bk_1", US, "m-ours", NOW)
    assert table.item() == RECORDED


def test_a_live_record_is_success_and_stays_as_it_is(table, jobs):
    table.put(DONE)
    record_sent(jobs, "bk_1", US, "m-ours", NOW)
    assert table.item() == DONE


def test_our_own_record_written_again_after_a_lost_reply_stays_as_it_is(table, jobs):
    record_sent(jobs, "bk_1", US, "m-ours", NOW)
    record_sent(jobs, "bk_1", US, "m-ours", NOW + timedelta(minutes=1))
    assert table.item() == RECORDED
