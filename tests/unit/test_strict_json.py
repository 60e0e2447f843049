import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minitickets.domain.strict_json import MAX_DEPTH, StrictJsonError, parse_object

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**300), 10**300)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def refusal(text: str) -> StrictJsonError:
    with pytest.raises(StrictJsonError) as caught:
        parse_object(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not valid JSON (it ends too early)"),
        ("hello", "is not valid JSON (character 1 of 5)"),
        ('{"a":1', "is not valid JSON (it ends too early)"),
        ('{"a":1} x', "is not valid JSON (character 9 of 9)"),
        ('{"a":1,}', None),
        ("{'a':1}", None),
        ('{"a":01}', None),
        ('{"a":+1}', None),
        ('{"a":.5}', None),
        ('{"a":1.}', None),
        ('{"a":0x1}', None),
        ('{"a":\u0661}', None),  # an Arabic-Indic digit is a digit to Python, not to JSON
        ('{"a":"\t"}', None),
        ('{"a":"\\x41"}', None),
        ('{"a":"\\u 041"}', None),
        ("\u00a0{}", None),  # a space to Python, not to JSON
        ("{}\x00", None),
        ('\ufeff{"a":1}', "begins with a byte order mark"),
        ('"{}"', "is a string, not a JSON object"),
        ("[{}]", "is an array, not a JSON object"),
        ("null", "is null, not a JSON object"),
        ("true", "is a boolean, not a JSON object"),
        ("7", "is a number, not a JSON object"),
        ("NaN", "is a number, not a JSON object"),
        ("9" * 5000, "is a number, not a JSON object"),
    ],
)
def test_what_is_not_one_json_object_is_refused_as_a_whole(text: str, reason: str | None) -> None:
    error = refusal(text)
    assert not error.faults
    assert str(error) == reason if reason else "is not valid JSON" in str(error)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("NaN", "holds NaN or Infinity"),
        ("Infinity", "holds NaN or Infinity"),
        ("-Infinity", "holds NaN or Infinity"),
        ('{"b":[{"c":[NaN]}]}', "holds NaN or Infinity"),
        ("1e400", "holds a number out of range"),
        ("-1e400", "holds a number out of range"),
        ("1" + "0" * 309, "holds a number out of range"),
        ("-" + "9" * 20_000, "holds a number out of range"),
        ("[[[1E+999]]]", "holds a number out of range"),
        ('{"b":1,"b":1}', "holds a key twice"),
        ('[[{"b":{"c":1,"\\u0063":2}}]]', "holds a key twice"),
        ('"\\ud800"', "holds a lone surrogate"),
        ('"\\uDC00\\uD800"', "holds a lone surrogate"),
        ('[["x\\udfff"]]', "holds a lone surrogate"),
        ('{"b":{"\\ud800":1}}', "holds a lone surrogate"),
    ],
)
def test_a_fault_at_any_depth_is_told_with_its_field(value: str, fault: str) -> None:
    error = refusal(f'{{"sound":1,"bad":{value}}}')
    assert error.faults == {"bad": fault}
    assert error.sound == {"sound": 1}


def test_all_faulty_fields_are_told_at_once() -> None:
    error = refusal('{"a":NaN,"b":[1e999],"c":0,"d":1,"d":1,"\\ud800":1}')
    assert error.faults == {
        "a": "holds NaN or Infinity",
        "b": "holds a number out of range",
        "d": "comes twice",
        "\ud800": "holds a lone surrogate",
    }
    assert error.sound == {"c": 0}


def test_a_key_twice_is_refused_also_when_both_values_agree() -> None:
    assert refusal('{"a":1,"a":1}').faults == {"a": "comes twice"}


def test_a_surrogate_in_the_text_itself_is_refused_also_where_an_escape_would_pair_it() -> None:
    assert str(refusal('{"a":"\ud83d\\ude00"}')) == "holds a lone surrogate"


def test_escaped_pairs_are_one_character() -> None:
    assert parse_object('{"\\ud83d\\ude00":"\\ud83c\\udfab"}') == {"😀": "🎫"}


def test_the_largest_double_and_its_integer_are_in_range() -> None:
    largest = 17976931348623157 * 10**292
    assert parse_object(f'{{"a":1.7976931348623157e308,"b":{largest}}}') == {
        "a": 1.7976931348623157e308,
        "b": largest,
    }


def test_integers_and_floats_stay_apart() -> None:
    numbers = parse_object('{"a":2,"b":2.0,"c":2e0,"d":-0}')
    assert [type(number) for number in numbers.values()] == [int, float, float, int]


@pytest.mark.parametrize(("start", "end"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_read_to_the_bound_and_refused_beyond(start: str, end: str) -> None:
    inner = MAX_DEPTH - 1
    assert parse_object('{"x":' + start * inner + "1" + end * inner + "}")
    error = refusal('{"x":' + start * (inner + 1) + "1" + end * (inner + 1) + "}")
    assert str(error) == f"is nested deeper than {MAX_DEPTH} levels"


@pytest.mark.parametrize(
    "text",
    ["[" * 65_536, '{"a":' * 13_000, "[{" * 30_000, '{"x":[' + "[" * 60_000 + "]" * 5000],
)
def test_nesting_without_end_never_reaches_the_recursion_limit(text: str) -> None:
    assert "nested deeper" in str(refusal(text))


def test_brackets_inside_strings_are_no_nesting() -> None:
    text = "[{" * 500 + '\\"' + "[" * 500
    assert parse_object(json.dumps({"a": text})) == {"a": text}


@pytest.mark.parametrize(
    "text",
    [
        '"' * 65_536,
        '{"a":"' + '\\"' * 32_000,
        "\\" * 65_536,
        '{"a":"' + "\\" * 65_001,
        '"[' * 30_000,
    ],
)
def test_quotes_without_end_cost_linear_time(text: str) -> None:
    before = time.process_time()
    refusal(text)
    assert time.process_time() - before < 1


@given(st.dictionaries(st.text(), json_values))
def test_what_is_json_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    for ascii_only in (True, False):
        assert parse_object(json.dumps(value, ensure_ascii=ascii_only)) == value


pieces = st.sampled_from(
    ["{", "}", "[", "]", ":", ",", '"', "\\", "\\u", "d800", "NaN", "1e400", "-", "0", "null"]
)


@given(st.text() | st.lists(pieces, max_size=40).map("".join))
def test_any_text_is_read_or_refused_and_nothing_else_is_raised(text: str) -> None:
    refused = ""
    try:
        parse_object(text)
    except StrictJsonError as error:
        refused = str(error)
    assert len(refused) < 100


@given(st.text(alphabet=st.characters(), min_size=8, max_size=30))
def test_a_refusal_never_echoes_the_text(text: str) -> None:
    error = refusal('{"a":' + json.dumps("secret" + text) + ',"b":NaN} trailing')
    assert "secret" not in str(error)
