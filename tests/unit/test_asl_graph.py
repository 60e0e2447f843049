"""Each rule of the graph check finds the mistake it is for, and nothing in a sound workflow."""

import copy
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checks.asl_graph import check, check_file

State = dict[str, Any]


def task(**fields: Any) -> State:
    state = {
        "Type": "Task",
        "Comment": "why",
        "Resource": "arn:aws:states:::lambda:invoke",
        "TimeoutSeconds": 10,
        "Retry": [{"ErrorEquals": ["States.ALL"]}],
        "End": True,
    }
    return {key: value for key, value in (state | fields).items() if value is not None}


def machine(start: str = "First", **states: State) -> State:
    return {"StartAt": start, "States": states}


def done(**fields: Any) -> State:
    return {"Type": "Succeed", "Comment": "why"} | fields


def choice(*rules: State, default: str | None = "Done") -> State:
    state = {"Type": "Choice", "Comment": "why", "Choices": list(rules)}
    return state if default is None else state | {"Default": default}


def parallel(*branches: State) -> State:
    return {"Type": "Parallel", "Comment": "why", "Branches": list(branches), "End": True}


def each(processor: State) -> State:
    return {"Type": "Map", "Comment": "why", "ItemProcessor": processor, "End": True}


IS_READY = {"Variable": "$.status", "StringEquals": "ready", "Next": "Done"}


def rules_found(definition: object, **options: Any) -> list[tuple[str, str]]:
    return [(finding.path, finding.rule) for finding in check(definition, **options)]


SOUND = {
    "one task": machine(First=task()),
    "a choice with a loop that can end": machine(
        First=choice(IS_READY, default="Again"),
        Again={"Type": "Wait", "Comment": "why", "Seconds": 1, "Next": "First"},
        Done=done(),
    ),
    "a Map in a Parallel in a Map": machine(
        First=each(
            machine(
                "Fork",
                Fork=parallel(machine("A", A=task()), machine("B", B=each(machine("C", C=task())))),
            )
        )
    ),
    "combined tests": machine(
        First=choice(
            {
                "And": [
                    {"Variable": "$.a", "IsPresent": True},
                    {"Not": {"Variable": "$.a", "NumericLessThanPath": "$.b"}},
                ],
                "Next": "Done",
            }
        ),
        Done=done(),
    ),
    "every other type": machine(
        First={"Type": "Pass", "Comment": "why", "Result": {}, "ResultPath": "$.r", "Next": "W"},
        W={"Type": "Wait", "Comment": "why", "TimestampPath": "$.at", "Next": "F"},
        F={"Type": "Fail", "Comment": "why", "Error": "No", "CausePath": "$.cause"},
    ),
    "JSONata": machine(
        First=choice({"Condition": "{% $states.input.ok %}", "Next": "Last"}, default="Last"),
        Last=task(Arguments={"a": 1}, Output="{% 1 %}", TimeoutSeconds="{% 5 %}"),
    )
    | {"QueryLanguage": "JSONata"},
    "a timeout out of the input": machine(
        First=task(TimeoutSeconds=None, TimeoutSecondsPath="$.timeout")
    ),
}


@pytest.mark.parametrize("definition", SOUND.values(), ids=SOUND.keys())
def test_a_sound_workflow_has_no_finding(definition: State) -> None:
    assert check(definition) == []


