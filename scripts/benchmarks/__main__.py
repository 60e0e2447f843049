"""``scripts/bench``: every benchmark, or those that are named."""

import argparse
import sys
from collections.abc import Callable

from benchmarks import Row, fulfilment, imports, rendering

BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    "imports": imports.measure,
    "rendering": rendering.measure,
    "fulfilment": fulfilment.measure,
}
HELP = """\
Measures speed as ratios, each side by side in one run. It judges nothing and fails nothing.

  imports     a step's import with its clients / boto3 with one client, in fresh interpreters
  rendering   drawing one ticket / the qrcode package's bare image of the same payload
  fulfilment  on the warm local stack: a seat of 50 / of 10; throughput of 50 bookings of four
              seats / the same steps in a plain loop of 8 threads; memory over 200 bookings
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("which", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}")
    which = parser.parse_args(arguments).which or list(BENCHMARKS)
    unknown = [name for name in which if name not in BENCHMARKS]
    if unknown:
        parser.error(f"unknown benchmark {unknown[0]!r}: use {', '.join(BENCHMARKS)}")
    for name in which:
        print(f"measuring {name} …", file=sys.stderr)
        for row in BENCHMARKS[name]():
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
