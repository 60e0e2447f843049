"""Whatever breaks the contract's table is InvalidBooking, which names the field and the message."""

import json
import re
from typing import Any

import pytest
from hypothesis import strategies as st

from minitickets.errors import InvalidBooking
from properties.for_all import for_all
from properties.messages import (
    FIELDS,
    MESSAGE_ID,
    OPTIONAL,
    Message,
    messages,
    messages_and_bodies,
    names,
)
from properties.steps import accept, sqs_records
from properties.wrong_values import WRONG

anything = st.characters(exclude_categories=[])
long_texts = st.text(min_size=60, max_size=120)


def refusal(records: object) -> str:
    with pytest.raises(InvalidBooking) as caught:
        accept(records)
    # A cause or a context would travel in a traceback, and libraries quote what they refuse.
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    text = str(caught.value)
    assert text.isprintable()
    assert not re.search(r"\S@\S", text), "an address"
    return text


def fields_named(text: str) -> set[str]:
    """The fields that a refusal names: each of its parts begins with one."""
    problems = text.removeprefix(f"message {MESSAGE_ID}: ")
    assert problems != text
    return {problem.partition(" ")[0] for problem in problems.split("; ")}


def dumped(fields: dict[str, Any]) -> str:
    # Python writes no integer of more than 4,300 digits.
    huge = {name: value for name, value in fields.items() if value == 10**5000}
    text = json.dumps(fields | dict.fromkeys(huge, "huge"))
    return text.replace('"huge"', "1" + "0" * 5000) if huge else text


@for_all(messages(), st.data(), quick=32, deep=100, each=FIELDS)
def test_one_wrong_value_is_refused_by_its_field_and_the_message_id(
    field: str, message: Message, data: st.DataObject
) -> None:
    body = dumped(message.fields | {field: data.draw(WRONG[field])})
    assert fields_named(refusal(sqs_records(body))) == {field}


@for_all(messages(), quick=5, deep=50, each=FIELDS)
def test_a_required_field_that_is_missing_is_named(field: str, message: Message) -> None:
    body = json.dumps({key: value for key, value in message.fields.items() if key != field})
    if field in OPTIONAL:
        assert accept(sqs_records(body))
    else:
        assert fields_named(refusal(sqs_records(body))) == {field}


POISONS = {
    "NaN": "NaN",
    "Infinity": "Infinity",
    "minus Infinity": "-Infinity",
    "a huge number": "1e999",
    "a huge negative number": "-1E+999",
    "a huge integer": "9" * 400,
    "an endless integer": "1" + "0" * 9_999,
    "a key twice": '{"a":1,"a":1}',
    "a high surrogate": '"\\ud83d"',
    "a low surrogate": '"x\\uDC00"',
    "surrogates the wrong way round": '"\\udc00\\ud800"',
    "a surrogate for a key": '{"\\ud800":1}',
}
AROUND = ("{}", "[{}]", '{{"a": [[{}]]}}', '[1, {{"": {}}}]')


@for_all(
    messages(), st.sampled_from(FIELDS), st.sampled_from(AROUND), quick=8, deep=60, each=POISONS
)
def test_what_json_does_not_have_is_refused_at_any_depth_of_any_field(
    poison: str, message: Message, field: str, around: str
) -> None:
    poisoned = around.format(POISONS[poison])
    body = json.dumps(message.fields | {field: "here"}).replace('"here"', poisoned)
    assert fields_named(refusal(sqs_records(body))) == {field}
    body = json.dumps({**message.fields, "price": "here"}).replace('"here"', poisoned)
    assert ": the unknown field price " in refusal(sqs_records(body))


@for_all(messages(), quick=5, deep=50, each=FIELDS)
def test_a_field_that_comes_twice_is_named_even_with_one_value(
    field: str, message: Message
) -> None:
    once = json.dumps({field: message.fields.get(field)})[1:-1]
    body = json.dumps({field: message.fields.get(field)} | message.fields)
    assert fields_named(refusal(sqs_records(f"{body[:-1]}, {once}}}"))) == {field}


SPOILERS = {
    "byte order mark": "\ufeff{}".format,
    "double encoding": json.dumps,
    "an array around it": "[{}]".format,
    "twice": "{0}{0}".format,
    "cut short": lambda body: body[:-1],
    "cut in the middle": lambda body: body[: len(body) // 2],
    "something after it": "{} x".format,
    "a comma too many": lambda body: body[:-1] + ",}",
    "a comment": "{} // paid".format,
    "nested without end": lambda body: body[:-1] + ',"x":' + "[" * 30_000 + "]" * 30_000 + "}",
    "a surrogate outside of escapes": lambda body: body[:-1] + ',"x":"\ud83d"}',
    "nothing": lambda body: "",
}


@for_all(messages_and_bodies(), quick=5, deep=40, each=SPOILERS)
def test_a_body_that_is_not_one_json_object_is_refused_by_the_message_id(
    how: str, sent: tuple[Message, str]
) -> None:
    text = refusal(sqs_records(SPOILERS[how](sent[1])))
    assert text.startswith(f"message {MESSAGE_ID}: the body ")


@for_all(messages(), quick=5, deep=20, each="0123")
def test_more_or_fewer_than_one_record_are_refused_by_every_message_id(
    count: str, message: Message
) -> None:
    records = sqs_records(json.dumps(message.fields)) * int(count)
    if count == "1":
        assert accept(records)
    else:
        text = refusal(records)
        assert text.startswith(f"{count} records, ")
        assert text.count(MESSAGE_ID) == int(count)


# ---- Nothing else is ever raised -----------------------------------------------------------------

hostile_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(anything),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@for_all(hostile_json, quick=150, deep=900)
def test_any_input_at_all_is_refused_as_invalid(value: Any) -> None:
    for records in (value, [value], [{"messageId": value, "body": value}]):
        refusal(records)


PIECES = ["{", "}", "[", "]", ":", ",", '"', "\\", "\\u", "d800", "NaN", "1e400", "-", "0", "null"]


@for_all(
    st.text(anything)
    | hostile_json.map(json.dumps)
    | st.lists(st.sampled_from([*PIECES, *(f'"{field}":' for field in FIELDS)])).map("".join),
    quick=200,
    deep=1200,
)
def test_any_body_at_all_is_refused_as_invalid(body: str) -> None:
    refusal(sqs_records(body))


@st.composite
def half_good_fields(draw: st.DrawFn) -> dict[str, Any]:
    """Of each field, what is right, what is wrong, anything, or nothing."""
    fields = dict(draw(messages()).fields)
    for field in draw(st.sets(st.sampled_from(FIELDS), max_size=4)):
        fields[field] = draw(WRONG[field] | hostile_json | names | long_texts)
    for field in draw(st.sets(st.sampled_from(FIELDS), max_size=1)):
        fields.pop(field, None)
    return fields


@for_all(half_good_fields(), quick=120, deep=450)
def test_half_good_messages_are_accepted_or_invalid_and_nothing_else(
    fields: dict[str, Any],
) -> None:
    try:
        accepted = accept(sqs_records(dumped(fields)))
    except InvalidBooking as error:
        named = fields_named(str(error))
        assert named <= {*FIELDS, "the"}  # "the body …" where there are no fields
    else:
        assert accepted["booking"]["bookingId"] == fields["bookingId"]
