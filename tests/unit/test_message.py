import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.booking import Booking
from minitickets.domain.message import AcceptedMessage, read_message
from minitickets.errors import InvalidBooking

CASES = Path(__file__).parents[1] / "cases"
FUNCTIONS = Path(__file__).parents[2] / "functions"
MESSAGE_ID = "059f36b4-87a3-44ab-83d2-661975830a7d"
GALA: dict[str, Any] = {
    "type": "booking.confirmed",
    "bookingId": "bk_1001",
    "userId": "usr_7",
    "email": "pat@example.com",
    "eventId": "evt_gala",
    "eventName": "Winter Gala",
    "startsAt": "2026-12-24T19:30:00+01:00",
    "timeZone": "Europe/Berlin",
    "quantity": 4,
    "venue": "Tempodrom",
}
REQUIRED = GALA.keys() - {"timeZone", "venue"}


def records(body: object) -> list[dict[str, Any]]:
    return [{"messageId": MESSAGE_ID, "body": body, "eventSource": "aws:sqs"}]


def read(**changes: Any) -> AcceptedMessage:
    return read_message(records(json.dumps(GALA | changes)))


def refusal(of: object) -> str:
    with pytest.raises(InvalidBooking) as caught:
        read_message(of)
    # A context would travel into a traceback, and libraries quote what they refuse.
    assert caught.value.__context__ is None
    text = str(caught.value)
    assert text.isprintable()
    assert len(text) < 2000
    return text


def lines(file: str) -> list[Any]:
    # Only line feeds end a line here: a body may hold U+2028.
    text = (CASES / file).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def test_every_fact_arrives() -> None:
    assert read() == AcceptedMessage(
        booking=Booking(
            booking_id="bk_1001",
            user_id="usr_7",
            event_id="evt_gala",
            quantity=4,
            event_name="Winter Gala",
            venue="Tempodrom",
            starts_at="2026-12-24T19:30:00+01:00",
            time_zone="Europe/Berlin",
        ),
        email="pat@example.com",
        identity=(
            "bookingId=bk_1001 userId=usr_7 eventId=evt_gala "
            "startsAt=2026-12-24T18:30:00Z quantity=4"
        ),
    )


@pytest.mark.parametrize("case", lines("valid.jsonl"), ids=lambda case: case["bookingId"])
def test_valid_cases_are_accepted(case: dict[str, Any]) -> None:
    assert read_message(records(json.dumps(case))).booking.booking_id == case["bookingId"]


@pytest.mark.parametrize("case", lines("invalid.jsonl"), ids=lambda case: case["why"])
def test_invalid_cases_are_refused_by_the_message_id(case: dict[str, str]) -> None:
    assert MESSAGE_ID in refusal(records(case["body"]))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("bookingId", "b"),
        ("bookingId", "9" * 64),
        ("userId", "A-_z0"),
        ("quantity", 1),
        ("quantity", 500),
        ("eventName", "x"),
        ("venue", None),
        ("timeZone", None),
        ("timeZone", "UTC"),
        ("timeZone", "US/Pacific"),
        ("startsAt", "2000-01-01t00:00:00.5z"),
        ("startsAt", "2999-12-31T23:59:59-12:00"),
        ("unknown", [{"deep": [1.5, None, "\U0001f3ab"]}]),
        ("booking_id", "another"),
        ("seatNumber", "x" * 60_000),
    ],
)
def test_each_rule_reaches_to_its_bounds(field: str, value: object) -> None:
    booking = read(**{field: value}).booking.to_json()
    assert booking.get(field, value) == value


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("type", wrong) for wrong in ("", "Booking.Confirmed", "booking.confirmed ", 1, [], {})),
        *(
            (field, wrong)
            for field in ("bookingId", "userId", "eventId")
            for wrong in (
                "",
                "_a",
                "-a",
                "a b",
                "a/b",
                "a.b",
                "a#b",
                "a\n",
                "\na",
                "a\x00",
                "é",
                "\u0661",
                "a\u0661",
                "x" * 65,
                7,
                True,
                ["a"],
                {"a": 1},
            )
        ),
        *(("quantity", wrong) for wrong in (0, -1, 501, 2.0, 2.5, "2", True, False, [2], {}, "")),
        *(("quantity", wrong) for wrong in (2**31, 2**64, 10**300, -(10**300))),
        *(("email", wrong) for wrong in ("", "pat", "a@b", ["a@b.cd"], "a@b.cd, e@f.gh", 1, {})),
        *(("eventName", wrong) for wrong in ("", " \r\n", "x" * 201, "\u200b", 1, ["x"], True)),
        *(("venue", wrong) for wrong in ("", " \u2028", "x" * 201, "\ufeff", 0, False, [], {})),
        *(("startsAt", wrong) for wrong in ("", "2026-12-24", 1798137000, 1.5, [], {}, True)),
        ("startsAt", "2026-12-24T19:30:00"),
        ("startsAt", "1999-12-31T23:59:59Z"),
        ("startsAt", "2026-02-30T12:00:00Z"),
        *(("timeZone", wrong) for wrong in ("", "europe/berlin", "../zones", "+01:00", 1, [], {})),
    ],
)
def test_a_wrong_value_is_refused_by_the_fields_name(field: str, value: object) -> None:
    text = refusal(records(json.dumps(GALA | {field: value})))
    assert text.startswith(f"message {MESSAGE_ID}: {field} ")
    assert ", wanted " in text
    assert ";" not in text


