"""The real definition, as far as a step's payload, its way on and its retries go.

Step Functions' part is played from statemachines/fulfil_booking.asl.yaml, so it cannot drift from
it; a construct that is not known here fails the test instead of being passed over.
"""

import functools
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from asl_walk import scopes
from strict_yaml import load

DEFINITION = load(Path(__file__).parents[2] / "statemachines" / "fulfil_booking.asl.yaml")
STATES = {name: state for scope in scopes(DEFINITION) for name, state in scope.states.items()}
ENDED = ""  # the name of no state

_RANGE = re.compile(r"States\.ArrayRange\(1, (\$[\w.]+), 1\)")
_FUNCTION = re.compile(r"\$\{(\w+)FunctionArn\}")
_KNOWN = {
    "Type", "Comment", "Resource", "Parameters", "ResultSelector", "ResultPath", "TimeoutSeconds",
    "Retry", "Next", "End",
}  # fmt: skip


class Retrier(NamedTuple):
    index: int
    attempts: int
    catches_all: bool


@functools.cache
def function(state: str) -> str:
    """The module of functions/ that a Task runs."""
    found = _FUNCTION.fullmatch(STATES[state]["Parameters"]["FunctionName"])
    assert found
    return re.sub(r"(?<!^)(?=[A-Z])", "_", found[1]).lower()


@functools.cache
def payload(state: str, data: str, execution: str, redrives: int) -> str:
    """What a Task hands to its function; ``data`` is the state's input. Both are JSON."""
    fields = STATES[state]
    assert fields["Type"] == "Task", state
    assert fields.keys() <= _KNOWN, fields.keys() - _KNOWN
    filled = _filled(
        fields["Parameters"]["Payload"], json.loads(data), execution, redrives=redrives
    )
    return json.dumps(filled)


@functools.cache
def after(state: str, data: str, execution: str, result: str) -> tuple[str, str]:
    """The Task that follows, or ENDED, and its input."""
    fields, output = STATES[state], json.loads(data)
    selected = _filled(fields["ResultSelector"], {"Payload": json.loads(result)}, execution)
    path = fields.get("ResultPath", "$")
    if path == "$":
        output = selected
    else:
        assert re.fullmatch(r"\$\.\w+", path)
        output[path[2:]] = selected
    text = json.dumps(output, sort_keys=True)
    return (ENDED, text) if fields.get("End") else _settled(fields["Next"], text)


@functools.cache
def branches(state: str, data: str, execution: str) -> dict[str, tuple[str, str]]:
    """The branches of a Parallel by name ("email", "seat 1"…): each one's first Task and input."""
    found, given = {}, json.loads(data)
    for branch in STATES[state]["Branches"]:
        first = branch["States"][branch["StartAt"]]
        if first["Type"] == "Task":
            found["email"] = (branch["StartAt"], data)
            continue
        for item in _looked_up(first["ItemsPath"], given, execution):
            chosen = _filled(first["ItemSelector"], given, execution, item)
            start = first["ItemProcessor"]["StartAt"]
            found[f"seat {item}"] = (start, json.dumps(chosen, sort_keys=True))
    return found


@functools.cache
def retrier(state: str, error: str) -> Retrier:
    for index, entry in enumerate(STATES[state]["Retry"]):
        if error in entry["ErrorEquals"] or "States.ALL" in entry["ErrorEquals"]:
            catches_all = "States.ALL" in entry["ErrorEquals"]
            return Retrier(index, entry["MaxAttempts"], catches_all)
    raise AssertionError(f"{state} has no retrier for {error}")


def _settled(state: str, data: str) -> tuple[str, str]:
    """Go on through what needs no function."""
    fields = STATES[state]
    if fields["Type"] == "Succeed":
        return ENDED, json.dumps(_looked_up(fields["InputPath"], json.loads(data), ""))
    if fields["Type"] != "Choice":
        return state, data
    for choice in fields["Choices"]:
        assert choice.keys() == {"Variable", "StringEquals", "Next"}, choice
        if _looked_up(choice["Variable"], json.loads(data), "") == choice["StringEquals"]:
            return _settled(choice["Next"], data)
    return _settled(fields["Default"], data)


def _filled(template: Any, data: Any, execution: str, item: Any = None, redrives: int = 0) -> Any:
    if not isinstance(template, dict):
        return template
    return {
        key.removesuffix(".$"): _looked_up(value, data, execution, item, redrives)
        if key.endswith(".$")
        else _filled(value, data, execution, item, redrives)
        for key, value in template.items()
    }


def _looked_up(path: str, data: Any, execution: str, item: Any = None, redrives: int = 0) -> Any:
    counted = _RANGE.fullmatch(path)
    if counted:
        return list(range(1, _looked_up(counted[1], data, execution) + 1))
    if path.startswith("$$"):
        return {
            "$$.Execution.Id": execution,
            "$$.Execution.RedriveCount": redrives,
            "$$.Map.Item.Value": item,
        }[path]
    assert re.fullmatch(r"\$(\.\w+)*", path), path
    for name in path.split(".")[1:]:
        data = data[name]
    return data
