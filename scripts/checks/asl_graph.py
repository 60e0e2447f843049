"""What is wrong with a workflow's graph: what Step Functions and cfn-lint let pass, too.

    for finding in check_file(path): print(finding)

Rules that no single state breaks (transitions, reachability, names, substitutions) are here; those
of one state are in asl_states.
"""

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import yaml

from asl_walk import Finding, Scope, join, scopes, strings, targets
from checks import asl_fields
from checks.asl_states import check_state, unknown_fields
from strict_yaml import DuplicateKey, load

TERMINAL = ("Fail", "Succeed")
SUBSTITUTION = re.compile(r"\$\{([^}]*)(\}?)")


def check_file(
    path: Path, substitutions: Collection[str] | None = None, *, allow_catch: bool = False
) -> list[Finding]:
    """Check a definition in a YAML or JSON file; see `check`. OSError if it cannot be read."""
    try:
        definition = load(path)
    except DuplicateKey as error:
        return [Finding(path.name, "duplicate-key", str(error))]
    except (yaml.YAMLError, json.JSONDecodeError, UnicodeDecodeError) as error:
        return [Finding(path.name, "syntax", " ".join(str(error).split()))]
    return check(definition, substitutions, allow_catch=allow_catch)


def check(
    definition: object, substitutions: Collection[str] | None = None, *, allow_catch: bool = False
) -> list[Finding]:
    """Everything that is wrong with a definition, in the order of the file; empty if nothing is.

    `substitutions` are the names that the template substitutes, if that is to be checked.
    `allow_catch` permits Catch, which a booking does without: it can hide a failure.
    """
    if not isinstance(definition, dict):
        return [Finding("", "definition", "the definition is not an object")]
    found: list[Finding] = []
    for scope in scopes(definition):
        found += _scope_fields(scope)
        found += _transitions(scope)
        found += _paths(scope)
        for name, state in scope.states.items():
            language = scope.language_of(state)
            found += check_state(scope.path_of(name), state, language, allow_catch=allow_catch)
    found += _names(definition)
    if substitutions is not None:
        found += _substitutions(definition, substitutions)
    return found


def _scope_fields(scope: Scope) -> Iterator[Finding]:
    known = {
        "machine": asl_fields.MACHINE,
        "branch": asl_fields.BRANCH,
        "item processor": asl_fields.ITEM_PROCESSOR,
    }[scope.kind]
    yield from unknown_fields(scope.path, scope.body, known, f"a {scope.kind}")
    states = scope.body.get("States")
    if not isinstance(states, dict) or not states:
        yield Finding(scope.path, "states", "States is missing, empty or not an object")
        return
    for name in states:
        if name not in scope.states:
            yield Finding(scope.path_of(name), "states", "the state is not an object")
    start = scope.body.get("StartAt")
    if start is None:
        yield Finding(scope.path, "start-at", "StartAt is missing")
    elif not scope.has(start):
        yield Finding(scope.path, "start-at", f"StartAt names {start!r}, which is not a state here")


def _transitions(scope: Scope) -> Iterator[Finding]:
    for name, state in scope.states.items():
        for field, target in targets(state):
            if not scope.has(target):
                yield Finding(
                    join(scope.path_of(name), field),
                    "dangling",
                    f"{target!r} is not a state of this {scope.kind}",
                )


def _paths(scope: Scope) -> Iterator[Finding]:
    """Every state is reached from StartAt, and from every one of those a path ends."""
    start = scope.body.get("StartAt")
    if not isinstance(start, str) or not scope.has(start):
        return
    onward = {
        name: {str(target) for _, target in targets(state) if scope.has(target)}
        for name, state in scope.states.items()
    }
    reached = _closure({start}, onward)
    for name in onward:
        if name not in reached:
            yield Finding(scope.path_of(name), "unreachable", "no path from StartAt leads here")

    backward = {name: {other for other in onward if name in onward[other]} for name in onward}
    ends = {name for name, state in scope.states.items() if _may_end(scope, state)}
    ending = _closure(ends, backward)
    if start not in ending:
        yield Finding(scope.path, "no-end", f"no path through this {scope.kind} ends")
        return
    for name in onward:
        if name in reached - ending:
            yield Finding(scope.path_of(name), "no-end", "no path through this state ends")


def _may_end(scope: Scope, state: dict[str, Any]) -> bool:
    """Also where a target is missing or dangling: that has a finding of its own already."""
    if state.get("Type") in TERMINAL or state.get("End") is True:
        return True
    return not all(scope.has(target) for _, target in targets(state)) or not any(targets(state))


def _closure(start: set[str], edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += edges[name]
    return seen


def _names(definition: dict[str, Any]) -> Iterator[Finding]:
    """A state's name is unique in the whole machine, at most 80 characters.

    https://docs.aws.amazon.com/step-functions/latest/dg/statemachine-structure.html
    """
    first: dict[str, str] = {}
    for scope in scopes(definition):
        for name in scope.states:
            path = scope.path_of(name)
            if name in first:
                yield Finding(path, "duplicate-name", f"{first[name]} has the same name")
            first.setdefault(name, path)
            if len(name) > 80:
                yield Finding(path, "name", f"the name has {len(name)} characters, 80 are allowed")


def _substitutions(definition: object, given: Collection[str]) -> Iterator[Finding]:
    used = set()
    for path, text in strings(definition):
        for match in SUBSTITUTION.finditer(text):
            name, closed = match.groups()
            used.add(name)
            if not closed or name not in given:
                yield Finding(
                    path, "substitution", f"{match[0]!r} is not substituted by the template"
                )
    for name in sorted(set(given) - used):
        yield Finding("", "substitution", f"the template substitutes {name!r}, which nothing uses")
