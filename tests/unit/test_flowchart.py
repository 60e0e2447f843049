"""A definition gives one drawing whatever the order of its keys, or a sentence; never a crash."""

import copy
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asl_walk import scopes
from console.graph.condition import condition
from console.graph.flowchart import MOST_STATES, CannotDraw, flowchart
from strict_yaml import load

ROOT = Path(__file__).parents[2]
DEFINITIONS = [
    ROOT / "statemachines" / "fulfil_booking.asl.yaml",
    *sorted((ROOT / "tests" / "console" / "definitions").glob("*.asl.json")),
]
each_definition = pytest.mark.parametrize("path", DEFINITIONS, ids=lambda path: path.name)


TYPES = "Task, Pass, Wait, Choice, Succeed, Fail, Map, Parallel"


def one(name: str = "A", **fields: Any) -> dict[str, Any]:
    return {"StartAt": name, "States": {name: {"Type": "Task", "End": True} | fields}}


def shuffled(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict):
        items = [(key, shuffled(item, chance)) for key, item in value.items()]
        chance.shuffle(items)
        return dict(items)
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


def edges(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.search(r"\s(-->|-\.->|~~~)", line)]


def test_there_are_at_least_twenty_definitions() -> None:
    assert len(DEFINITIONS) > 20


@each_definition
def test_shuffled_keys_give_the_same_drawing(path: Path) -> None:
    definition = load(path)
    expected = flowchart(definition)
    for seed in range(5):
        other = flowchart(shuffled(copy.deepcopy(definition), random.Random(seed)))
        assert other.text == expected.text
        assert list(other.nodes.items()) == list(expected.nodes.items())


@each_definition
def test_every_state_is_exactly_one_node(path: Path) -> None:
    definition = load(path)
    drawn = flowchart(definition)
    names = [name for scope in scopes(definition) for name in scope.states]
    assert sorted(node.name for node in drawn.nodes.values()) == sorted(names)
    for node in drawn.nodes:
        assert len(re.findall(rf"^{node}[\[({{]", drawn.text, re.MULTILINE)) == 1


@each_definition
def test_edges_join_nodes_and_never_frames(path: Path) -> None:
    text = flowchart(load(path)).text
    for edge in edges(text):
        source, target = edge.split()[0], edge.split()[-1]
        for end in (source, target):
            assert re.fullmatch(r"s\d+|join_s\d+|start|finish", end), edge


@each_definition
def test_nothing_of_a_name_is_syntax(path: Path) -> None:
    for line in flowchart(load(path)).text.splitlines():
        for label in re.findall(r'"([^"]*)"', line):
            assert re.fullmatch(r"[A-Za-z0-9 \ue000-\ue0ff\u0100-\U0010ffff]*", plain(label)), line
        assert line.count('"') in (0, 2)


def plain(label: str) -> str:
    return label.replace("<br/>", "")


def test_our_definition_is_drawn_with_its_branches_side_by_side() -> None:
    drawn = flowchart(load(DEFINITIONS[0]))
    ids = {node.name: node_id for node_id, node in drawn.nodes.items()}
    drawn_edges = edges(drawn.text)
    for branch in ("IssueTickets", "SendEmail"):
        assert f"{ids['FulfilBooking']} --> {ids[branch]}" in drawn_edges
        # both lead to the Parallel's join
    join = f"join_{ids['FulfilBooking']}"
    assert f"join_{ids['IssueTickets']} --> {join}" in drawn_edges
    assert f"{ids['RecordEmailJob']} --> {join}" in drawn_edges
    assert f"{join} --> finish" in drawn_edges
    assert drawn.text.count("subgraph ") == 2


def test_a_catch_leaves_a_container_from_its_header_dotted() -> None:
    processor = one("Inside")
    body = {"Type": "Map", "ItemProcessor": processor, "Next": "Done"}
    body["Catch"] = [{"ErrorEquals": ["Late"], "Next": "Mend"}]
    states = {"Each": body, "Done": {"Type": "Succeed"}, "Mend": {"Type": "Fail"}}
    drawn = flowchart({"StartAt": "Each", "States": states})
    ids = {node.name: node_id for node_id, node in drawn.nodes.items()}
    assert f'{ids["Each"]} -.->|"Late"| {ids["Mend"]}' in edges(drawn.text)
    assert f"join_{ids['Each']} --> {ids['Done']}" in edges(drawn.text)


def nested(depth: int) -> dict[str, Any]:
    body = one("Core")
    for level in range(depth):
        body = one(f"L{level}", Type="Map", ItemProcessor=body)
    return body


def cyclic() -> dict[str, Any]:
    machine = one("Round", Type="Map")
    machine["States"]["Round"]["ItemProcessor"] = machine
    return machine


