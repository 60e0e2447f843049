"""One event on its way to a worker."""

from __future__ import annotations

import secrets
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local_stack.lambda_service.function import FunctionSpec, Invocation


@dataclass(frozen=True, eq=False)
class Event:
    """What the worker gets, and `answer` for whoever waits for it.

    `deadline_ms` is the Unix time at which the function times out. With `crash_after` the worker
    is killed when it has done the work, and its answer is not delivered.
    """

    request_id: str
    payload: bytes
    function_arn: str
    deadline_ms: int
    trace_id: str
    crash_after: bool
    answer: Future[Invocation] = field(default_factory=Future)


def new_event(spec: FunctionSpec, request_id: str, payload: bytes, *, crash_after: bool) -> Event:
    now = time.time()
    return Event(
        request_id=request_id,
        payload=payload,
        function_arn=spec.arn,
        deadline_ms=int((now + spec.timeout_seconds) * 1000),
        trace_id=f"Root=1-{int(now):08x}-{secrets.token_hex(12)};"
        f"Parent={secrets.token_hex(8)};Sampled=0",
        crash_after=crash_after,
    )
