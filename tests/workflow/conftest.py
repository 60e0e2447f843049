from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local_stack.aws import Endpoint, forget_aws_configuration
from local_stack.emails import Outbox
from local_stack.lambda_service import FaultPlan
from local_stack.moto_server import MotoServer
from local_stack.stack import LocalStack, Options
from workflow.engine import Engine
from workflow.harness import Fulfilment
from workflow.runbook import Operator
from workflow.secrets_scan import secrets_found

TIME_SCALE = 0.02  # a retry interval of 60 s takes 1.2 s; the grace 10 s; the lease 11 s


@pytest.fixture(scope="session")
def fulfilment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fulfilment]:
    """The whole system, with short waits. Tests share it: each uses bookings of its own.

    After the last of them nothing that any test did may have let a token out (G9).
    """
    out = tmp_path_factory.mktemp("stack")
    with LocalStack(Options(out=out, time_scale=TIME_SCALE)) as stack:
        shared = Fulfilment(stack, out)
        yield shared
        assert secrets_found(shared) == []


@pytest.fixture(scope="module")
def endpoint(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Endpoint, Callable[[], None] | None]]:
    """A local AWS, and what has its machines run as before after the test: there is one moto in a
    process, so the whole system's is shared where other tests of this session need it."""
    if any("fulfilment" in getattr(item, "fixturenames", ()) for item in request.session.items):
        stack = request.getfixturevalue("fulfilment").stack
        yield stack.endpoint, stack.run_machines
        return
    forget_aws_configuration()
    server = MotoServer(0, Outbox(Path(tmp_path_factory.mktemp("emails"))), FaultPlan())
    yield server.endpoint, None
    server.close()


@pytest.fixture(scope="module")
def shared_engine(endpoint) -> Iterator[Engine]:
    from local_stack import interpreter

    where, run_as_before = endpoint
    engine = Engine(where)
    interpreter.install(engine.invoke, TIME_SCALE)
    yield engine
    if run_as_before:
        run_as_before()


@pytest.fixture
def engine(shared_engine: Engine) -> Engine:
    shared_engine.reset()
    return shared_engine


@pytest.fixture
def operator(fulfilment: Fulfilment, capsys: pytest.CaptureFixture[str]) -> Operator:
    return Operator(fulfilment, capsys)


@pytest.fixture
def hardly_waiting(fulfilment: Fulfilment) -> Iterator[None]:
    """Two hours of retries take seconds."""
    stack = fulfilment.stack
    usual, stack._time_scale = stack._time_scale, TIME_SCALE / 20
    stack.run_machines()
    yield
    stack._time_scale = usual
    stack.run_machines()