def chain(length: int) -> dict[str, Any]:
    states = {f"S{i}": {"Type": "Pass", "Next": f"S{(i + 1) % length}"} for i in range(length)}
    return {"StartAt": "S0", "States": states}


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        ({}, "The definition has no States."),
        (None, "The definition has no States."),
        ({"StartAt": "A", "States": []}, "The definition has no States."),
        ({"States": {"A": {"Type": "Succeed"}}}, "The definition has no StartAt."),
        (one() | {"StartAt": "B"}, "The definition starts at “B”, which is not one of its states."),
        (one(Next="B"), "“A” leads to “B”, which is no state beside it."),
        (one(Next=3), "The state “A” leads to something that is no name of a state."),
        (one(End=False), "The state “A” has neither Next nor End."),
        (
            one(Type="Tsk"),
            f"The state “A” has none of the types {TYPES}.",
        ),
        ({"StartAt": "A", "States": {"A": 3}}, "The state “A” is not an object."),
        (one("\ud800"), "The name of a state is no text."),
        (one(Type="Parallel", Branches=[]), "The Parallel “A” has no branches."),
        (one(Type="Map"), "The item processor of “A” has no States."),
        (one(Type="Parallel", Branches=[one("B"), 7]), "Branch 2 of “A” has no States."),
        (one(Type="Parallel", Branches=[one("A")]), "Two states are named “A”."),
        (nested(11), "The states are nested more than 10 deep."),
        (cyclic(), "Two states are named “Round”."),
        (chain(MOST_STATES + 1), "The definition has more than 300 states."),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(definition: Any, sentence: str) -> None:
    with pytest.raises(CannotDraw) as refusal:
        flowchart(definition)
    assert str(refusal.value) == sentence


def test_the_largest_that_is_drawn() -> None:
    assert len(flowchart(chain(MOST_STATES)).nodes) == MOST_STATES
    assert len(flowchart(nested(10)).nodes) == 11


def test_a_huge_name_is_cut_in_the_drawing_and_whole_beside_it() -> None:
    drawn = flowchart(one("word " * 100_000))
    assert len(drawn.text) < 1000
    assert drawn.nodes["s0"].name == "word " * 100_000


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"Variable": "$.n", "NumericGreaterThanEquals": 3}, "n ≥ 3"),
        ({"Variable": "$.s", "StringEquals": "done"}, "s = done"),
        ({"Variable": "$.s", "StringEqualsPath": "$.t"}, "s = $.t"),
        ({"Variable": "$.x", "IsPresent": False}, "x is missing"),
        ({"Variable": "$.x", "BooleanEquals": True}, "x = true"),
        ({"Not": {"Variable": "$.x", "IsNull": True}}, "not (x is null)"),
        (
            {"And": [{"Variable": "$.a", "NumericEquals": 1}, {"Variable": "$.b", "IsNull": True}]},
            "a = 1 and b is null",
        ),
        ({"Condition": "{% $x > 1 %}"}, "$x > 1"),
        ({"Variable": "$.x", "StringEquals": "y" * 50}, "x = " + "y" * 25 + "…"),
        ({}, "…"),
    ],
)
def test_a_condition_reads_in_a_few_words(rule: dict[str, Any], words: str) -> None:
    assert condition(rule) == words


KEYS = ["StartAt", "States", "Type", "Next", "End", "Choices", "Default", "Catch", "Branches"]
KEYS += ["ItemProcessor", "ErrorEquals", "And", "Not", "Variable", "Condition", "NumericEquals"]
WORDS = ["Task", "Map", "Parallel", "Choice", "A", "B", "", "States"]
keys = st.sampled_from(KEYS + WORDS) | st.text(max_size=5)
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(st.characters(), max_size=6)
)
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5)
)
names = st.sampled_from(["A", "B", "C"])
states = st.fixed_dictionaries(
    {"Type": st.sampled_from(["Task", "Map", "Parallel", "Choice", "Succeed"])},
    optional={
        "Next": names,
        "End": st.just(True) | anything,
        "Choices": anything | st.lists(st.fixed_dictionaries({"Next": names}), max_size=3),
        "Catch": anything,
        "Default": names | anything,
        "Branches": anything,
        "ItemProcessor": anything | st.just(one("Z")),
    },
)
nearly = st.fixed_dictionaries(
    {"StartAt": names, "States": st.dictionaries(names, states | anything, max_size=3)}
)


@settings(max_examples=300, deadline=None)
@given(anything | nearly)
def test_any_value_is_drawn_or_refused(value: Any) -> None:
    try:
        told = flowchart(value).text.splitlines()[0]
    except CannotDraw as refusal:
        told = str(refusal)
    assert told == "flowchart TD" or told.endswith(".")


def test_a_number_too_long_for_python_to_print_is_no_crash() -> None:
    assert condition({"Variable": "$.x", "NumericEquals": 10**5000}) == "x = …"
