"""JSON as RFC 8259 and I-JSON (RFC 7493) have it, of which Python's reader takes more.

What is refused besides bad syntax: a byte order mark, NaN and Infinity, numbers beyond an IEEE
double's range, a key twice in one object, lone surrogates, and nesting deeper than ``MAX_DEPTH``.
Reasons never hold a value of the text.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

# Far more than any message needs, and far less than the interpreter's recursion limit.
MAX_DEPTH = 100

# The closing quote is optional: a string without an end runs to the end of the text, where the
# reader will find the fault, and a match that cannot fail never goes back over what it read.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class StrictJsonError(ValueError):
    """The text is refused.

    ``faults`` maps keys of the top-level object to the reason their values (or the keys themselves)
    are refused, and ``sound`` holds the fields without a fault; both are empty when the text as a
    whole is not one JSON object.
    """

    def __init__(
        self,
        reason: str,
        faults: Mapping[str, str] | None = None,
        sound: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(reason)
        self.faults = faults or {}
        self.sound = sound or {}


def parse_object(text: str) -> dict[str, Any]:
    """The JSON object that ``text`` is; raises :class:`StrictJsonError` and nothing else."""
    value = _parse(text)
    if not isinstance(value, _Object):
        raise StrictJsonError(f"is {_kind(value)}, not a JSON object")
    faults = dict.fromkeys(value.repeated, "comes twice")
    for key, member in value.items():
        fault = next(_faults_of(key), None) or next(_faults_of(member), None)
        if fault:
            faults.setdefault(key, fault)
    if faults:
        sound = {key: member for key, member in value.items() if key not in faults}
        raise StrictJsonError("has faulty fields", faults, sound)
    return value


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys came twice."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeated: set[str] = set()
        if len(self) < len(pairs):
            seen: set[str] = set()
            for key, _ in pairs:
                (self.repeated if key in seen else seen).add(key)


@dataclass(frozen=True)
class _Refused:
    """Stands in the place of a value that the reader met and JSON does not have."""

    reason: str


def _parse(text: str) -> object:
    if text.startswith("\ufeff"):
        raise StrictJsonError("begins with a byte order mark")
    if _SURROGATE.search(text):
        raise StrictJsonError("holds a lone surrogate")
    if _depth(text) > MAX_DEPTH:
        raise StrictJsonError(f"is nested deeper than {MAX_DEPTH} levels")
    try:
        return json.loads(
            text,
            object_pairs_hook=_Object,
            parse_constant=lambda _: _Refused("holds NaN or Infinity"),
            parse_float=_float,
            parse_int=_int,
        )
    except json.JSONDecodeError as error:
        at, end = error.pos + 1, len(text)
        place = f"character {at} of {end}" if at <= end else "it ends too early"
    raise StrictJsonError(f"is not valid JSON ({place})")


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in ("]", "}"):
            depth -= 1
    return deepest


def _float(digits: str) -> float | _Refused:
    number = float(digits)
    return _Refused("holds a number out of range") if math.isinf(number) else number


def _int(digits: str) -> int | _Refused:
    # By way of float: int() itself refuses more than 4,300 digits with an error of its own.
    number = _float(digits)
    return number if isinstance(number, _Refused) else int(digits)


def _faults_of(value: object) -> Iterator[str]:
    match value:
        case _Refused(reason):
            yield reason
        case str() if _SURROGATE.search(value):
            yield "holds a lone surrogate"
        case list():
            for item in value:
                yield from _faults_of(item)
        case _Object():
            if value.repeated:
                yield "holds a key twice"
            for key, member in value.items():
                yield from _faults_of(key)
                yield from _faults_of(member)


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "a number"
