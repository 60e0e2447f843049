"""A workflow definition as scopes: the states that can name each other in Next.

The machine is one scope; each branch of a Parallel and the processor of a Map are scopes inside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

State = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: where (a path of keys), which rule, and what, in a sentence."""

    path: str
    rule: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.path or 'the machine'}: {self.sentence} [{self.rule}]"


@dataclass(frozen=True)
class Scope:
    """States that can reach each other. `kind` is "machine", "branch" or "item processor"."""

    path: str
    kind: str
    body: dict[str, Any]
    language: str

    @property
    def states(self) -> dict[str, State]:
        """Those of its states that are objects; the others are a finding of their own."""
        states = self.body.get("States")
        if not isinstance(states, dict):
            return {}
        return {name: state for name, state in states.items() if isinstance(state, dict)}

    def has(self, name: object) -> bool:
        """Whether a state of this scope has that name."""
        return isinstance(name, str) and name in self.states

    def path_of(self, name: str) -> str:
        """Where a state of this scope stands."""
        return join(self.path, f"States.{name}")

    def language_of(self, state: State) -> str:
        """The state's query language, else the scope's."""
        return str(state.get("QueryLanguage", self.language))


def join(path: str, step: str) -> str:
    """One path out of two."""
    return f"{path}.{step}" if path else step


def scopes(definition: dict[str, Any]) -> Iterator[Scope]:
    """Every scope, outer before inner, in the order of the file."""
    language = str(definition.get("QueryLanguage", "JSONPath"))
    yield from _within(Scope("", "machine", definition, language))


def _within(scope: Scope) -> Iterator[Scope]:
    yield scope
    for name, state in scope.states.items():
        at, language = scope.path_of(name), scope.language_of(state)
        for index, branch in enumerate(objects(state.get("Branches"))):
            yield from _within(Scope(join(at, f"Branches[{index}]"), "branch", branch, language))
        for key in ("ItemProcessor", "Iterator"):
            if isinstance(state.get(key), dict):
                yield from _within(Scope(join(at, key), "item processor", state[key], language))


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list, or none if it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def targets(state: State) -> Iterator[tuple[str, object]]:
    """Every (field, state name) to which a state can go; the field as a path from the state."""
    for field in ("Next", "Default"):
        if field in state:
            yield field, state[field]
    for field in ("Choices", "Catch"):
        for index, entry in enumerate(objects(state.get(field))):
            if "Next" in entry:
                yield f"{field}[{index}].Next", entry["Next"]


def strings(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every (path, string) in a document."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from strings(item, join(path, str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from strings(item, f"{path}[{index}]")


def tasks(definition: dict[str, Any]) -> Iterator[tuple[str, State]]:
    """Every Task by its name, however deep."""
    for scope in scopes(definition):
        for name, state in scope.states.items():
            if state.get("Type") == "Task":
                yield name, state
