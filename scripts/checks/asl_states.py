"""What is wrong with one state of a workflow, whatever stands around it."""

import difflib
from collections.abc import Iterator

from asl_walk import Finding, State, join, objects
from checks import asl_fields

GOES_ON = {"Map", "Parallel", "Pass", "Task", "Wait"}


def check_state(
    path: str, state: State, language: str, *, allow_catch: bool = False
) -> Iterator[Finding]:
    """Every finding about a state's own fields."""
    state_type = state.get("Type")
    if not _has_text(state.get("Comment")):
        yield Finding(path, "comment", "there is no Comment that says why the state is there")
    if not isinstance(state_type, str) or state_type not in asl_fields.STATE_TYPES:
        yield Finding(path, "type", f"Type is {state_type!r}, which is no type of state")
        return
    known = asl_fields.of_state(state_type, language)
    yield from unknown_fields(path, state, known, f"a {state_type} state in {language}")
    if state_type in GOES_ON:
        yield from _onward(path, state)
    if state_type == "Task":
        yield from _task(path, state)
    if state_type == "Choice":
        yield from _choice(path, state, language)
    if state_type in {"Map", "Parallel"}:
        yield from _inner(path, state)
    yield from _errors(path, state, language, allow_catch=allow_catch)


def unknown_fields(path: str, body: State, known: set[str], what: str) -> Iterator[Finding]:
    """A finding for each field that does not belong there, with the nearest that does."""
    for field in body:
        if field not in known:
            near = difflib.get_close_matches(str(field), sorted(known), n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            yield Finding(join(path, str(field)), "field", f"{what} has no field {field!r}{hint}")


def _onward(path: str, state: State) -> Iterator[Finding]:
    if "End" in state and not isinstance(state["End"], bool):
        yield Finding(path, "transition", "End is not a boolean")
    if "Next" in state and state.get("End"):
        yield Finding(path, "transition", "Next and End are both there")
    if "Next" not in state and not state.get("End"):
        yield Finding(path, "transition", "neither Next nor End is there")


def _task(path: str, state: State) -> Iterator[Finding]:
    if not _has_text(state.get("Resource")):
        yield Finding(path, "resource", "there is no Resource")
    if not {"TimeoutSeconds", "TimeoutSecondsPath"} & state.keys():
        yield Finding(
            path, "timeout", "there is no TimeoutSeconds: a stuck task would hold the execution"
        )
    if "TimeoutSeconds" in state and not _is_seconds(state["TimeoutSeconds"]):
        yield Finding(path, "timeout", "TimeoutSeconds is not an integer above zero")
    if not objects(state.get("Retry")):
        yield Finding(path, "retry", "there is no Retry: one lost call would fail the execution")


def _is_seconds(value: object) -> bool:
    """JSONata is computed at run time. A `${…}` would stay in its quotes, so it is no number."""
    if isinstance(value, str):
        return value.startswith("{%") and value.endswith("%}")
    return _is_whole(value, 1, 99_999_999)


def _inner(path: str, state: State) -> Iterator[Finding]:
    if state["Type"] == "Parallel":
        if not objects(state.get("Branches")):
            yield Finding(path, "branches", "there are no Branches")
        return
    processor = state.get("ItemProcessor", state.get("Iterator"))
    if not isinstance(processor, dict):
        yield Finding(path, "item-processor", "there is no ItemProcessor")
        return
    for config in objects([processor.get("ProcessorConfig")]):
        at = join(path, "ItemProcessor.ProcessorConfig")
        yield from unknown_fields(at, config, asl_fields.PROCESSOR_CONFIG, "a ProcessorConfig")


def _choice(path: str, state: State, language: str) -> Iterator[Finding]:
    if "Default" not in state:
        yield Finding(
            path, "default", "there is no Default: an input that no rule takes would fail"
        )
    rules = objects(state.get("Choices"))
    if not rules:
        yield Finding(path, "choices", "there are no Choices")
    for index, rule in enumerate(rules):
        at = join(path, f"Choices[{index}]")
        if "Next" not in rule:
            yield Finding(at, "transition", "the rule has no Next")
        known = asl_fields.of_choice_rule(language)
        yield from unknown_fields(at, rule, known, f"a rule in {language}")
        if language == "JSONata":
            if "Condition" not in rule:
                yield Finding(at, "test", "the rule has no Condition")
        else:
            yield from _test(at, rule)


def _test(path: str, test: State) -> Iterator[Finding]:
    """A test compares one Variable in one way, or combines other tests."""
    ways = test.keys() & (asl_fields.COMPARISONS | asl_fields.COMBINATIONS)
    if len(ways) != 1:
        yield Finding(path, "test", f"{len(ways)} comparisons are there instead of one")
    if ways & asl_fields.COMPARISONS and "Variable" not in test:
        yield Finding(path, "test", "a comparison has no Variable")
    for way in sorted(ways & asl_fields.COMBINATIONS):
        nested = [test[way]] if way == "Not" else test[way]
        if not objects(nested):
            yield Finding(join(path, way), "test", "no test is combined")
        for index, inner in enumerate(objects(nested)):
            at = join(path, way if way == "Not" else f"{way}[{index}]")
            yield from unknown_fields(at, inner, asl_fields.TEST, "a combined test")
            yield from _test(at, inner)


def _errors(path: str, state: State, language: str, *, allow_catch: bool) -> Iterator[Finding]:
    if "Catch" in state and not allow_catch:
        yield Finding(path, "catch", "there is a Catch: it can hide a failure, and defeats redrive")
    for field in ("Retry", "Catch"):
        entries = objects(state.get(field))
        yield from _error_names(join(path, field), entries)
        for index, entry in enumerate(entries):
            at = join(path, f"{field}[{index}]")
            known = asl_fields.RETRIER if field == "Retry" else asl_fields.of_catcher(language)
            yield from unknown_fields(at, entry, known, f"an entry of {field}")
            if field == "Catch" and "Next" not in entry:
                yield Finding(at, "transition", "there is no Next")
            if field == "Retry":
                yield from _retrier(at, entry)


def _error_names(path: str, entries: list[State]) -> Iterator[Finding]:
    """The first entry that names an error takes it, and States.ALL takes all that are left.

    https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
    """
    named: set[str] = set()
    for index, entry in enumerate(entries):
        at, names = f"{path}[{index}]", entry.get("ErrorEquals")
        if not isinstance(names, list) or not names or not all(_has_text(name) for name in names):
            yield Finding(at, "error-equals", "ErrorEquals is not a list of one error name or more")
            continue
        if "States.ALL" in names and len(names) > 1:
            yield Finding(at, "states-all", "States.ALL is not alone in its ErrorEquals")
        if "States.ALL" in names and index < len(entries) - 1:
            yield Finding(at, "states-all", "States.ALL is not last: what follows is never used")
        for name in names:
            if name in named:
                yield Finding(at, "repeated-error", f"an entry before this one takes {name!r}")
            named.add(name)


def _retrier(path: str, retrier: State) -> Iterator[Finding]:
    """The limits of https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html"""
    interval = retrier.get("IntervalSeconds", 1)
    attempts = retrier.get("MaxAttempts", 3)
    rate = retrier.get("BackoffRate", 2)
    delay = retrier.get("MaxDelaySeconds", 31_622_399)
    if not _is_whole(interval, 1, 99_999_999):
        yield Finding(path, "retrier", "IntervalSeconds is not an integer from 1 to 99999999")
        return
    if not _is_whole(attempts, 0, 99_999_999):
        yield Finding(path, "retrier", "MaxAttempts is not an integer from 0 to 99999999")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or rate < 1:
        yield Finding(path, "retrier", "BackoffRate is not a number from 1")
    if not _is_whole(delay, interval + 1, 31_622_399):
        yield Finding(
            path,
            "retrier",
            "MaxDelaySeconds is not an integer above IntervalSeconds and below 31622400",
        )
    if retrier.get("JitterStrategy", "NONE") not in ("FULL", "NONE"):
        yield Finding(path, "retrier", "JitterStrategy is neither FULL nor NONE")


def _is_whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _has_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
