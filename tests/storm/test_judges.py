"""Every judge finds what it is there to find, and finds nothing where nothing is."""

from dataclasses import replace

import pytest

from storm.made_up import (
    ADDRESS,
    NOON,
    OTHER,
    TOKENS,
    facts,
    failure,
    publication,
    run,
    ticket,
    with_run,
    writes,
)
from storming.facts import Claim, Email, EmailJob, Facts, Leak, Write
from storming.judging import judge
from storming.plan import Kind

SEAT_1, SEAT_2 = ("usr_1", "bk_1-00001"), ("usr_1", "bk_1-00002")


def broken(found: Facts) -> dict[str, list[str]]:
    return {v.guarantee: list(v.broken) for v in judge(found) if v.broken}


def test_nothing_is_broken_where_all_went_well():
    verdicts = judge(facts())
    assert [verdict.guarantee for verdict in verdicts] == [f"G{n}" for n in range(1, 10)]
    assert broken(facts()) == {}


def test_the_verdicts_say_how_much_was_looked_at():
    counted = {verdict.guarantee: verdict.counted for verdict in judge(facts())}
    assert counted["G1"] == "2 seats of 1 booking; 4 writes seen"
    assert counted["G2"] == "2 ready seats, 2 QR codes decoded"
    assert counted["G3"] == "2 skips, 2 images"
    assert counted["G4"] == "1 conflict refused, 1 claim"
    assert counted["G7"] == "4 messages, 4 executions, 0 dead letters sent back"
    assert counted["G9"] == "12 log lines"


NOTHING_TO_BREAK = {
    "G3": {"runs": (run(1, wrote=frozenset({1, 2}), acknowledged=("ses-1",)), *facts().runs[2:])},
    "G4": {"runs": (*facts().runs[:2], facts().runs[3])},
    "G6": {},  # the runs of these facts are an hour apart
    "G8": {},  # nothing in them failed after a grace
    "G9": {"scanned": {}},
}


@pytest.mark.parametrize("guarantee", NOTHING_TO_BREAK)
def test_what_never_came_about_is_not_said_to_hold(guarantee):
    held = {v.guarantee: v.held for v in judge(facts(**NOTHING_TO_BREAK[guarantee]))}
    assert held[guarantee] is None


def test_what_came_about_and_went_well_held():
    found = with_run(facts(), 2, started_at=run(1).started_at)
    found = with_run(found, 1, failure=failure("TicketMissing", grace=10.0))
    assert [verdict.held for verdict in judge(found)] == [True] * 9


def test_of_a_storm_that_accepted_nothing_nothing_is_said_to_hold():
    assert {verdict.held for verdict in judge(Facts(publications={}, sent={}))} == {None}


# G1


def test_g1_a_seat_without_a_record():
    found = facts(tickets=(ticket(1),))
    assert "bk_1-00002 of usr_1: no record" in broken(found)["G1"]


@pytest.mark.parametrize("extra", [
    replace(ticket(1), ticket_id="bk_1-00003", seat=3, token="C" * 26),
    ticket(1, user_id="usr_2", token="C" * 26),
])  # fmt: skip
def test_g1_a_record_that_nobody_booked(extra):
    found = facts(tickets=(ticket(1), ticket(2), extra))
    assert (
        f"{extra.ticket_id} of {extra.user_id}: a record that nobody booked" in broken(found)["G1"]
    )


@pytest.mark.parametrize("second", [
    Write("INSERT", "C" * 26, ticket(1).created_at),
    Write("MODIFY", TOKENS[0], "2026-11-30T13:00:00Z"),
])  # fmt: skip
def test_g1_a_seat_that_changed_its_identity_although_it_ended_with_its_first(second):
    first, last = writes(ticket(1))
    found = facts(writes={SEAT_1: (first, second, last), SEAT_2: writes(ticket(2))})
    assert broken(found) == {"G1": ["bk_1-00001: 2 identities in 3 writes"]}