AT_FIRST = "States.First"
RETRY_0 = "States.First.Retry[0]"
BROKEN = {
    "no StartAt": ({"States": {"First": task()}}, ("", "start-at")),
    "an unknown StartAt": (machine("Elsewhere", First=task()), ("", "start-at")),
    "no States": ({"StartAt": "First"}, ("", "states")),
    "a state that is a string": (
        {"StartAt": "First", "States": {"First": task(), "Text": "Succeed"}},
        ("States.Text", "states"),
    ),
    "Next to nowhere": (
        machine(First=choice(IS_READY), Done=task(End=None, Next="Gone")),
        ("States.Done.Next", "dangling"),
    ),
    "Default to nowhere": (
        machine(First=choice(IS_READY, default="Gone"), Done=done()),
        ("States.First.Default", "dangling"),
    ),
    "a rule to nowhere": (
        machine(First=choice(IS_READY | {"Next": "Gone"}), Done=done()),
        ("States.First.Choices[0].Next", "dangling"),
    ),
    "an unreachable state": (machine(First=task(), Lost=done()), ("States.Lost", "unreachable")),
    "a pair that only reach each other": (
        machine(First=task(), Ping=task(End=None, Next="Pong"), Pong=task(End=None, Next="Ping")),
        ("States.Ping", "unreachable"),
    ),
    "a scope in which no path ends": (
        machine(First=task(End=None, Next="Second"), Second=task(End=None, Next="First")),
        ("", "no-end"),
    ),
    "a loop without a way out": (
        machine(
            First=choice(IS_READY, default="Loop"), Done=done(), Loop=task(End=None, Next="Loop")
        ),
        ("States.Loop", "no-end"),
    ),
    "a long name": (machine("x" * 81, **{"x" * 81: task()}), (f"States.{'x' * 81}", "name")),
    "no Comment": (machine(First=task(Comment=None)), (AT_FIRST, "comment")),
    "an empty Comment": (machine(First=task(Comment="  ")), (AT_FIRST, "comment")),
    "no TimeoutSeconds": (machine(First=task(TimeoutSeconds=None)), (AT_FIRST, "timeout")),
    "a timeout of zero": (machine(First=task(TimeoutSeconds=0)), (AT_FIRST, "timeout")),
    "a substituted timeout": (machine(First=task(TimeoutSeconds="${T}")), (AT_FIRST, "timeout")),
    "no Retry": (machine(First=task(Retry=None)), (AT_FIRST, "retry")),
    "an empty Retry": (machine(First=task(Retry=[])), (AT_FIRST, "retry")),
    "no Resource": (machine(First=task(Resource=None)), (AT_FIRST, "resource")),
    "States.ALL before another": (
        machine(First=task(Retry=[{"ErrorEquals": ["States.ALL"]}, {"ErrorEquals": ["Mine"]}])),
        (RETRY_0, "states-all"),
    ),
    "States.ALL with another": (
        machine(First=task(Retry=[{"ErrorEquals": ["Mine", "States.ALL"]}])),
        (RETRY_0, "states-all"),
    ),
    "an empty ErrorEquals": (
        machine(First=task(Retry=[{"ErrorEquals": []}])),
        (RETRY_0, "error-equals"),
    ),
    "no ErrorEquals": (machine(First=task(Retry=[{"MaxAttempts": 1}])), (RETRY_0, "error-equals")),
    "an error in two retriers": (
        machine(First=task(Retry=[{"ErrorEquals": ["Mine"]}, {"ErrorEquals": ["Mine"]}])),
        ("States.First.Retry[1]", "repeated-error"),
    ),
    "Next and End": (
        machine(First=task(Next="Done"), Done=done()),
        (AT_FIRST, "transition"),
    ),
    "a rule without Next": (
        machine(First=choice(IS_READY, {"Variable": "$.a", "IsNull": True}), Done=done()),
        ("States.First.Choices[1]", "transition"),
    ),
    "a choice without Default": (
        machine(First=choice(IS_READY, default=None), Done=done()),
        (AT_FIRST, "default"),
    ),
    "a choice without Choices": (machine(First=choice(), Done=done()), (AT_FIRST, "choices")),
    "two comparisons": (
        machine(First=choice(IS_READY | {"IsNull": False}), Done=done()),
        ("States.First.Choices[0]", "test"),
    ),
    "an unknown comparison": (
        machine(
            First=choice({"Variable": "$.a", "StringEqual": "x", "IsNull": True, "Next": "Done"}),
            Done=done(),
        ),
        ("States.First.Choices[0].StringEqual", "field"),
    ),
    "a comparison of nothing": (
        machine(First=choice({"And": [{"IsNull": True}], "Next": "Done"}), Done=done()),
        ("States.First.Choices[0].And[0]", "test"),
    ),
    "no Type": ({"StartAt": "First", "States": {"First": {"Comment": "why"}}}, (AT_FIRST, "type")),
    "an unknown field": (machine(First=task(Retries=[])), ("States.First.Retries", "field")),
    "a field of another type": (machine(First=task(Seconds=1)), ("States.First.Seconds", "field")),
    "a field of another language": (
        machine(First=task(Output=1)),
        ("States.First.Output", "field"),
    ),
    "an unknown field of the machine": (
        machine(First=task()) | {"Timeout": 1},
        ("Timeout", "field"),
    ),
    "an unknown field of a retrier": (
        machine(First=task(Retry=[{"ErrorEquals": ["States.ALL"], "Interval": 1}])),
        ("States.First.Retry[0].Interval", "field"),
    ),
    "a Map without processor": (
        machine(First={"Type": "Map", "Comment": "why", "End": True}),
        (AT_FIRST, "item-processor"),
    ),
    "an unknown field of a processor": (
        machine(First=each(machine("A", A=task()) | {"ProcessorConfig": {"Mod": "INLINE"}})),
        ("States.First.ItemProcessor.ProcessorConfig.Mod", "field"),
    ),
    "a Parallel without branches": (machine(First=parallel()), (AT_FIRST, "branches")),
    "a broken state far inside": (
        machine(First=each(machine("Fork", Fork=parallel(machine("A", A=task(Comment=None)))))),
        ("States.First.ItemProcessor.States.Fork.Branches[0].States.A", "comment"),
    ),
}