@pytest.mark.parametrize("field", sorted(REQUIRED))
def test_a_field_absent_or_null_is_refused_by_its_name(field: str) -> None:
    absent = json.dumps({name: value for name, value in GALA.items() if name != field})
    assert f" {field} is missing, wanted " in refusal(records(absent))
    assert f" {field} " in refusal(records(json.dumps(GALA | {field: None})))


def test_optional_fields_may_be_absent() -> None:
    body = json.dumps({name: GALA[name] for name in REQUIRED})
    booking = read_message(records(body)).booking
    assert (booking.venue, booking.time_zone) == (None, None)


def test_every_bad_field_is_named_in_one_error() -> None:
    everything_wrong = dict.fromkeys(GALA, 0)
    text = refusal(records(json.dumps(everything_wrong)))
    assert set(re.findall(r"(?:: |; )(\w+)", text)) == GALA.keys()


def test_faults_of_json_and_of_the_contract_are_named_together() -> None:
    body = json.dumps(GALA | {"userId": "?", "eventName": "X"})[:-1]
    body += ',"quantity":4,"venue":"\\ud800","startsAt":1e999,"price":NaN,"e@mail.example":NaN}'
    text = refusal(records(body))
    assert [part.split(",")[0] for part in text.split(": ", 1)[1].split("; ")] == [
        "quantity comes twice",
        "startsAt comes twice",
        "venue comes twice",
        "the unknown field price holds NaN or Infinity",
        "the unknown field of an odd name holds NaN or Infinity",
        "userId has another form",
    ]


def test_a_start_has_an_end() -> None:
    longest = "2026-12-24T19:30:00." + "1" * 43 + "Z"
    assert read(startsAt=longest).booking.starts_at == longest
    text = refusal(records(json.dumps(GALA | {"startsAt": longest.replace("Z", "1Z")})))
    assert "startsAt is longer than 64 characters" in text


def test_many_unknown_faulty_fields_stay_a_short_error() -> None:
    faulty = ",".join(f'"{"x" * (n // 26 + 1)}{chr(97 + n % 26)}":NaN' for n in range(500))
    assert refusal(records(f"{{{faulty}}}")).count("the unknown field") == 5


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        json.dumps(json.dumps(GALA)),
        "\ufeff" + json.dumps(GALA),
        json.dumps([GALA]),
        json.dumps(GALA)[:-1],
        json.dumps(GALA) * 2,
        json.dumps(GALA)[:-1] + ',"x":' + "[" * 60_000,
        json.dumps(GALA)[:-1] + ',"x":' + "[" * 30_000 + "]" * 30_000 + "}",
        json.dumps(GALA)[:-1] + ',"x":Infinity}',
        json.dumps(GALA)[:-1] + ',"x":[{"a":1,"a":1}]}',
        json.dumps(GALA)[:-1] + ',"x":["\\udead"]}',
        json.dumps(GALA)[:-1] + ',"\\udead":1}',
        json.dumps(GALA)[:-1] + ',"x":' + "9" * 5_000 + "}",
        json.dumps(GALA).replace(": 4", ": " + "9" * 5_000),
        json.dumps(GALA).replace("Winter", "\ud800"),
    ],
)
def test_a_body_that_is_not_strict_json_is_refused(body: str) -> None:
    assert refusal(records(body)).startswith(f"message {MESSAGE_ID}: ")