def test_g1_two_seats_with_one_token():
    doubled = ticket(2, token=TOKENS[0])
    found = facts(
        tickets=(ticket(1), doubled),
        writes={SEAT_1: writes(ticket(1)), SEAT_2: writes(doubled)},
        objects={t.image_key: f"MT1.{t.ticket_id}.{t.token}" for t in (ticket(1), doubled)},
    )
    assert broken(found) == {
        "G1": [f"{id_}: another seat has its token too" for id_ in ("bk_1-00001", "bk_1-00002")]
    }


def test_g1_a_removed_record_is_the_storms_doing_as_often_as_it_removed_one():
    anew = (Write("INSERT", "C" * 26, "2026-11-30T11:00:00Z"), Write("REMOVE"), *writes(ticket(1)))
    found = facts(writes={SEAT_1: anew, SEAT_2: writes(ticket(2))})
    assert broken(replace(found, removed=(("bk_1", 1),))) == {}
    assert broken(found) == {"G1": ["bk_1-00001: its record was removed 1 times, 0 by the storm"]}


def test_g1_a_record_that_differs_from_what_was_last_written():
    found = facts(writes={SEAT_1: writes(ticket(1))})
    assert broken(found) == {"G1": ["bk_1-00002: the record is not what was last written"]}


# G2, G3


def test_g2_a_ready_seat_without_its_image():
    objects = dict(list(facts().objects.items())[1:])
    key = "tickets/bk_1/bk_1-00001.png"
    assert broken(facts(objects=objects)) == {"G2": [f"bk_1-00001: ready, and no image at {key}"]}


@pytest.mark.parametrize("says", [None, f"MT1.bk_1-00001.{TOKENS[1]}", TOKENS[0]])
def test_g2_an_image_whose_code_says_something_else(says):
    objects = {**facts().objects, "tickets/bk_1/bk_1-00001.png": says}
    assert broken(facts(objects=objects)) == {
        "G2": ["bk_1-00001: the code on its image is not the stored token's"]
    }


def test_g3_a_seat_found_ready_and_written_by_the_same_run():
    found = with_run(facts(), 2, wrote=frozenset({2}))
    assert broken(found) == {"G3": ["bk_1 seat 2: found ready and yet written, in arn:2"]}


def test_g3_an_image_of_no_seat():
    objects = {**facts().objects, "tickets/bk_1/bk_1-00003.png": "MT1.bk_1-00003.x"}
    assert broken(facts(objects=objects)) == {
        "G3": ["tickets/bk_1/bk_1-00003.png: an image of no seat"]
    }


# G4


def test_g4_a_conflicting_message_that_was_fulfilled():
    found = with_run(facts(), 3, status="SUCCEEDED", error=None)
    assert broken(found)["G4"] == ["bk_1: a conflicting message ended SUCCEEDED, in arn:3"]


def test_g4_a_conflicting_message_that_failed_by_another_name():
    found = with_run(facts(), 3, error="InvalidBooking")
    assert broken(found)["G4"] == [
        "bk_1: a conflicting message ended FAILED InvalidBooking, in arn:3"
    ]


def test_g4_a_conflicting_message_that_touched_a_seat():
    found = with_run(facts(), 3, wrote=frozenset({1}))
    assert broken(found)["G4"] == ["bk_1: a conflicting message reached its seats, in arn:3"]


def test_g4_a_claim_that_changed():
    claim = replace(facts().claims["bk_1"], writes=2)
    assert broken(facts(claims={"bk_1": claim})) == {"G4": ["bk_1: its claim was written 2 times"]}


def test_g4_a_seat_that_tells_another_booking_than_the_claim():
    changed = ticket(2, shown=("Summer Gala", None, None))
    assert broken(facts(tickets=(ticket(1), changed))) == {
        "G4": ["bk_1-00002: its record tells another booking than the claim"]
    }


