"""`scripts/test`: the tests, the quick ones unless all are asked for."""

import argparse
import os
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
HELP = """\
Runs the tests that are not marked slow. Every other argument is pytest's own:

  scripts/test                                   the quick tests
  scripts/test --all                             the slow ones too
  scripts/test tests/unit -k token               some of them
  scripts/test -x --lf                           last time's failures, up to the first one
  scripts/test -n 0                              in this process (the default is two processes)

scripts/test -- --help shows pytest's options.
"""


def main(arguments: list[str]) -> int:
    """Run pytest on the project; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="scripts/test",
        usage="%(prog)s [--all] [pytest's arguments ...]",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--all", action="store_true", help="run the slow tests too")
    options, for_pytest = parser.parse_known_args(arguments)
    for_pytest = [_from_caller(argument) for argument in for_pytest if argument != "--"]
    if not options.all:
        for_pytest = ["-m", "not slow", *for_pytest]
    for_pytest = ["-n", "2", *for_pytest]
    os.chdir(PROJECT)

    import pytest  # here, so that --help answers at once

    status = pytest.main(for_pytest)
    if status == pytest.ExitCode.NO_TESTS_COLLECTED and not options.all:
        print("scripts/test: no quick test was chosen. --all runs the slow ones too.",
              file=sys.stderr)  # fmt: skip
    return int(status)


def _from_caller(argument: str) -> str:
    """A path that the caller gave, relative to where the caller stands, as an absolute one."""
    path, separator, test = argument.partition("::")
    if Path.cwd() != PROJECT and not path.startswith("-") and Path(path).exists():
        return f"{Path(path).resolve()}{separator}{test}"
    return argument


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
