"""The warm local stack: time per seat, throughput, memory."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import Row, in_turn
from execution_status import OPEN
from local_stack.results import list_executions
from local_stack.stack import LocalStack, Options

FEW, MANY = 10, 50
BOOKINGS = 50
MEMORY_BOOKINGS = 200
_PATIENCE = 300  # seconds


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder, LocalStack(Options(Path(folder))) as stack:
        bench = _Bench(stack)
        bench.fulfil([4] * 8)  # warm
        return [*bench.per_seat(), *bench.throughput(), *bench.memory()]


class _Bench:
    def __init__(self, stack: LocalStack) -> None:
        self._stack = stack
        self._made = 0

    def per_seat(self) -> list[Row]:
        many, few = in_turn(
            lambda: self.fulfil([MANY]) / MANY, lambda: self.fulfil([FEW]) / FEW, rounds=5
        )
        figure = f"{many * 1000:.0f} ms a seat of {MANY}, {few * 1000:.0f} ms of {FEW}"
        return [Row(f"a seat of {MANY} / of {FEW}", figure, many / few, 1.2)]

    def throughput(self) -> list[Row]:
        plain, full = in_turn(
            lambda: self._plain_loop([4] * BOOKINGS), lambda: self.fulfil([4] * BOOKINGS), rounds=3
        )
        figure = f"{BOOKINGS} bookings of 4 in {full:.1f} s against {plain:.1f} s"
        return [Row("throughput / plain loop", figure, plain / full, 0.5, at_least=True)]

    def memory(self) -> list[Row]:
        resident = []
        for _ in range(4):
            self.fulfil([4] * (MEMORY_BOOKINGS // 4))
            resident.append(_resident_megabytes())
        figure = " ".join(f"{size:.0f}" for size in resident)
        growth = resident[-1] / resident[0]
        return [
            Row(
                f"memory over {MEMORY_BOOKINGS} bookings",
                f"MB after each quarter: {figure}",
                growth,
            )
        ]

    def fulfil(self, quantities: list[int]) -> float:
        """Publish bookings, wait until all have succeeded, and return the seconds of it."""
        before = len(list_executions(self._stack))
        queue = self._stack.output("BookingQueueUrl")
        started = time.perf_counter()
        for body in self._bodies(quantities):
            self._stack.client("sqs").send_message(QueueUrl=queue, MessageBody=body)
        while time.perf_counter() - started < _PATIENCE:
            statuses = [e["status"] for e in list_executions(self._stack)[before:]]
            if len(statuses) == len(quantities) and not set(statuses) & set(OPEN):
                if set(statuses) != {"SUCCEEDED"}:
                    raise RuntimeError(f"not all bookings succeeded: {statuses}")
                return time.perf_counter() - started
            time.sleep(0.1)
        raise RuntimeError(f"{len(quantities)} bookings took longer than {_PATIENCE} s")

    def _plain_loop(self, quantities: list[int]) -> float:
        functions = self._stack.deployment.functions
        environment: dict[str, str] = {"PATH": os.environ["PATH"]}
        for function in functions:
            environment |= function.environment
        # No role may do all steps; the operator's key is not restricted.
        environment |= {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
        environment.pop("AWS_SESSION_TOKEN", None)
        environment["PYTHONPATH"] = str(functions[0].code_dir)
        answer = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("plain_loop.py"))],
            input=json.dumps(self._bodies(quantities)),
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return float(answer.stdout.splitlines()[-1])

    def _bodies(self, quantities: list[int]) -> list[str]:
        return [json.dumps(self._booking(quantity)) for quantity in quantities]

    def _booking(self, quantity: int) -> dict[str, Any]:
        self._made += 1
        return {
            "type": "booking.confirmed",
            "bookingId": f"bk_bench_{self._made}",
            "userId": "usr_bench",
            "email": "kim@example.org",
            "eventId": "evt_bench",
            "eventName": "Winter Gala",
            "venue": "Tempodrom",
            "startsAt": "2026-12-24T19:30:00+01:00",
            "timeZone": "Europe/Berlin",
            "quantity": quantity,
        }


def _resident_megabytes() -> float:
    """The resident set of this process, which is the stack."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
