"""The search for tokens and addresses."""

import pytest

from storming.collecting import Scan
from storming.facts import Leak
from storming.secrets import addresses_in, tokens_in

TOKEN = "MRSWC43BNRSQ2LTOMZSXE4TJNZ"
TICKETS = {TOKEN: "bk_1-00001"}


@pytest.mark.parametrize("text", [
    TOKEN, f"MT1.bk_1-00001.{TOKEN}", f'{{"token": "{TOKEN}"}}', f"AA7{TOKEN}Z2", f"x{TOKEN}_",
    "Q" * 26 + TOKEN,
])  # fmt: skip
def test_a_token_is_found_wherever_it_stands(text):
    assert tokens_in(text, TICKETS) == {TOKEN}


@pytest.mark.parametrize("text", ["", TOKEN[1:], TOKEN.lower(), "Q" * 40])
def test_what_only_looks_like_a_token_is_none(text):
    assert tokens_in(text, TICKETS) == set()


@pytest.mark.parametrize("text", [
    "kim@example.org", "to=<guest.0a1b@mail.example.com>", "é kim+x@xn--exmple-cua.com.",
])  # fmt: skip
def test_an_address_is_found(text):
    assert addresses_in(text)


@pytest.mark.parametrize("text", ["bk_1 seat 2", "@", "kim@", "arn:aws:states:eu-west-1:1:x@y"])
def test_what_is_no_address_is_not_found(text):
    assert not addresses_in(text)


def test_the_scan_of_logs_names_file_and_line_and_never_what_it_found(tmp_path):
    (tmp_path / "send-email.log").write_text(f"fine\nsent to kim@example.org\n{TOKEN}\n")
    (tmp_path / "other.txt").write_text(TOKEN)
    scan = Scan(TICKETS)
    scan.logs(tmp_path)
    assert scan.leaks == [
        Leak("send-email.log:2", "an email address"),
        Leak("send-email.log:3", "the token of bk_1-00001"),
    ]
    assert scan.counts == {"log lines": 3}


def test_a_text_that_is_searched_is_counted_under_its_sort():
    scan = Scan(TICKETS)
    scan.text("emails", "email 1", "nothing")
    scan.text("emails", "email 2", TOKEN)
    assert scan.counts == {"emails": 2}
    assert scan.leaks == [Leak("email 2", "the token of bk_1-00001")]
