"""What was explored, as a table at the end of a test run."""

from typing import Any, Final

EXPLORED: Final = "explored"  # the property of a test's report that holds its row
_WIDTHS: Final = (32, 20, 10, 14, 11)
_TITLES: Final = ("", "schedules", "moments", "handler runs", "AWS calls")


def row(name: str, *counts: int) -> str:
    """A scenario's schedules, the moments they share, and what of the real thing ran for them."""
    return _line(name, *(f"{count:,}" for count in counts))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    rows = [
        value
        for report in terminalreporter.stats.get("passed", [])
        for name, value in report.user_properties
        if name == EXPLORED
    ]
    if rows:
        terminalreporter.section("exploration")
        terminalreporter.write_line("\n".join([_line(*_TITLES), *sorted(rows)]))


def _line(name: str, *cells: str) -> str:
    right = (cell.rjust(width) for cell, width in zip(cells, _WIDTHS[1:], strict=False))
    return f"{name:{_WIDTHS[0]}}" + "".join(right)
