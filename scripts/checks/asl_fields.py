"""Which fields the Amazon States Language knows, in which place and query language.

After https://docs.aws.amazon.com/step-functions/latest/dg/statemachine-structure.html and the pages
of the state types below it.
"""

_ANY = {"Comment", "QueryLanguage", "Type"}
_ONWARD = {"Assign", "End", "Next"}
_INPUT_OUTPUT = {"InputPath", "OutputPath"}
_RESULT = {"Parameters", "ResultPath", "ResultSelector"}
_ERRORS = {"Catch", "Retry"}
_SCOPE = {"Comment", "QueryLanguage", "StartAt", "States"}

# Per type: the fields of both query languages, those of JSONPath alone, those of JSONata alone.
_STATES: dict[str, tuple[set[str], set[str], set[str]]] = {
    "Task": (
        _ONWARD | _ERRORS | {"Credentials", "HeartbeatSeconds", "Resource", "TimeoutSeconds"},
        _INPUT_OUTPUT | _RESULT | {"HeartbeatSecondsPath", "TimeoutSecondsPath"},
        {"Arguments", "Output"},
    ),
    "Parallel": (
        _ONWARD | _ERRORS | {"Branches"},
        _INPUT_OUTPUT | _RESULT,
        {"Arguments", "Output"},
    ),
    "Map": (
        _ONWARD
        | _ERRORS
        | {"ItemBatcher", "ItemProcessor", "ItemReader", "ItemSelector", "Iterator", "Label"}
        | {"MaxConcurrency", "ResultWriter"}
        | {"ToleratedFailureCount", "ToleratedFailurePercentage"},
        _INPUT_OUTPUT
        | _RESULT
        | {"ItemsPath", "MaxConcurrencyPath"}
        | {"ToleratedFailureCountPath", "ToleratedFailurePercentagePath"},
        {"Items", "Output"},
    ),
    "Pass": (_ONWARD, _INPUT_OUTPUT | {"Parameters", "Result", "ResultPath"}, {"Output"}),
    "Wait": (
        _ONWARD | {"Seconds", "Timestamp"},
        _INPUT_OUTPUT | {"SecondsPath", "TimestampPath"},
        {"Output"},
    ),
    "Choice": ({"Assign", "Choices", "Default"}, _INPUT_OUTPUT, {"Output"}),
    "Succeed": (set(), _INPUT_OUTPUT, {"Output"}),
    "Fail": ({"Cause", "Error"}, {"CausePath", "ErrorPath"}, set()),
}

_COMPARABLE = {
    "Numeric": ("Equals", "GreaterThan", "GreaterThanEquals", "LessThan", "LessThanEquals"),
    "String": ("Equals", "GreaterThan", "GreaterThanEquals", "LessThan", "LessThanEquals"),
    "Timestamp": ("Equals", "GreaterThan", "GreaterThanEquals", "LessThan", "LessThanEquals"),
    "Boolean": ("Equals",),
}
COMPARISONS = {
    f"{kind}{operator}{source}"
    for kind, operators in _COMPARABLE.items()
    for operator in operators
    for source in ("", "Path")
} | {"StringMatches", "IsBoolean", "IsNull", "IsNumeric", "IsPresent", "IsString", "IsTimestamp"}
COMBINATIONS = {"And", "Not", "Or"}
TEST = {"Comment", "Variable"} | COMPARISONS | COMBINATIONS

STATE_TYPES = frozenset(_STATES)
MACHINE = _SCOPE | {"TimeoutSeconds", "Version"}
BRANCH = _SCOPE
ITEM_PROCESSOR = _SCOPE | {"ProcessorConfig"}
PROCESSOR_CONFIG = {"ExecutionType", "Mode"}
RETRIER = {
    "BackoffRate",
    "Comment",
    "ErrorEquals",
    "IntervalSeconds",
    "JitterStrategy",
    "MaxAttempts",
    "MaxDelaySeconds",
}


def of_state(state_type: str, language: str) -> set[str]:
    """The fields that a state of this type may have. Unknown types have none."""
    if state_type not in _STATES:
        return set()
    both, json_path, jsonata = _STATES[state_type]
    return _ANY | both | (jsonata if language == "JSONata" else json_path)


def of_catcher(language: str) -> set[str]:
    """The fields of an entry of Catch."""
    own = {"Output"} if language == "JSONata" else {"ResultPath"}
    return {"Assign", "Comment", "ErrorEquals", "Next"} | own


def of_choice_rule(language: str) -> set[str]:
    """The fields of an entry of Choices, at its top."""
    own = {"Condition", "Output"} if language == "JSONata" else TEST
    return {"Assign", "Comment", "Next"} | own
