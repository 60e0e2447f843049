"""``minitickets book`` and ``minitickets dead-letters``: no message is lost."""

import json
import signal
from pathlib import Path

import pytest

from fixtures.aws_account import Account, refusal
from fixtures.queues import BOOKINGS, DEAD, Sqs
from operations.cli import main


@pytest.fixture
def account() -> Account:
    account = Account()
    account.sqs = Sqs()
    return account


def body(booking: str) -> str:
    return json.dumps({"bookingId": booking})


def test_looking_at_dead_letters_leaves_each_where_it_was_and_visible(account):
    for n in range(25):
        account.sqs.put(DEAD, body(f"bk_{n}"))
    assert main(["dead-letters", "--json"], account.connect) == 0
    told = json.loads(account.out.getvalue())
    assert [letter["bookingId"] for letter in told["deadLetters"]] == [f"bk_{n}" for n in range(25)]
    assert told["deadLetters"][0]["ageSeconds"] == 3600
    assert told["deadLetters"][0]["receiveCount"] == 6
    assert len(account.sqs.bodies(DEAD)) == 25
    assert account.sqs.hidden == set()


def test_people_read_the_age_and_where_the_reason_is(account):
    account.sqs.put(DEAD, body("bk_1"))
    account.sqs.put(DEAD, "no JSON at all")
    assert main(["dead-letters"], account.connect) == 0
    told = account.out.getvalue()
    assert "1 h ago" in told
    assert "/aws/vendedlogs/pipes/minitickets-dev-bookings" in told
    assert "minitickets dead-letters --send-back" in told


def test_dead_letters_are_sent_back_as_they_were(account):
    attributes = {"trace": {"DataType": "String", "StringValue": "t"}}
    account.sqs.put(DEAD, body("bk_1"), MessageAttributes=attributes)
    assert main(["dead-letters", "--send-back"], account.connect) == 0
    [message] = account.sqs.queues[BOOKINGS].values()
    assert (message["Body"], message["MessageAttributes"]) == (body("bk_1"), attributes)
    assert account.sqs.bodies(DEAD) == []


def test_only_the_messages_of_the_booking_are_sent_back(account):
    account.sqs.put(DEAD, body("bk_1"))
    account.sqs.put(DEAD, body("bk_2"))
    assert main(["dead-letters", "--send-back", "--booking", "bk_2"], account.connect) == 0
    assert account.sqs.bodies(BOOKINGS) == [body("bk_2")]
    assert account.sqs.bodies(DEAD) == [body("bk_1")]
    assert account.sqs.hidden == set()


@pytest.mark.parametrize("moment", ["SendMessage", "DeleteMessage"])
@pytest.mark.parametrize("broken", [True, False], ids=["AWS fails", "Ctrl-C"])
def test_no_message_is_lost_whatever_cuts_the_sending_back_short(account, moment, broken):
    bodies = {body(f"bk_{n}") for n in range(5)}
    for each in bodies:
        account.sqs.put(DEAD, each)
    calls = []

    def cut_short(api: str) -> None:
        calls.append(api)
        if calls.count(moment) == 3 and api == moment:
            if broken:
                raise refusal(api, "InternalFailure", "gone")
            signal.raise_signal(signal.SIGINT)

    account.sqs.before = cut_short
    assert main(["dead-letters", "--send-back"], account.connect) == (3 if broken else 130)
    assert set(account.sqs.bodies(DEAD)) | set(account.sqs.bodies(BOOKINGS)) == bodies
    assert 0 < len(account.sqs.bodies(DEAD)) < 5
    assert not account.sqs.hidden & set(account.sqs.queues[DEAD])

    account.sqs.before = lambda _: None
    assert main(["dead-letters", "--send-back"], account.connect) == 0
    assert set(account.sqs.bodies(BOOKINGS)) == bodies
    assert account.sqs.bodies(DEAD) == []


def test_each_line_is_published_verbatim(account, tmp_path: Path):
    lines = ['{"a":  1}', '{"u":"\u2028"}']
    file = tmp_path / "bookings.jsonl"
    file.write_bytes("\n".join(lines).encode() + b"\n")
    assert main(["book", str(file)], account.connect) == 0
    assert account.sqs.bodies(BOOKINGS) == lines


def test_a_refused_line_is_named_and_the_others_are_sent(account, tmp_path: Path):
    account.sqs.refused["bad"] = refusal("SendMessage", "InvalidMessageContents", "not allowed")
    file = tmp_path / "bookings.jsonl"
    file.write_bytes(b"one\nbad\n\xff\nfour\n")
    assert main(["book", str(file), "--json"], account.connect) == 1
    assert json.loads(account.out.getvalue()) == {"sent": 2, "refused": 2}
    assert "line 2 refused by SQS: not allowed" in account.err.getvalue()
    assert "line 3 refused by SQS: it is not UTF-8" in account.err.getvalue()
    assert account.sqs.bodies(BOOKINGS) == ["one", "four"]


def test_a_missing_permission_is_told_once_and_not_line_by_line(account, tmp_path: Path, capsys):
    denied = refusal("SendMessage", "AccessDenied", "not yours")
    account.sqs.refused = dict.fromkeys(["one", "two"], denied)
    file = tmp_path / "bookings.jsonl"
    file.write_bytes(b"one\ntwo\n")
    assert main(["book", str(file)], account.connect) == 3
    assert capsys.readouterr().err.count("not permitted to call SendMessage") == 1
    assert account.err.getvalue() == ""


def test_letters_that_someone_else_looks_at_are_not_told_as_none(account):
    account.sqs.hidden.add(account.sqs.put(DEAD, body("bk_1")))
    assert main(["dead-letters"], account.connect) == 1
    told = account.out.getvalue()
    assert "1 more are hidden" in told
    assert "There are no dead letters." not in told
