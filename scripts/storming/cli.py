"""The arguments of ``scripts/storm``."""

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from local_stack.interrupts import interrupt_once
from local_stack.out_folder import clear, take

HELD, BROKEN, USAGE_ERROR, INTERRUPTED = 0, 1, 2, 130
_MOST_BOOKINGS = 20_000  # the ids of a storm's bookings have five digits
_MOST_SEED = 2**63 - 1

_DESCRIPTION = """\
Fulfil many bookings on a local stack while everything goes wrong, then say of each guarantee
whether it held.

  1. Publish N bookings of 1 to 40 seats, and with them: the same message delivered again, at once
     and late; the same booking under another message id; messages that contradict a booking,
     correct its address, or are no bookings at all. Meanwhile steps fail, hang, lose their replies
     and are throttled; SES refuses; workers are killed; records are deleted by somebody else;
     executions are stopped by hand; StartExecution refuses until messages are dead letters; the
     pipe dies between an execution's start and its message's deletion.
  2. Heal as an operator would: lift the faults, send the dead letters back, redrive what a redrive
     can help, run again what it cannot.
  3. Publish some bookings once more, and contradict others, now that all is done.
  4. Judge G1 to G9 by what is durable: the tables and every change of them, the images, the emails,
     the executions and their histories, the queues, the logs.

The seed decides all that is published and all that goes wrong. How threads and processes interleave
it does not: two storms of one seed meet the same faults, and differ in their counts of retries.
Every wait of the state machine is shortened to a fiftieth (the grace to 10 s, the email's lease to
11 s). Progress goes to stderr, the verdicts to stdout.
"""

_EPILOG = """\
examples:
  scripts/storm                                a small storm, about a minute and a half
  scripts/storm --bookings 1000 --seed 7       a large one, about a quarter of an hour
  scripts/storm --seed 7 --out storm --json    keep tables, images, emails, logs and the report

exit codes: 0 every guarantee held; 1 some is broken, each named with its booking; 2 bad usage;
130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"scripts/storm: {message}. See scripts/storm --help.\n")


def main(argv: list[str] | None = None) -> int:
    arguments = _parse(argv)
    interrupt_once()
    again = f"scripts/storm --bookings {arguments.bookings} --seed {arguments.seed}"
    print(again, file=sys.stderr, flush=True)
    try:
        if arguments.out:
            return _storm(arguments, arguments.out)
        with tempfile.TemporaryDirectory(prefix="minitickets-storm-") as folder:
            return _storm(arguments, Path(folder))
    except KeyboardInterrupt:
        print(f"\nStopped. Again:  {again}", file=sys.stderr)
        return INTERRUPTED


def _storm(arguments: argparse.Namespace, out: Path) -> int:
    # Imported late: --help and a typing mistake should not wait for the AWS libraries.
    from operations.screen import Screen
    from storming import report as reports
    from storming.drawing_lots import draw
    from storming.running import run
    from storming.words import Progress, Words

    plan = draw(arguments.bookings, arguments.seed)
    logs = out / "logs"
    logs.mkdir(mode=0o700, parents=True, exist_ok=True)
    with Words(logs / "storm.log"):
        report = run(plan, out, Progress(), with_evidence=arguments.out is not None)
    reports.write(Screen(arguments.as_json), report)
    if arguments.out:
        (out / "storm.json").write_text(reports.dumped(report), encoding="utf-8")
    return HELD if report.held else BROKEN


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog="scripts/storm",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    bookings = "how many bookings (default 60)"
    add("--bookings", type=_number(1, _MOST_BOOKINGS), default=60, metavar="N", help=bookings)
    seed = "what to repeat; chosen and printed when not given"
    add("--seed", type=_number(0, _MOST_SEED), metavar="S", help=seed)
    evidence = "keep the evidence in DIR, as scripts/run --once does"
    add("--out", type=Path, metavar="DIR", help=evidence)
    add("--json", action="store_true", dest="as_json", help="write one JSON object to stdout")
    arguments = parser.parse_args(argv)
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(1_000_000)
    if arguments.out:
        try:
            take(arguments.out)
            clear(arguments.out)
        except BlockingIOError:
            parser.error(f"the folder {arguments.out} is in use by another run")
        except OSError as error:
            parser.error(f"cannot write into the folder {arguments.out}: {error.strerror}")
    return arguments


class _number:  # noqa: N801 - a type of argparse, whose name is in its error messages
    """A whole number from ``least`` to ``most``."""

    def __init__(self, least: int, most: int) -> None:
        self._least, self._most = least, most

    def __call__(self, text: str) -> int:
        if not text.isdecimal() or not self._least <= int(text) <= self._most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {self._least} to {self._most}"
            )
        return int(text)
