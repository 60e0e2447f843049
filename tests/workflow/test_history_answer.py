"""The quick answer of GetExecutionHistory is the one that moto's serializer would write."""

import json

import pytest
from moto.core.responses import ActionResult
from moto.core.serialize import JSONSerializer
from moto.core.utils import get_service_model

from local_stack.redrive.history_answer import HistoryAnswer


class Context:
    serializer_class = JSONSerializer
    operation_model = get_service_model("stepfunctions").operation_model("GetExecutionHistory")
    response = None


def event(type_, **details):
    return {
        "id": 7,
        "previousEventId": 6,
        "timestamp": "2026-11-30T18:00:00.042Z",
        "type": type_,
        **details,
    }


@pytest.mark.parametrize(
    "events",
    [
        [],
        [event("TaskStateAborted")],
        [event("MapStateStarted", mapStateStartedEventDetails={"length": 0})],
        [event("ExecutionFailed", executionFailedEventDetails={"error": "E", "cause": None})],
        [
            event(
                "TaskStateEntered",
                stateEnteredEventDetails={
                    "name": "Šečtení",
                    "input": '{"a": null}',
                    "inputDetails": {"truncated": False},
                },
            ),
            event("TaskScheduled", taskScheduledEventDetails={"timeoutInSeconds": 25}),
        ],
    ],
)
def test_an_answer_says_what_motos_would(events):
    answer = {"events": events, "nextToken": "more"}
    status, headers, body = HistoryAnswer(answer).execute_result(Context)
    moto_status, moto_headers, moto_body = ActionResult(answer).execute_result(Context)
    assert (status, headers) == (moto_status, moto_headers)
    assert json.loads(body) == json.loads(moto_body)
