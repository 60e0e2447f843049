"""The actions of moto's Step Functions that redrives add to, or that AWS answers in another way."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from moto.core.exceptions import AWSError
from moto.core.responses import ActionResult
from moto.stepfunctions.exceptions import InvalidToken, ValidationException
from moto.stepfunctions.parser.backend.execution import Execution
from moto.stepfunctions.responses import StepFunctionResponse

from local_stack.redrive.history_answer import HistoryAnswer
from local_stack.redrive.history_page import LARGEST_PAGE, PAGE, InvalidTokenError, page
from local_stack.redrive.redriving import NotRedrivableError, Redriving, new_run, redrives

_CLIENT_TOKEN = re.compile("[!-~]{1,64}")
Action = Callable[[Any], ActionResult]


class ExecutionNotRedrivable(AWSError):
    TYPE = "ExecutionNotRedrivable"


def install(redriving: Redriving) -> None:
    """A later call changes ``redriving``."""
    _add("redrive_execution", lambda request: _redrive(request, redriving))
    _add("describe_execution", lambda request: _describe(request, redriving))
    _add("list_executions", _list)
    _add("get_execution_history", _history)
    _add("stop_execution", _stop)
    _add("describe_state_machine_for_execution", _definition)
    moto_execution: Any = Execution
    moto_execution._get_start_execution_worker = new_run  # noqa: SLF001


def _add(name: str, action: Action) -> None:
    """moto finds an action by the name of the method."""
    setattr(StepFunctionResponse, name, action)


def _execution(request: Any) -> Any:
    """Raises ``InvalidArn`` or ``ExecutionDoesNotExist``."""
    arn = request._get_param("executionArn")  # noqa: SLF001
    return request.stepfunction_backend.describe_execution(arn)


def _redrive(request: Any, redriving: Redriving) -> ActionResult:
    token = request._get_param("clientToken")  # noqa: SLF001
    if token is not None and not _CLIENT_TOKEN.fullmatch(token):
        raise ValidationException(
            "1 validation error detected: Value at 'clientToken' failed to satisfy constraint: "
            "Member must be 1 to 64 printable ASCII characters without spaces"
        )
    try:
        date = redriving.redrive(_execution(request), token)
    except NotRedrivableError as refused:
        raise ExecutionNotRedrivable(str(refused)) from refused
    return ActionResult({"redriveDate": date})


def _describe(request: Any, redriving: Redriving) -> ActionResult:
    execution = _execution(request)
    answer: Any = _MOTO_DESCRIBE(request).result
    reason = redriving.refusal(execution)
    status = {"redriveStatus": "NOT_REDRIVABLE" if reason else "REDRIVABLE"}
    if reason:
        status["redriveStatusReason"] = reason
    return ActionResult(answer | _seen_from_outside(execution) | status)


def _list(request: Any) -> ActionResult:
    _check_size(request)
    if request._get_param("redriveFilter"):  # noqa: SLF001
        raise ValidationException("redriveFilter cannot be used with stateMachineArn")
    if request._get_param("statusFilter") == "PENDING_REDRIVE":  # noqa: SLF001
        raise ValidationException("PENDING_REDRIVE cannot be used with stateMachineArn")
    answer: Any = _MOTO_LIST(request).result
    arn = request._get_param("stateMachineArn")  # noqa: SLF001
    machine = request.stepfunction_backend.describe_state_machine(arn)
    found = {execution.execution_arn: execution for execution in machine.executions}
    items = [
        item | _seen_from_outside(found[item["executionArn"]]) for item in answer["executions"]
    ]
    return ActionResult(answer | {"executions": items})


def _history(request: Any) -> ActionResult:
    size = _check_size(request)
    with_data = request._get_param("includeExecutionData")  # noqa: SLF001
    execution = _execution(request)
    try:
        answer = page(
            execution.to_history_output()["events"],
            execution.execution_arn,
            size=size,
            newest_first=bool(request._get_param("reverseOrder")),  # noqa: SLF001
            with_data=with_data is None or bool(with_data),
            token=request._get_param("nextToken"),  # noqa: SLF001
        )
    except InvalidTokenError as invalid:
        raise InvalidToken from invalid
    return HistoryAnswer(answer)


def _stop(request: Any) -> ActionResult:
    execution = _execution(request)
    if execution.stop_date is None:
        error, cause = request._get_param("error"), request._get_param("cause")  # noqa: SLF001
        execution.stop(stop_date=None, error=error, cause=cause)
    return ActionResult({"stopDate": execution.stop_date})


def _definition(request: Any) -> ActionResult:
    """The definition that the execution runs by, whatever became of its machine since."""
    execution = _execution(request)
    machine = execution.state_machine
    return ActionResult(
        {
            "stateMachineArn": machine.arn,
            "name": machine.name,
            "definition": machine.definition,
            "roleArn": execution.role_arn,
            "updateDate": machine.update_date,
        }
    )


def _check_size(request: Any) -> int:
    size = request._get_int_param("maxResults") or PAGE  # noqa: SLF001
    if not 0 < size <= LARGEST_PAGE:
        raise ValidationException(
            f"1 validation error detected: Value '{size}' at 'maxResults' failed to satisfy "
            f"constraint: Member must have value less than or equal to {LARGEST_PAGE}"
        )
    return int(size)


def _seen_from_outside(execution: Any) -> dict[str, Any]:
    kept = redrives(execution)
    dates: dict[str, datetime | None] = {
        "stopDate": execution.stop_date,
        "redriveDate": kept.date,
    }
    return {"redriveCount": kept.count} | {k: v for k, v in dates.items() if v is not None}


_MOTO_DESCRIBE: Action = StepFunctionResponse.describe_execution
_MOTO_LIST: Action = StepFunctionResponse.list_executions
