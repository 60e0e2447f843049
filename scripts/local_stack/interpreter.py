"""moto's Step Functions interpreter, adjusted.

- A Task calls the Lambda service in this process instead of moto's stub that always succeeds.
- Retry intervals are multiplied by the time scale.
- A definition is parsed once, not once an execution, and a JSONPath once, not at every use.
- A finished execution keeps its history and lets go of its threads and frames: moto keeps all of
  them for ever, 2 MB a booking.

Installed once for the life of the process; a second call changes the service and the scale.
"""

import functools
import json
import pickle
import time
import uuid
import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError
from jsonpath_ng.ext.parser import parse as parse_path
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.component.common.path import result_path
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.utils import json_path
from moto.stepfunctions.parser.backend.execution import BaseExecutionWorkerCommunication
from moto.stepfunctions.parser.models import stepfunctions_parser_backends
from moto.stepfunctions.parser.utils import TMP_THREADS

from local_stack.aws import ACCOUNT, REGION
from local_stack.lambda_service import Invocation, TooManyRequests

Invoke = Callable[[str, bytes], Invocation]

_parse = functools.cache(AmazonStateLanguageParser.parse)
_parse_path = functools.cache(parse_path)
_reflect_end = BaseExecutionWorkerCommunication.terminated


def install(invoke: Invoke, time_scale: float) -> None:
    """Let ``invoke(function name, payload)`` run the functions, at ``time_scale``."""

    def invoke_for_task(parameters: dict[str, Any], *_: Any, **__: Any) -> dict[str, Any]:
        name = parameters["FunctionName"].rsplit(":", 1)[-1]
        try:
            result = invoke(name, parameters["Payload"])
        except TooManyRequests as refusal:
            raise _client_error(refusal) from refusal
        error = {"FunctionError": result.function_error} if result.function_error else {}
        return {"StatusCode": 200, "Payload": json.loads(result.payload)} | error

    def invoke_by_api(
        _: Any, name: str, qualifier: Any, body: Any, headers: Any, answer_headers: Any
    ) -> bytes:
        payload = body.encode() if isinstance(body, str) else body or b"{}"
        result = invoke(name.rsplit(":", 1)[-1], payload)
        if result.function_error:
            answer_headers["x-amz-function-error"] = result.function_error
        return result.payload

    scaled_time = SimpleNamespace(sleep=lambda seconds: time.sleep(seconds * time_scale))
    _replace(lambda_eval_utils, "_invoke_lambda_function", invoke_for_task)
    _replace(LambdaSimpleBackend, "invoke", invoke_by_api)
    _replace(retrier_decl, "time", scaled_time)
    _replace(AmazonStateLanguageParser, "parse", staticmethod(_parse))
    _replace(json_path, "parse", _parse_path)
    _replace(result_path, "parse", _parse_path)
    _replace(BaseExecutionWorkerCommunication, "terminated", _terminated)


def _replace(owner: Any, name: str, value: object) -> None:
    setattr(owner, name, value)


def running() -> int:
    """How many executions run now."""
    machines: list[Any] = stepfunctions_parser_backends[ACCOUNT][REGION].state_machines
    return sum(
        execution.exec_status == ExecutionStatus.RUNNING
        for machine in machines
        for execution in machine.executions
    )


def _client_error(refusal: TooManyRequests) -> ClientError:
    """https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors"""
    answer: Any = {
        "Error": {"Code": "TooManyRequestsException", "Message": str(refusal)},
        "ResponseMetadata": {"HTTPStatusCode": 429, "RequestId": str(uuid.uuid4())},
    }
    return ClientError(answer, "Invoke")


def _terminated(communication: BaseExecutionWorkerCommunication) -> None:
    execution: Any = communication.execution
    history = execution.exec_worker.env.event_manager.get_event_history()
    _reflect_end(communication)
    execution.exec_worker = _FinishedWorker(history)
    TMP_THREADS.clear()


class _FinishedWorker:
    """Stands where moto looks for a finished execution's worker: only its history is left."""

    def __init__(self, history: list[dict[str, Any]]) -> None:
        self._history = zlib.compress(pickle.dumps(history), level=1)
        self.env = SimpleNamespace(event_manager=self)

    def get_event_history(self) -> list[dict[str, Any]]:
        history: list[dict[str, Any]] = pickle.loads(zlib.decompress(self._history))  # noqa: S301
        return history

    def stop(self, *_: Any, **__: Any) -> None:
        """An execution that has ended cannot be stopped; AWS ignores it too."""
