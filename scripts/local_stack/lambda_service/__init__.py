"""AWS Lambda on one machine: every invocation runs in a real worker process.

A worker runs AWS's own runtime client (`awslambdaric`), or a loop of our own where that client
cannot be imported, against a small Runtime API on 127.0.0.1. It gets the environment, the timeout
and the error shapes that AWS gives it.

The memory size of a function is told to it (`AWS_LAMBDA_FUNCTION_MEMORY_SIZE`) and not enforced:
a limit on the address space (`RLIMIT_AS`) fails Python programs far below the memory they use, and
a watch on the resident size would see a short peak too late.
"""

from local_stack.lambda_service.fault_plan import FaultPlan
from local_stack.lambda_service.faults import Fault, FaultError, FaultKind, Subject, parse_fault
from local_stack.lambda_service.function import (
    FunctionNotFoundError,
    FunctionSpec,
    Invocation,
    LambdaServiceClosedError,
    RequestTooLargeError,
    TooManyRequests,
)
from local_stack.lambda_service.service import LambdaService

__all__ = [
    "Fault",
    "FaultError",
    "FaultKind",
    "FaultPlan",
    "FunctionNotFoundError",
    "FunctionSpec",
    "Invocation",
    "LambdaService",
    "LambdaServiceClosedError",
    "RequestTooLargeError",
    "Subject",
    "TooManyRequests",
    "parse_fault",
]
