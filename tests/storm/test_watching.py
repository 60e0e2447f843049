"""What the tables' streams tell."""

from storming.facts import EmailJob, Write
from storming.tampering import FOREIGN
from storming.watching import job_writes, ticket_writes


def record(**changes):
    made = {"userId": "u", "ticketId": "bk_1-00001", "bookingId": "bk_1"}
    return {**made, "token": "T", "createdAt": "c", **changes}


def change(kind, new=None, old=None):
    return {"kind": kind, "new": new, "old": old}


def test_the_writes_of_a_record_in_order_without_those_of_a_foreign_one_at_its_key():
    foreign = record(bookingId=FOREIGN, token="F")
    stream = [
        change("INSERT", foreign),
        change("REMOVE", old=foreign),
        change("INSERT", record()),
        change("MODIFY", record(status="ready"), record()),
        change("REMOVE", old=record()),
    ]
    assert ticket_writes(iter(stream)) == {
        ("u", "bk_1-00001"): (Write("INSERT", "T", "c"), Write("MODIFY", "T", "c"), Write("REMOVE"))
    }


def email(status, owner, until=0, booking="bk_1"):
    new = {"jobKey": f"booking.confirmed:{booking}", "status": status, "owner": owner}
    return change("MODIFY", new | ({"leaseUntil": until} if until else {}))


def test_a_claim_that_was_written_twice_is_counted():
    claim = {"jobKey": "booking.accepted:bk_1"}
    claims, _ = job_writes(iter([change("INSERT", claim), change("MODIFY", claim, claim)]))
    assert claims == {"bk_1": 2}


def takeovers(*states):
    _, jobs = job_writes(iter(states))
    return jobs["bk_1"]


def test_a_lease_that_another_run_takes_over_is_counted():
    assert takeovers(
        email("sending", "a", 100), email("sending", "b", 120), email("done", "b")
    ) == EmailJob("done", takeovers=1)


def test_a_lease_that_was_given_back_is_not_taken_over():
    assert takeovers(
        email("sending", "a", 100), email("sending", "a", 90), email("sending", "b", 110)
    ) == EmailJob("sending", takeovers=0)


def test_a_lease_that_its_own_run_renews_is_not_taken_over():
    assert takeovers(email("sending", "a", 100), email("sending", "a", 111)).takeovers == 0


def test_a_record_by_a_run_whose_lease_was_taken_over_counts_the_takeover_once():
    states = (email("sending", "a", 100), email("sending", "b", 120), email("done", "a"))
    assert takeovers(*states) == EmailJob("done", takeovers=1)
