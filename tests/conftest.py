"""How the tests are shared out between processes (pytest-xdist), and what they tell at the end."""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from exploration.summary import pytest_terminal_summary

__all__ = ["pytest_terminal_summary"]

ON_THE_SHARED_STACK = "tests/workflow/"
# On small definitions, for which a light engine does where there is no stack.
ON_AN_ENGINE = (
    "test_connections.py",
    "test_error_names.py",
    "test_redrive_states.py",
    "test_redrive_history.py",
    "test_redrive_api.py",
)


class _OneStack(LoadScopeScheduling):
    """A file's tests stay together, and so do all that share the stack: one stack is enough."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        return ON_THE_SHARED_STACK if _on_the_stack(path) else path


def _on_the_stack(path: str) -> bool:
    return path.startswith(ON_THE_SHARED_STACK) and not path.endswith(ON_AN_ENGINE)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    return _OneStack(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests on the stack: they take the longest."""
    items.sort(key=lambda item: not _on_the_stack(item.nodeid.split("::")[0]))
