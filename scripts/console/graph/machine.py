"""The states of one scope in the order of a walk, and the ways that lead from one to the next."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from asl_walk import State, objects
from console.graph.condition import condition, short
from console.graph.mermaid_text import HALF_A_CHARACTER

TYPES = ("Task", "Pass", "Wait", "Choice", "Succeed", "Fail", "Map", "Parallel")
_LONGEST_QUOTE = 60


class CannotDraw(ValueError):
    """The definition has no graph. The message is one sentence for people."""


@dataclass(frozen=True)
class Way:
    """From a state to another of its scope, or to the scope's end if `to` is None."""

    to: str | None
    label: str = ""
    caught: bool = False


@dataclass(frozen=True)
class Machine:
    """A scope: its states, the ways out of each, and the order in which to draw them.

    The order is that of a walk from the start, each state's ways in turn; states that the walk does
    not reach come after it, by name. So the order of JSON keys has no part in it.
    """

    start: str
    states: dict[str, State]
    ways: dict[str, list[Way]]
    order: list[str]


def read(body: object, what: str) -> Machine:
    """Read a scope; CannotDraw, raised for a bad one, names it by `what`."""
    states = body.get("States") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(states, dict) or not states:
        raise CannotDraw(f"{what} has no States.")
    for name, state in states.items():
        _check(name, state)
    start = body.get("StartAt")
    if not isinstance(start, str):
        raise CannotDraw(f"{what} has no StartAt.")
    if start not in states:
        raise CannotDraw(f"{what} starts at {quoted(start)}, which is not one of its states.")
    ways = {name: list(_ways(name, state)) for name, state in states.items()}
    for name, out in ways.items():
        for way in out:
            if way.to is not None and way.to not in states:
                raise CannotDraw(
                    f"{quoted(name)} leads to {quoted(way.to)}, which is no state beside it."
                )
    return Machine(start, states, ways, _walk(ways, start))


def quoted(name: object) -> str:
    """A name in a sentence, shortened."""
    return f"“{short(HALF_A_CHARACTER.sub('�', str(name)), _LONGEST_QUOTE)}”"


def _check(name: object, state: object) -> None:
    if not isinstance(name, str) or HALF_A_CHARACTER.search(name):
        raise CannotDraw("The name of a state is no text.")
    if not isinstance(state, dict):
        raise CannotDraw(f"The state {quoted(name)} is not an object.")
    if state.get("Type") not in TYPES:
        raise CannotDraw(f"The state {quoted(name)} has none of the types {', '.join(TYPES)}.")


def _ways(name: str, state: State) -> Iterator[Way]:
    if state["Type"] == "Choice":
        yield from _choices(name, state)
    elif state["Type"] == "Succeed":
        yield Way(None)
    elif state["Type"] != "Fail":
        if "Next" not in state and state.get("End") is not True:
            raise CannotDraw(f"The state {quoted(name)} has neither Next nor End.")
        yield Way(_name(state["Next"], name) if "Next" in state else None)
    for catcher in objects(state.get("Catch")):
        yield Way(_name(catcher.get("Next"), name), _errors(catcher), caught=True)


def _choices(name: str, state: State) -> Iterator[Way]:
    for rule in objects(state.get("Choices")):
        yield Way(_name(rule.get("Next"), name), condition(rule))
    if "Default" in state:
        yield Way(_name(state["Default"], name), "otherwise")


def _name(value: object, source: str) -> str:
    if isinstance(value, str):
        return value
    raise CannotDraw(f"The state {quoted(source)} leads to something that is no name of a state.")


def _errors(catcher: dict[str, Any]) -> str:
    errors = catcher.get("ErrorEquals")
    names = [name for name in errors if isinstance(name, str)] if isinstance(errors, list) else []
    return short(", ".join(names))


def _walk(ways: dict[str, list[Way]], start: str) -> list[str]:
    order: dict[str, None] = {}
    for first in (start, *sorted(ways)):
        ahead = [first]
        while ahead:
            name = ahead.pop()
            if name not in order:
                order[name] = None
                ahead += [way.to for way in reversed(ways[name]) if way.to is not None]
    return list(order)
