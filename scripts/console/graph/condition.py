"""The condition of a Choice rule in a few words, for the edge of the graph that it stands at."""

import re
from typing import Any

from asl_walk import objects

LONGEST = 30
_DEEPEST = 3
_MOST_PARTS = 4
_BIGGEST = 10**15
_IS = {
    "IsPresent": ("is there", "is missing"),
    "IsNull": ("is null", "is not null"),
    "IsString": ("is a string", "is no string"),
    "IsNumeric": ("is a number", "is no number"),
    "IsBoolean": ("is a boolean", "is no boolean"),
    "IsTimestamp": ("is a time", "is no time"),
}
_OPERATOR = re.compile(
    r"(?:String|Numeric|Boolean|Timestamp)"
    r"(Equals|LessThanEquals|LessThan|GreaterThanEquals|GreaterThan|Matches)(?:Path)?"
)
_SIGNS = {
    "Equals": "=",
    "LessThan": "<",
    "LessThanEquals": "≤",
    "GreaterThan": ">",
    "GreaterThanEquals": "≥",
    "Matches": "like",
}


def condition(rule: dict[str, Any]) -> str:
    """A rule of `Choices`, JSONPath or JSONata, in at most 30 characters; any object is taken."""
    return short(_words(rule, _DEEPEST))


def short(text: str, longest: int = LONGEST) -> str:
    """One line of at most `longest` characters; what is left out is marked by an ellipsis."""
    line = " ".join(text[: 10 * longest].split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _words(rule: dict[str, Any], depth: int) -> str:
    if depth == 0:
        return "…"
    if "Condition" in rule:
        return _jsonata(rule["Condition"])
    if isinstance(rule.get("Not"), dict):
        return f"not ({_words(rule['Not'], depth - 1)})"
    for field, word in (("And", " and "), ("Or", " or ")):
        if field in rule:
            parts = [_words(part, depth - 1) for part in objects(rule[field])[:_MOST_PARTS]]
            return word.join(parts)
    return _comparison(rule)


def _jsonata(value: object) -> str:
    if isinstance(value, str):
        return short(value.strip().removeprefix("{%").removesuffix("%}"), 3 * LONGEST)
    return _value(value)


def _comparison(rule: dict[str, Any]) -> str:
    variable = rule.get("Variable")
    name = short(variable.removeprefix("$."), LONGEST) if isinstance(variable, str) else "…"
    for field, (yes, no) in _IS.items():
        if field in rule:
            return f"{name} {no if rule[field] is False else yes}"
    for field, value in rule.items():
        if operator := _OPERATOR.fullmatch(str(field)):
            return f"{name} {_SIGNS[operator[1]]} {_value(value)}"
    return name


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return short(value) or '""'
        case int() if abs(value) >= _BIGGEST:
            return "…"  # Python refuses to print the longest
        case int() | float():
            return str(value)
        case None:
            return "null"
    return "…"
