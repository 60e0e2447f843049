"""Paths and intrinsic functions of a definition: as many as it uses, and an error for any other.

https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

Context = dict[str, Any]  # "$$.Execution.Id" and the like

_CALL = re.compile(r"States\.(\w+)\((.*)\)")


def _merged(first: Context, second: Context, deep: bool) -> Context:
    assert not deep, "AWS takes no deep merge"
    return first | second


_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "ArrayGetItem": lambda array, index: array[index],
    "ArrayLength": len,
    "ArrayRange": lambda first, last, step: list(range(first, last + 1, step)),
    "JsonMerge": _merged,
}


def filled(template: Any, data: Any, context: Context) -> Any:
    """Parameters, an ItemSelector or a ResultSelector, with what its paths lead to."""
    if not isinstance(template, dict):
        return template
    return {
        key.removesuffix(".$"): looked_up(value, data, context)
        if key.endswith(".$")
        else filled(value, data, context)
        for key, value in template.items()
    }


def looked_up(path: str, data: Any, context: Context) -> Any:
    call = _CALL.fullmatch(path)
    if call:
        given = (looked_up(text, data, context) for text in _arguments(call[2]))
        return _FUNCTIONS[call[1]](*given)
    if path.startswith("$$"):
        return context[path]
    if not path.startswith("$"):
        return json.loads(path)
    assert re.fullmatch(r"\$(\.\w+)*", path), path
    for name in path.split(".")[1:]:
        data = data[name]
    return data


def _arguments(text: str) -> Iterator[str]:
    depth = start = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    yield text[start:].strip()
