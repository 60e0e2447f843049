"""How the tests are shared out between processes (pytest-xdist)."""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

ON_THE_SHARED_STACK = "tests/workflow/"


class _OneStack(LoadScopeScheduling):
    """A file's tests stay together, and so do all that share the stack: one stack is enough."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        return ON_THE_SHARED_STACK if path.startswith(ON_THE_SHARED_STACK) else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return _OneStack(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests on the stack: they take the longest."""
    items.sort(key=lambda item: not item.nodeid.startswith(ON_THE_SHARED_STACK))
