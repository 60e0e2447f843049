"""How the tests are shared out between two processes (pytest-xdist, ``--dist loadgroup``)."""

from pathlib import Path

import pytest


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in the same hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep a file's tests together, and all tests on the shared stack: one stack is enough.

    Those go first, since they take the longest.
    """
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))
    items.sort(key=lambda item: not _uses_the_stack(item))


def _group(item: pytest.Item) -> str:
    return "stack" if _uses_the_stack(item) else Path(item.path).stem


def _uses_the_stack(item: pytest.Item) -> bool:
    return "fulfilment" in getattr(item, "fixturenames", ())
