"""The real definition, as far as payloads, the way on, retries and the output go.

Step Functions' part is played from statemachines/fulfil_booking.asl.yaml, so it cannot drift from
it; a construct that is not known here fails the test instead of being passed over.
"""

import copy
import functools
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

from asl_walk import scopes
from exploration.paths import Context, filled, looked_up
from strict_yaml import load

State = dict[str, Any]

_FUNCTION = re.compile(r"\$\{(\w+)FunctionArn\}")
_SCOPE = {"StartAt", "States"}
_KNOWN: Final = {
    "Task": {
        "Resource", "Parameters", "ResultSelector", "ResultPath", "TimeoutSeconds", "Retry", "Next",
        "End",
    },
    "Choice": {"Choices", "Default"},
    "Succeed": {"InputPath"},
    "Parallel": {"Branches", "ResultSelector", "OutputPath", "End"},
    "Map": {
        "ItemsPath", "MaxConcurrency", "ItemSelector", "ItemProcessor", "ResultSelector", "End",
    },
}  # fmt: skip
_RETRIER: Final = {
    "ErrorEquals", "IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds",
    "JitterStrategy",
}  # fmt: skip


def states_of(definition: dict[str, Any]) -> dict[str, State]:
    """Every state by its name. Raises AssertionError for what the model would pass over."""
    assert definition.keys() - {"Comment", "TimeoutSeconds"} == _SCOPE, definition.keys()
    found = {name: state for scope in scopes(definition) for name, state in scope.states.items()}
    for name, state in found.items():
        unknown = state.keys() - _KNOWN[state["Type"]] - {"Type", "Comment"}
        assert not unknown, f"{name}: {unknown}"
        if state["Type"] == "Task":
            assert state["Parameters"].keys() == {"FunctionName", "Payload"}, name
        for entry in state.get("Retry", []):
            assert entry.keys() <= _RETRIER, name
            others = [error for error in entry["ErrorEquals"] if error.startswith("States.")]
            assert others in ([], ["States.ALL"]), f"{name}: {others}"
        for branch in state.get("Branches", []):
            assert branch.keys() == _SCOPE, name
        if state["Type"] == "Map":
            processor = state["ItemProcessor"]
            assert processor.keys() == _SCOPE | {"ProcessorConfig"}, name
            assert processor["ProcessorConfig"] == {"Mode": "INLINE"}, name
    return found


DEFINITION = load(Path(__file__).parents[2] / "statemachines" / "fulfil_booking.asl.yaml")
STATES = states_of(DEFINITION)
ENDED = ""  # the name of no state


class Retrier(NamedTuple):
    """``waits`` is what all its attempts are sure to wait, in seconds: jitter may take all."""

    index: int
    attempts: int
    waits: float


@functools.cache
def function(state: str) -> str:
    """The module of functions/ that a Task runs."""
    found = _FUNCTION.fullmatch(STATES[state]["Parameters"]["FunctionName"])
    assert found
    return re.sub(r"(?<!^)(?=[A-Z])", "_", found[1]).lower()


@functools.cache
def payload(state: str, data: str, execution: str, redrives: int) -> str:
    """What a Task hands to its function; ``data`` is the state's input. Both are JSON."""
    template = STATES[state]["Parameters"]["Payload"]
    return json.dumps(filled(template, json.loads(data), _context(execution, redrives)))


@functools.cache
def after(state: str, data: str, execution: str, result: str) -> tuple[str, str]:
    """The Task that follows, or ENDED, and its input."""
    fields, output = STATES[state], json.loads(data)
    selected = filled(
        fields["ResultSelector"], {"Payload": json.loads(result)}, _context(execution)
    )
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
        first = STATES[branch["StartAt"]]
        if first["Type"] == "Task":
            found["email"] = (branch["StartAt"], data)
            continue
        for item in looked_up(first["ItemsPath"], given, _context(execution)):
            context = _context(execution) | {"$$.Map.Item.Value": item}
            chosen = filled(first["ItemSelector"], given, context)
            start = first["ItemProcessor"]["StartAt"]
            found[f"seat {item}"] = (start, json.dumps(chosen, sort_keys=True))
    return found


def output(state: str, outputs: dict[str, str]) -> Any:
    """What a Parallel makes of its branches' outputs (by name, JSON)."""
    fields, results = STATES[state], []
    for branch in fields["Branches"]:
        first = STATES[branch["StartAt"]]
        if first["Type"] == "Task":
            results.append(json.loads(outputs["email"]))
        else:
            seats = [json.loads(text) for name, text in outputs.items() if name != "email"]
            results.append(filled(first["ResultSelector"], seats, {}))
    return looked_up(fields["OutputPath"], filled(fields["ResultSelector"], results, {}), {})


@functools.cache
def retrier(state: str, error: str) -> Retrier:
    for index, entry in enumerate(STATES[state]["Retry"]):
        if error in entry["ErrorEquals"] or "States.ALL" in entry["ErrorEquals"]:
            return Retrier(index, entry["MaxAttempts"], _sure_to_wait(entry))
    raise AssertionError(f"{state} has no retrier for {error}")


@contextmanager
def changed(change: Callable[[dict[str, State]], None]) -> Iterator[None]:
    """As if the file were another: ``change`` is given every state by its name."""
    definition = copy.deepcopy(DEFINITION)
    change(states_of(definition))
    known = (function, payload, after, branches, retrier)
    with patch.multiple(__name__, DEFINITION=definition, STATES=states_of(definition)):
        for remembered in known:
            remembered.cache_clear()
        yield
    for remembered in known:
        remembered.cache_clear()


def _sure_to_wait(entry: dict[str, Any]) -> float:
    if entry.get("JitterStrategy") == "FULL" or not entry["MaxAttempts"]:
        return 0
    assert entry["BackoffRate"] == 1, entry
    return float(entry["MaxAttempts"] * entry["IntervalSeconds"])


def _settled(state: str, data: str) -> tuple[str, str]:
    """Go on through what needs no function."""
    fields = STATES[state]
    if fields["Type"] == "Succeed":
        return ENDED, json.dumps(looked_up(fields["InputPath"], json.loads(data), {}))
    if fields["Type"] != "Choice":
        return state, data
    for choice in fields["Choices"]:
        assert choice.keys() == {"Variable", "StringEquals", "Next"}, choice
        if looked_up(choice["Variable"], json.loads(data), {}) == choice["StringEquals"]:
            return _settled(choice["Next"], data)
    return _settled(fields["Default"], data)


def _context(execution: str, redrives: int = 0) -> Context:
    return {"$$.Execution.Id": execution, "$$.Execution.RedriveCount": redrives}
