"""The arguments of ``scripts/run``."""

import argparse
import math
import sys
from pathlib import Path
from typing import NoReturn

from asl_walk import tasks
from local_stack.aws import CONSOLE_PORT, DEFAULT_PORT
from local_stack.interrupts import interrupt_once
from local_stack.lambda_service import Fault, FaultError, FaultPlan, parse_fault
from local_stack.out_folder import is_result, take
from local_stack.permissions.policy import PolicyError
from strict_yaml import load

PROJECT = Path(__file__).resolve().parents[2]
DEFINITION = PROJECT / "statemachines" / "fulfil_booking.asl.yaml"
MIN_SCALE, MAX_SCALE = 0.00001, 1000
USAGE_ERROR = 2
INTERRUPTED = 130

_DESCRIPTION = """\
Run MiniTickets fulfilment on this machine: the real template and functions, on a local AWS.

Without options it fulfils three sample bookings, writes their tickets and emails below out/, and
stays up until Ctrl-C. Its console is a page at http://127.0.0.1:4511 that shows each execution as a
graph, seat by seat. From another terminal, send more bookings (one JSON body per line):

    scripts/book FILE

With --once it fulfils the bookings of one file and stops:

    scripts/run --once bookings.jsonl --out results

Progress goes to stderr. The last line of stdout is one JSON object with the counts. DIR receives
tickets/<ticketId>.png, emails/<n>-<bookingId>.eml, tickets.jsonl, jobs.jsonl, executions.jsonl and
logs/. Earlier results in DIR are replaced.
"""

_EPILOG = """\
faults (repeatable): STATE[SEAT]:KIND:TIMES
  STATE  AcceptBooking, Creating, Written, Ready, SendEmail or RecordEmailJob
  SEAT   only Creating, Written and Ready have one; leave [SEAT] out for any seat
  KIND   error         the function fails before its work
         lost-reply    the work is done, but its answer is lost
         crash         the worker is killed after the work
         hang          nothing happens until the function's timeout
         throttle      the Lambda service refuses the call
         ses-throttle  SES refuses for its sending rate (SendEmail only)
         ses-reject    SES refuses this email (SendEmail only)
         ses-pause     SES has paused the account (SendEmail only)
  TIMES  a whole number, or always

example: seat 2 cannot be written, and everything else still finishes
  scripts/run --once bookings.jsonl --out results --time-scale 0.02 \\
      --fault 'Written[2]:error:always'

the same, then the fault is lifted and the failed execution goes on where it stopped
  scripts/run --once bookings.jsonl --out results --time-scale 0.02 \\
      --fault 'Written[2]:error:always' --redrive

exit codes: 0 all bookings fulfilled; 1 some line refused or some execution failed; 2 bad usage;
130 interrupted
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(USAGE_ERROR, f"scripts/run: {message}. See scripts/run --help.\n")


def main(argv: list[str] | None = None) -> int:
    arguments = _parse(argv)
    interrupt_once()
    try:
        return _run(arguments)
    except PolicyError as refusal:
        print(f"scripts/run: {refusal}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED if arguments.once else 0


def _run(arguments: argparse.Namespace) -> int:
    # Imported late: --help and a typing mistake should not wait for the AWS libraries.
    faults = FaultPlan(arguments.fault)
    if arguments.once:
        from local_stack.once import run_once
        from local_stack.publish import lines

        bodies = lines(arguments.content)
        return run_once(
            bodies, arguments.out, faults, arguments.time_scale, redrive=arguments.redrive
        )
    from local_stack.serve import serve

    serve(arguments.out, arguments.port, arguments.time_scale, faults, arguments.console_port)
    return 0


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.once is None:
        if arguments.redrive:
            parser.error("--redrive belongs to --once FILE")
        arguments.out = arguments.out or PROJECT / "out"
    elif arguments.out is None:
        parser.error("--once FILE needs --out DIR, the folder for the results")
    try:
        if arguments.once:
            arguments.content = arguments.once.read_bytes()
    except OSError as error:
        parser.error(f"cannot read the file {arguments.once}: {error.strerror}")
    if arguments.once and is_result(arguments.once, arguments.out):
        parser.error(f"the file {arguments.once} would be overwritten: give another --out DIR")
    try:
        take(arguments.out)
    except BlockingIOError:
        parser.error(f"the folder {arguments.out} is in use by another run: give another --out DIR")
    except OSError as error:
        parser.error(f"cannot write into the folder {arguments.out}: {error.strerror}")
    return arguments


def _parser() -> _Parser:
    parser = _Parser(
        prog="scripts/run",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--once", type=Path, metavar="FILE", help="fulfil FILE's bookings and stop")
    add(
        "--out",
        type=_folder,
        metavar="DIR",
        help="folder for the results (default: out/; needed with --once)",
    )
    add("--fault", type=_fault, action="append", default=[], metavar="FAULT", help="see below")
    redrive = "afterwards lift the faults, redrive what failed, and report the end state"
    add("--redrive", action="store_true", help=redrive)
    scale = "multiply the state machine's waits by X (grace not below 10 s)"
    add("--time-scale", type=_scale, default=1.0, metavar="X", help=scale)
    port = "where to listen on 127.0.0.1 (default 4510; a free port when N is taken)"
    add("--port", type=_port, default=DEFAULT_PORT, metavar="N", help=port)
    console = "the same for the console's page (default 4511)"
    add("--console-port", type=_port, default=CONSOLE_PORT, metavar="N", help=console)
    without = "serve no console"
    add("--no-console", action="store_const", dest="console_port", const=None, help=without)
    return parser


def _fault(text: str) -> Fault:
    try:
        return parse_fault(text, [name for name, _ in tasks(load(DEFINITION))])
    except FaultError as error:
        raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from error


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("DIR is empty")
    return Path(text)


def _scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = math.nan
    if not MIN_SCALE <= scale <= MAX_SCALE:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number from {MIN_SCALE} to {MAX_SCALE}, such as 0.02"
        )
    return scale
