"""A cold start's own part: importing a step with its clients, against boto3 with one client."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks import Row, in_turn

FUNCTIONS = Path(__file__).resolve().parents[2] / "functions"
BASE = "import boto3; boto3.client('dynamodb')"
LIMITS = {
    "accept_booking": 2.0,
    "reserve_ticket": 1.25,
    "write_ticket_image": 1.5,
    "mark_ticket_ready": 1.25,
    "send_email": 1.25,
    "record_email_job": 1.25,
}
ROUNDS = 9
_SETTINGS = {
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "none",
    "AWS_SECRET_ACCESS_KEY": "none",
    "AWS_CONFIG_FILE": os.devnull,
    "PROCESSED_JOBS_TABLE": "jobs",
    "TICKETS_TABLE": "tickets",
    "TICKETS_BUCKET": "images",
    "EMAIL_FROM": "tickets@minitickets.example",
    "EMAIL_LEASE_SECONDS": "300",
    "EMAIL_CONFIGURATION_SET": "minitickets-dev",
    "MY_TICKETS_URL": "https://minitickets.example/my-tickets",
}


def measure() -> list[Row]:
    return [_row(step, limit) for step, limit in LIMITS.items()]


def _row(step: str, limit: float) -> Row:
    own, base = in_turn(lambda: _seconds(f"import {step}"), lambda: _seconds(BASE), ROUNDS)
    figure = f"{own * 1000:.0f} ms against {base * 1000:.0f} ms"
    return Row(f"import {step}", figure, own / base, limit)


def _seconds(code: str) -> float:
    """The time of ``code`` alone in a fresh interpreter, in seconds."""
    timed = f"import time; t = time.perf_counter(); {code}; print(time.perf_counter() - t)"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(FUNCTIONS), **_SETTINGS}
    answer = subprocess.run(
        [sys.executable, "-c", timed], env=environment, capture_output=True, text=True, check=True
    )
    return float(answer.stdout)
