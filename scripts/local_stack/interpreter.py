"""moto's Step Functions interpreter, adjusted.

- A Task calls the Lambda service in this process instead of moto's stub that always succeeds, if
  its role may.
- Retry intervals are multiplied by the time scale.
- A definition is parsed once, not once an execution, and a JSONPath once, not at every use.
- A branch or an iteration fails by the name of what failed in it; moto refuses those of its own,
  such as States.Timeout.
- A Wait's timestamp is UTC, whatever the machine's time zone; moto compares it with local time.
- A failed execution can be redriven (:mod:`local_stack.redrive`), and a finished one keeps no more
  than that needs: moto keeps all threads and frames for ever, 2 MB a booking.

Installed once for the life of the process; a second call changes the service and the scale.
"""

import functools
import json
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError
from jsonpath_ng.ext.parser import parse as parse_path
from moto.awslambda.exceptions import UnknownFunctionException
from moto.awslambda_simple.models import LambdaSimpleBackend
from moto.stepfunctions.parser.api import ExecutionStatus
from moto.stepfunctions.parser.asl.component.common.error_name.error_name import ErrorName
from moto.stepfunctions.parser.asl.component.common.path import result_path
from moto.stepfunctions.parser.asl.component.common.retry import retrier_decl
from moto.stepfunctions.parser.asl.component.state.exec.state_map.iteration import iteration_worker
from moto.stepfunctions.parser.asl.component.state.exec.state_parallel import branches_decl
from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils
from moto.stepfunctions.parser.asl.component.state.exec.state_task.credentials import (
    StateCredentials,
)
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import (
    state_task_service_lambda,
)
from moto.stepfunctions.parser.asl.component.state.wait.wait_function.timestamp import Timestamp
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.utils import json_path
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local_stack import redrive
from local_stack.aws import ACCOUNT, REGION
from local_stack.lambda_service import FunctionNotFoundError, Invocation, TooManyRequests

Invoke = Callable[[str, bytes], Invocation]
WhyNot = Callable[[str, str], str | None]

_LambdaTask = state_task_service_lambda.StateTaskServiceLambda
_MOTO_ERROR_AND_CAUSE = _LambdaTask._error_cause_from_client_error  # noqa: SLF001
_read_timestamp: Any = Timestamp._from_timestamp_string  # noqa: SLF001
_parse = functools.cache(AmazonStateLanguageParser.parse)
_parse_path = functools.cache(parse_path)


def install(
    invoke: Invoke, time_scale: float, why_not: WhyNot = lambda _role, _function: None
) -> None:
    """Let ``invoke(function name, payload)`` run the functions, at ``time_scale``.

    ``why_not(role's ARN, function's ARN)`` says why a machine's role may not, or None.
    """

    def invoke_for_task(
        parameters: dict[str, Any], region: str, state_credentials: StateCredentials
    ) -> dict[str, Any]:
        name = parameters["FunctionName"].rsplit(":", 1)[-1]
        reason = why_not(state_credentials.role_arn, parameters["FunctionName"])
        if reason:
            raise _client_error(403, "AccessDeniedException", reason)
        try:
            result = invoke(name, parameters["Payload"])
        except TooManyRequests as refusal:
            raise _client_error(429, "TooManyRequestsException", str(refusal)) from refusal
        except FunctionNotFoundError as refusal:
            message = f"Function not found: {parameters['FunctionName']}"
            raise _client_error(404, "ResourceNotFoundException", message) from refusal
        error = {"FunctionError": result.function_error} if result.function_error else {}
        return {"StatusCode": 200, "Payload": json.loads(result.payload)} | error

    def invoke_by_api(
        _: Any, name: str, qualifier: Any, body: Any, headers: Any, answer_headers: Any
    ) -> bytes:
        payload = body.encode() if isinstance(body, str) else body or b"{}"
        try:
            result = invoke(name.rsplit(":", 1)[-1], payload)
        except FunctionNotFoundError as refusal:
            raise UnknownFunctionException(name) from refusal
        if result.function_error:
            answer_headers["x-amz-function-error"] = result.function_error
        return result.payload

    scaled_time = SimpleNamespace(sleep=lambda seconds: time.sleep(seconds * time_scale))
    _replace(lambda_eval_utils, "_invoke_lambda_function", invoke_for_task)
    _replace(LambdaSimpleBackend, "invoke", invoke_by_api)
    errors = staticmethod(_error_and_cause)
    _replace(_LambdaTask, "_error_cause_from_client_error", errors)
    _replace(retrier_decl, "time", scaled_time)
    _replace(AmazonStateLanguageParser, "parse", staticmethod(_parse))
    _replace(json_path, "parse", _parse_path)
    _replace(result_path, "parse", _parse_path)
    _replace(Timestamp, "_from_timestamp_string", staticmethod(_local_time))
    _replace(branches_decl, "CustomErrorName", ErrorName)
    _replace(iteration_worker, "CustomErrorName", ErrorName)
    redrive.install()


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


def _local_time(timestamp: str) -> datetime | None:
    moment: datetime | None = _read_timestamp(timestamp)
    return moment and moment.replace(tzinfo=UTC).astimezone().replace(tzinfo=None)


def _error_and_cause(error: ClientError) -> tuple[str, str]:
    """Step Functions has no name of its own for Lambda's AccessDeniedException.

    https://github.com/awslabs/aws-deployment-framework/issues/460
    """
    name, cause = _MOTO_ERROR_AND_CAUSE(error)
    return "Lambda.AWSLambdaException" if name == "Lambda.AccessDeniedException" else name, cause


def _client_error(status: int, code: str, message: str) -> ClientError:
    """https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors"""
    answer: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status, "RequestId": str(uuid.uuid4())},
    }
    return ClientError(answer, "Invoke")
