"""``scripts/run``: fulfil three sample bookings, say where the results lie, and stay up."""

import time
from pathlib import Path

from execution_status import OPEN
from local_stack.aws import DEFAULT_PORT, REGION
from local_stack.console_process import ConsoleProcess
from local_stack.lambda_service import FaultPlan
from local_stack.out_folder import clear
from local_stack.pace import Pace
from local_stack.progress import StepEvent, say, say_progress
from local_stack.results import Ended, executions, list_executions, write_results
from local_stack.samples import SAMPLES
from local_stack.stack import LocalStack, Options

_POLL_SECONDS = 0.2


def serve(
    out: Path, port: int, time_scale: float, faults: FaultPlan, console_port: int | None
) -> None:
    """Run until interrupted. ``console_port`` None: without the console."""
    pace = Pace()

    def watch(event: StepEvent) -> None:
        say_progress(event)
        pace.note_change()

    clear(out)
    say("Starting the local stack …")
    with (
        ConsoleProcess(console_port, out / "logs" / "console.log") as console,
        LocalStack(Options(out, port, time_scale, watch, console.start), faults) as stack,
    ):
        if port and not stack.endpoint.url.endswith(f":{port}"):
            say(f"Port {port} is taken, so a free one is used.")
        say(f"Listening on {stack.endpoint.url} (region {REGION}). Fulfilling three bookings …")
        for body in SAMPLES:
            stack.client("sqs").send_message(
                QueueUrl=stack.output("BookingQueueUrl"), MessageBody=body.decode()
            )
        _follow(stack, out, pace, console)


def _follow(stack: LocalStack, out: Path, pace: Pace, console: ConsoleProcess) -> None:
    """Keep the files in ``out`` up to date for as long as the stack is up."""
    ended: Ended = {}
    greeted = False
    try:
        while True:
            time.sleep(_POLL_SECONDS)
            samples_done = not greeted and _finished(stack) >= len(SAMPLES)
            if samples_done or pace.is_due():
                pace.write(lambda: _write(stack, out, ended))
            if samples_done:
                _greet(stack, out, console)
                greeted = True
    finally:
        _write(stack, out, ended)


def _greet(stack: LocalStack, out: Path, console: ConsoleProcess) -> None:
    usual = stack.endpoint.url.endswith(f":{DEFAULT_PORT}")
    option = "" if usual else f"--endpoint {stack.endpoint.url} "
    for execution in executions(stack):
        if execution["status"] != "SUCCEEDED":
            booking = execution["bookingId"]
            say(f"\n{booking} failed. Why:  scripts/minitickets show {option}{booking}")
    page = f"Look at them in the console:  {console.url}\n" if console.url else ""
    say(
        f"\nDone. The tickets lie in {out / 'tickets'}, the emails in {out / 'emails'}.\n"
        f"Send more, one JSON body per line:  scripts/book {option}FILE\n"
        f"{page}"
        "Ctrl-C stops the stack; nothing is left running."
    )


def _write(stack: LocalStack, out: Path, ended: Ended) -> None:
    try:
        write_results(stack, out, ended)
    except OSError as error:  # the bookings matter more than the files
        say(f"The results in {out} are not up to date: {error}")


def _finished(stack: LocalStack) -> int:
    return sum(e["status"] not in OPEN for e in list_executions(stack))