@pytest.mark.parametrize(("definition", "finding"), BROKEN.values(), ids=BROKEN.keys())
def test_a_mistake_is_the_one_thing_found(definition: State, finding: tuple[str, str]) -> None:
    others = {
        # The second of a pair is as lost as the first.
        ("States.Pong", "unreachable"),
        # Without its rule or target, what it alone led to is lost too.
        ("States.Done", "unreachable"),
    }
    found = rules_found(definition)
    assert finding in found
    assert set(found) - {finding} <= others


def test_neither_next_nor_end_is_found() -> None:
    assert rules_found(machine(First=task(End=None))) == [(AT_FIRST, "transition")]


def test_a_state_cannot_go_to_a_state_outside_its_scope() -> None:
    inner = machine("Inner", Inner=choice(IS_READY, default="End"), End=done())
    found = check(machine(First=each(inner) | {"End": None, "Next": "Done"}, Done=done()))
    at = "States.First.ItemProcessor.States.Inner.Choices[0].Next"
    assert [finding.sentence for finding in found if finding.path == at] == [
        "'Done' is not a state of this item processor"
    ]


def test_two_states_of_one_name_are_found_in_different_scopes() -> None:
    found = rules_found(
        machine(First=parallel(machine("Work", Work=task()), machine("Work", Work=task())))
    )
    assert found == [("States.First.Branches[1].States.Work", "duplicate-name")]


@pytest.mark.parametrize(
    "retrier",
    [
        {"IntervalSeconds": 0},
        {"IntervalSeconds": "${Interval}"},
        {"MaxAttempts": -1},
        {"MaxAttempts": 1.5},
        {"BackoffRate": 0.9},
        {"BackoffRate": True},
        {"IntervalSeconds": 60, "MaxDelaySeconds": 60},
        {"MaxDelaySeconds": 31_622_400},
        {"JitterStrategy": "HALF"},
    ],
    ids=str,
)
def test_a_retrier_outside_the_limits_of_aws_is_found(retrier: State) -> None:
    definition = machine(First=task(Retry=[{"ErrorEquals": ["States.ALL"]} | retrier]))
    assert rules_found(definition) == [(RETRY_0, "retrier")]


