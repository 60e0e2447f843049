"""``scripts/test``, on a few tests of this project."""

import os
import subprocess
import sys

import pytest

from commands.processes import PATIENCE, PROJECT

# Of slow tests only, which are collected here and not run.
ONLY_SLOW = "tests/storm/test_storm.py"
WITH_QUICK_ONES = "tests/storm/test_report.py"


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    runner = [sys.executable, PROJECT / "scripts" / "run_tests.py", "-n", "0", "--collect-only"]
    return subprocess.run(
        [*runner, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False,
        cwd=PROJECT, env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")},
    )  # fmt: skip


@pytest.mark.parametrize("chosen", [(ONLY_SLOW,), (WITH_QUICK_ONES, "-k", "nothing_of_this_name")])
def test_where_no_quick_test_is_chosen_it_fails_and_names_what_runs_the_slow_ones(chosen):
    done = run(*chosen)
    assert done.returncode == 5
    assert done.stderr == "scripts/test: no quick test was chosen. --all runs the slow ones too.\n"


@pytest.mark.parametrize("chosen", [(ONLY_SLOW, "--all"), (WITH_QUICK_ONES,)])
def test_where_tests_are_chosen_it_says_nothing_of_the_kind(chosen):
    done = run(*chosen)
    assert (done.returncode, done.stderr) == (0, "")


def test_with_all_a_choice_of_no_test_is_left_to_pytest():
    done = run("--all", ONLY_SLOW, "-k", "nothing_of_this_name")
    assert (done.returncode, done.stderr) == (5, "")