@pytest.mark.parametrize(
    ("of", "says"),
    [
        (None, "not an array"),
        ({}, "not an array"),
        (json.dumps([{}]), "not an array"),
        (records("{}")[0], "not an array"),
        ([], "0 records, wanted exactly 1"),
        (records("{}") * 2, f"2 records, wanted exactly 1: messages [{MESSAGE_ID}, {MESSAGE_ID}]"),
        ([None] * 10_000, "10000 records"),
        ([None], "the record is not an object"),
        ([[]], "the record is not an object"),
        ([{}], "message (without id): the body is not a string"),
        ([{"messageId": 7, "body": None}], "message (without id): the body is not a string"),
        (records(GALA), f"message {MESSAGE_ID}: the body is not a string"),
        (records(None), "the body is not a string"),
        ([{"body": "{"}], "message (without id): the body is not valid JSON"),
        ([{"messageId": "", "body": "{"}], "message (without id): the body is not valid JSON"),
        ([{"messageId": "a\r\nb \u202e\ud800é", "body": "{"}], "message a??b????: the body"),
        ([{"messageId": "m" * 9000, "body": "{"}], f"message {'m' * 100}: the body"),
    ],
)
def test_an_input_that_is_not_one_sqs_record_is_refused(of: object, says: str) -> None:
    assert says in refusal(of)


def test_names_become_one_line_and_the_start_stays_as_written() -> None:
    accepted = read(
        eventName=" Gala\r\nBcc: x@evil.example\u2028",
        venue="Zoe\u0308",
        startsAt="2026-12-24t18:30:00.50z",
    )
    assert accepted.booking.event_name == "Gala  Bcc: x@evil.example"
    assert accepted.booking.venue == "Zoë"
    assert accepted.booking.starts_at == "2026-12-24t18:30:00.50z"
    assert "startsAt=2026-12-24T18:30:00.5Z" in accepted.identity


def test_the_domain_of_the_address_is_encoded() -> None:
    assert read(email="Pat@EXÄMPLE.com").email == "Pat@xn--exmple-cua.com"


@pytest.mark.parametrize(
    "changes",
    [
        {"startsAt": "2026-12-24T18:30:00Z"},
        {"startsAt": "2026-12-24t18:30:00.000z"},
        {"startsAt": "2026-12-25T00:00:00+05:30"},
        {"eventName": "Another name"},
        {"venue": None},
        {"timeZone": "America/New_York"},
        {"email": "other@example.com"},
        {"more": 1},
    ],
)
def test_names_zone_address_and_spelling_leave_the_identity(changes: dict[str, Any]) -> None:
    assert read(**changes).identity == read().identity


@pytest.mark.parametrize(
    "changes",
    [
        {"bookingId": "bk_1002"},
        {"userId": "usr_8"},
        {"eventId": "evt_gala2"},
        {"quantity": 3},
        {"startsAt": "2026-12-24T19:30:00Z"},
        {"startsAt": "2026-12-24T19:30:00.000000000000000000001+01:00"},
    ],
)
def test_another_owner_event_start_or_quantity_is_another_identity(
    changes: dict[str, Any],
) -> None:
    assert read(**changes).identity != read().identity


@given(st.sampled_from(sorted(GALA)), st.text(st.characters(), max_size=30), st.booleans())
def test_an_error_never_echoes_a_value(field: str, text: str, as_key: bool) -> None:
    secret = f"qzqz9{text}"
    value = {secret: secret} if as_key else [secret]
    body = json.dumps(GALA | {field: value, secret: float("nan")})
    assert "qzqz9" not in refusal(records(body))
    assert "qzqz9" not in refusal(records(body + secret))
    assert "qzqz9" not in refusal(records(json.dumps(dict.fromkeys(GALA, secret + "\x00@\ud800"))))


def test_only_the_message_module_imports_pydantic() -> None:
    others = ["booking", "confirmation", "email_address", "local_time", "names", "strict_json"]
    imports = "; ".join(f"import minitickets.domain.{name}" for name in others)
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys; {imports}; print('pydantic' in sys.modules)"],
        cwd=FUNCTIONS,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert loaded.stdout == "False\n"