def test_any_catch_is_found_unless_it_is_allowed() -> None:
    definition = machine(
        First=task(Catch=[{"ErrorEquals": ["States.ALL"], "Next": "Done"}]), Done=done()
    )
    assert rules_found(definition) == [(AT_FIRST, "catch")]
    assert rules_found(definition, allow_catch=True) == []


def test_an_allowed_catch_still_needs_a_target_and_known_fields() -> None:
    definition = machine(First=task(Catch=[{"ErrorEquals": ["A"], "Nxt": "Done"}]), Done=done())
    assert rules_found(definition, allow_catch=True) == [
        ("States.Done", "unreachable"),
        ("States.First.Catch[0].Nxt", "field"),
        ("States.First.Catch[0]", "transition"),
    ]


def test_a_catch_makes_its_target_reachable_and_may_not_dangle() -> None:
    caught = [{"ErrorEquals": ["A"], "Next": "Done"}, {"ErrorEquals": ["B"], "Next": "Gone"}]
    definition = machine(First=task(Catch=caught), Done=done())
    assert rules_found(definition, allow_catch=True) == [("States.First.Catch[1].Next", "dangling")]


def test_every_substitution_is_given_and_every_given_one_used() -> None:
    definition = machine(First=task(Parameters={"Names": ["${Used}/${Missing}"], "Open": "${Used"}))
    assert [str(finding) for finding in check(definition, substitutions=["Used", "Spare"])] == [
        "States.First.Parameters.Names[0]: '${Missing}' is not substituted by the template [substitution]",  # noqa: E501
        "States.First.Parameters.Open: '${Used' is not substituted by the template [substitution]",
        "the machine: the template substitutes 'Spare', which nothing uses [substitution]",
    ]


def test_a_typo_is_answered_with_the_field_that_was_meant() -> None:
    (finding,) = check(machine(First=task(Retrys=[])))
    assert finding.sentence == "a Task state in JSONPath has no field 'Retrys'; did you mean Retry?"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def test_a_key_given_twice_is_found_in_yaml(tmp_path: Path) -> None:
    path = write(
        tmp_path, "a.asl.yaml", "StartAt: A\nStates:\n  A:\n    Type: Pass\n    Type: Fail\n"
    )
    assert [(finding.rule, finding.sentence) for finding in check_file(path)] == [
        ("duplicate-key", "line 5: key 'Type' given twice")
    ]


def test_a_key_given_twice_is_found_in_json(tmp_path: Path) -> None:
    path = write(tmp_path, "a.asl.json", '{"StartAt": "A", "StartAt": "B"}')
    assert [finding.rule for finding in check_file(path)] == ["duplicate-key"]


@pytest.mark.parametrize(
    ("name", "text"), [("a.asl.yaml", "States: [\n"), ("a.asl.json", '{"States": }')]
)
def test_a_file_that_is_no_yaml_or_json_is_a_finding(tmp_path: Path, name: str, text: str) -> None:
    assert [finding.rule for finding in check_file(write(tmp_path, name, text))] == ["syntax"]


def test_json_and_yaml_of_one_workflow_are_found_alike(tmp_path: Path) -> None:
    definition = machine(First=task(Comment=None), Lost=done())
    path = write(tmp_path, "a.asl.json", json.dumps(definition))
    assert check_file(path) == check(definition) != []


@pytest.mark.parametrize("wrong", [None, 7, "text", [], [7], {}, {"A": 7}, True])
def test_no_value_in_any_place_makes_the_check_fall_over(wrong: object) -> None:
    """Whatever stands where something else belongs, the answer is a finding, not a traceback."""
    sound = list(SOUND.values())
    for definition in sound:
        for path in list(_paths(definition)):
            assert isinstance(check(_replaced(definition, path, wrong), allow_catch=True), list)


def _paths(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _paths(value[key], (*path, key))


def _replaced(definition: Any, path: tuple[Any, ...], wrong: object) -> Any:
    if not path:
        return wrong
    copied = copy.deepcopy(definition)
    place = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = wrong
    return copied
