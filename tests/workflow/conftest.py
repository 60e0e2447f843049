from collections.abc import Iterator

import pytest

from local_stack.stack import LocalStack, Options
from workflow.harness import Fulfilment
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