def test_g4_of_two_identities_published_at_once_either_may_win():
    """The conflicting message came first, so all else is the conflict."""
    tickets = tuple(ticket(n, user_id="usr_2", identity=OTHER) for n in (1, 2))
    refused = {"status": "FAILED", "error": "BookingConflict"}
    found = facts(
        tickets=tickets,
        writes={each.key: writes(each) for each in tickets},
        claims={"bk_1": Claim("bk_1", OTHER, tickets[0].shown)},
        runs=(run(1, **refused), run(2, **refused), run(3, acknowledged=("ses-1",)),
              run(4, status="FAILED", error="InvalidBooking", booking="bk_x")),
    )  # fmt: skip
    assert broken(found) == {}


def test_g4_a_claim_of_no_message():
    found = facts(publications={1: publication(1), 2: publication(2), 3: publication(3)},
                  sent={1: "m1", 2: "m2"}, runs=facts().runs[:2])  # fmt: skip
    stranger = replace(found, claims={"bk_1": Claim("bk_1", OTHER, facts().claims["bk_1"].shown)})
    assert "bk_1: its claim is of no message that was published" in broken(stranger)["G4"]


# G5, G6


def email(number: int) -> Email:
    return Email("bk_1", f"ses-{number}", ADDRESS)


def test_g5_a_booking_without_its_email():
    assert broken(facts(emails=()))["G5"] == ["bk_1: no email"]


@pytest.mark.parametrize("jobs", [{}, {"bk_1": EmailJob("sending")}])
def test_g5_an_email_that_is_not_recorded(jobs):
    assert broken(facts(jobs=jobs)) == {"G5": ["bk_1: its email is not recorded as sent"]}


def test_g5_a_second_email_without_an_event():
    found = facts(emails=(email(1), email(2)))
    assert broken(found) == {"G5": ["bk_1: 2 emails after 0 events"]}


def test_g5_a_second_email_after_a_lost_attempt_of_sending():
    found = with_run(facts(emails=(email(1), email(2))), 1, lost=1)
    assert broken(found) == {}


def test_g5_a_lost_attempt_does_not_explain_an_email_that_two_runs_know_they_sent():
    found = with_run(facts(emails=(email(1), email(2))), 1, lost=1)
    assert broken(with_run(found, 2, acknowledged=("ses-2",)))["G5"] == [
        "bk_1: 2 emails, 0 of which no execution knows, after 1 lost attempt and 0 takeovers"
    ]


def test_g5_a_lease_that_another_run_took_over_explains_one_that_two_runs_know():
    found = facts(emails=(email(1), email(2)), jobs={"bk_1": EmailJob("done", takeovers=1)})
    assert broken(with_run(found, 2, acknowledged=("ses-2",))) == {}


def test_g5_an_email_to_an_address_that_was_not_given_with_the_booking():
    found = facts(emails=(Email("bk_1", "ses-1", "someone@example.org"),))
    assert broken(found) == {"G5": ["bk_1: email ses-1 went to an address that was not given"]}


def test_g5_an_email_to_a_corrected_address_is_right():
    corrected = publication(2, Kind.CORRECTION, email="new@example.org")
    found = facts(emails=(Email("bk_1", "ses-1", "new@example.org"),))
    assert broken(replace(found, publications={**found.publications, 2: corrected})) == {}


def test_g6_two_emails_of_executions_that_ran_at_once():
    at_once = with_run(facts(), 2, started_at=run(1).started_at)
    assert broken(at_once) == {}
    doubled = replace(at_once, emails=(email(1), email(2)))
    assert broken(doubled)["G6"] == ["bk_1: 2 emails of executions that ran at once, without event"]


def test_g6_counts_only_bookings_whose_executions_overlapped():
    def counted(found):
        return {v.guarantee: v.counted for v in judge(found)}["G6"].split()[0]

    assert counted(facts()) == "0"
    assert counted(with_run(facts(), 2, started_at=run(1).started_at)) == "1"


# G7, G8, G9


def test_g7_a_message_that_disappeared():
    found = facts(sent={**facts().sent, 5: "m5"})
    lost = replace(found, publications={**found.publications, 5: publication(5, Kind.AGAIN)})
    assert broken(lost) == {
        "G7": ["bk_1 (again, message m5): neither an execution nor a dead letter"]
    }


