"""``scripts/storm`` before any storm begins."""

import pytest

from commands.processes import finished


def test_help_tells_what_happens_and_how_it_ends():
    help_ = finished("storming", "--help")
    assert help_.returncode == 0
    for word in ("--bookings", "--seed", "--json", "--out", "exit codes", "1 some is, each named"):
        assert word in help_.stdout


@pytest.mark.parametrize("arguments", [
    ("--bookings", "0"), ("--bookings", "many"), ("--bookings", "20001"), ("--seed", "-1"),
    ("--seed", "1.5"), ("--booking", "3"), ("what",),
])  # fmt: skip
def test_bad_usage_is_one_line_and_exit_code_2(arguments):
    refused = finished("storming", *arguments)
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.startswith("scripts/storm: ")
    assert refused.stderr.count("\n") == 1
