"""What each command works with, made from the options that all of them share."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from minitickets.clock import utc_now
from operations.bookings import Bookings
from operations.executions import Executions
from operations.finding import Finder
from operations.rates import aws_buckets
from operations.screen import Screen
from operations.target import LOCAL_ENDPOINT, RECONCILIATIONS, Target

DEFAULT_STAGE = "dev"


@dataclass(frozen=True)
class Options:
    """``region`` or ``profile`` mean AWS; without either, it is the local stack."""

    endpoint: str | None
    profile: str | None
    region: str | None
    stage: str
    as_json: bool

    @property
    def on_aws(self) -> bool:
        return bool(self.profile or self.region)

    def __str__(self) -> str:
        """As they were typed, each after a space."""
        given = {
            "--endpoint": self.endpoint,
            "--profile": self.profile,
            "--region": self.region,
            "--stage": self.stage if self.stage != DEFAULT_STAGE else None,
        }
        return "".join(f" {name} {shlex.quote(value)}" for name, value in given.items() if value)


@dataclass(frozen=True)
class Operator:
    target: Target
    screen: Screen
    executions: Executions
    bookings: Bookings
    options: str = ""
    now: Callable[[], datetime] = utc_now

    @property
    def reconciliations(self) -> Executions:
        """Those of the other machine."""
        return replace(self.executions, machine=self.target.machine_arn(RECONCILIATIONS))

    @property
    def find(self) -> Finder:
        return Finder(self.target, self.executions, self.bookings, self.options)

    def queue(self, what: str) -> str:
        """The URL of the stage's queue of that name."""
        name = self.target.named(what)
        return str(self.target.client("sqs").get_queue_url(QueueName=name)["QueueUrl"])

    def command(self, words: str) -> str:
        """A command to type, with the options that lead to the same target."""
        return f"{words}{self.options}"


def connect(options: Options) -> Operator:
    """Name the target. On AWS this asks STS for the account."""
    if options.on_aws:
        target = Target.aws(options.profile, options.region, options.stage)
    else:
        target = Target.local(options.endpoint or LOCAL_ENDPOINT, options.stage)
    return operator(target, Screen(options.as_json), options=str(options))


def operator(target: Target, screen: Screen, **changes: Any) -> Operator:
    """An operator of that target; on AWS at AWS's rates."""
    limits = aws_buckets() if target.endpoint is None else {}
    return Operator(
        target,
        screen,
        Executions(target.client("stepfunctions"), target.state_machine_arn, limits),
        Bookings(
            target.client("dynamodb"), target.named("processed-jobs"), target.named("tickets")
        ),
        **changes,
    )
