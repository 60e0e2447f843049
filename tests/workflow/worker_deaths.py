"""Workers that die in the midst of their work, at a call to AWS."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from local_stack import endpoint
from local_stack.lambda_service.worker import Worker
from local_stack.subjects import subject_of
from workflow.aws_calls import read_call
from workflow.harness import Fulfilment


@contextmanager
def worker_dies(
    fulfilment: Fulfilment,
    id_: str,
    state: str,
    operation: str,
    subject: str,
    *,
    done: bool,
    ahead: Callable[[], object] = lambda: None,
) -> Iterator[None]:
    """The booking's step is killed at its first ``operation`` on ``subject``: once that is
    ``done``, and before its answer, or ahead of it, and then it is never done (503 for whoever
    counts the calls).

    The call waits for ``ahead``.
    """
    serve, alive = endpoint.AwsEndpoint.__call__, threading.Lock()

    def call(self: endpoint.AwsEndpoint, environ: Any, start: Any) -> Any:
        called = read_call(environ, endpoint.read_body(environ))
        here = called == (operation, subject)
        worker = working_at(fulfilment, state, id_) if here else None
        if worker is None or not alive.acquire(blocking=False):
            return serve(self, environ, start)
        ahead()
        if done:
            answer = list(serve(self, environ, start))
            worker.kill()
            return answer
        worker.kill()
        start("503 Service Unavailable", [])
        return []

    with patch.object(endpoint.AwsEndpoint, "__call__", call):
        yield
    assert alive.locked(), f"{state} never called {operation} on {subject}"


def working_at(fulfilment: Fulfilment, state: str, id_: str) -> Worker | None:
    """The worker that is busy with the booking's step."""
    names = {state: name for name, state in fulfilment.stack.deployment.states.items()}
    for worker in fulfilment.stack.lambda_service._pools[names[state]].workers():
        event = worker._current
        if event is not None and subject_of(event.payload).booking == id_:
            return worker
    return None