def test_g7_a_dead_letter_that_was_sent_back_and_fulfilled_under_its_new_id():
    found = replace(facts(), returned=frozenset({"m2"}))
    assert broken(with_run(found, 2, message_id="m99")) == {}


def test_g7_a_dead_letter_that_was_sent_back_and_then_disappeared():
    found = facts(
        returned=frozenset({"m2"}), runs=tuple(r for r in facts().runs if r.arn != "arn:2")
    )
    assert broken(found) == {
        "G7": ["bk_1 (again, message m2): a dead letter, sent back, without an execution"]
    }


def test_g7_what_is_left_in_a_queue_or_runs_still():
    found = with_run(facts(queued=3, dead=("m9", "m4")), 2, status="RUNNING", stopped_at=None)
    assert broken(found)["G7"] == [
        "bk_1: still RUNNING, in arn:2",
        "bk_1 (again, message m2): no execution of it succeeded: RUNNING in arn:2",
        "bk_x (invalid, message m4): still a dead letter",
        "message m9: still a dead letter",
        "3 messages still in the queue",
    ]


def test_g7_a_booking_whose_executions_all_failed():
    found = with_run(facts(), 1, status="FAILED", error="Boom")
    assert broken(found) == {
        "G7": ["bk_1 (first, message m1): no execution of it succeeded: FAILED Boom in arn:1"]
    }


def test_g7_a_failed_execution_that_was_run_again_is_no_loss():
    found = with_run(facts(), 1, status="FAILED", error="TicketMissing")
    again = replace(run(1, acknowledged=("ses-1",)), arn="arn:again", started_at=NOON)
    assert broken(replace(found, runs=(*found.runs, again))) == {}


def test_g7_a_broken_message_that_was_not_refused_by_name():
    found = with_run(facts(), 4, error="KeyError")
    assert broken(found) == {
        "G7": ["bk_x (invalid, message m4): FAILED KeyError and not InvalidBooking, in arn:4"]
    }


def test_g7_a_seat_that_is_not_ready_in_the_end():
    creating = ticket(1, status="creating")
    assert broken(facts(tickets=(creating, ticket(2)))) == {
        "G7": ["bk_1-00001: not ready after all was healed"]
    }


def test_g8_what_was_stopped_before_the_grace_was_over():
    found = with_run(facts(), 1, failure=failure("TicketMissing", {2, None}, grace=9.9))
    assert broken(found) == {
        "G8": ["bk_1: 2 parts unfinished when TicketMissing ended arn:1 after 9.9 s of grace"]
    }


def counted_by_g8(found):
    return judge(found)[7].counted


def test_g8_what_was_not_finished_in_the_whole_grace_is_counted_and_not_blamed():
    found = with_run(facts(), 1, failure=failure("EmailRejected", {2}, grace=10.0))
    assert broken(found) == {}
    assert counted_by_g8(found) == (
        "1 execution failed after the grace, in which 1 of 2 other parts were finished"
    )


def test_g8_a_failure_that_stopped_nothing_needs_no_grace():
    assert broken(with_run(facts(), 1, failure=failure("TicketConflict", grace=0.0))) == {}


def test_g8_an_error_without_a_grace_is_not_judged():
    assert broken(with_run(facts(), 1, failure=failure("Boom", {2, None}))) == {}


def test_g9_a_token_or_an_address_where_none_may_be():
    leaks = (
        Leak("send-email.log:7", "an email address"),
        Leak("email 1", "the token of bk_1-00001"),
    )
    assert broken(facts(leaks=leaks)) == {
        "G9": ["send-email.log:7: an email address", "email 1: the token of bk_1-00001"]
    }


def test_no_verdict_and_no_fact_shows_a_token_or_an_address():
    objects = {**facts().objects, "tickets/bk_1/bk_1-00001.png": TOKENS[1]}
    found = facts(tickets=(ticket(1), ticket(2, token=TOKENS[0])), objects=objects)
    shown = repr(found) + repr(judge(found))
    assert not any(secret in shown for secret in (*TOKENS, ADDRESS))
