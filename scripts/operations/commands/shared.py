"""The options that every command has, and the one sentence it ends with when AWS says no."""

import functools
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import click

from minitickets.clock import utc_now
from operations.context import DEFAULT_STAGE, Options
from operations.failures import KNOWN, sentence
from operations.screen import plain
from operations.target import LOCAL_ENDPOINT
from operations.times import HOW, read_since


def _address(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"https?://[^\s/]+/?", value):
        raise click.BadParameter(f"{value!r} is no address such as {LOCAL_ENDPOINT}")
    return value


def _stage(_: click.Context, __: click.Parameter, value: str) -> str:
    if not re.fullmatch("[a-z][a-z0-9]{0,11}", value):  # the template's own rule
        raise click.BadParameter(f"{value!r} is no stage: small letters and digits, 12 at most")
    return value


_OPTIONS = (
    click.option(
        "--endpoint",
        metavar="URL",
        callback=_address,
        help=f"The local stack's address.  [default: {LOCAL_ENDPOINT}]",
    ),
    click.option("--profile", metavar="NAME", help="Work on AWS, with this profile."),
    click.option("--region", metavar="REGION", help="Work on AWS, in this region."),
    click.option(
        "--stage", metavar="STAGE", callback=_stage, default=DEFAULT_STAGE, show_default=True
    ),
    click.option("--json", "as_json", is_flag=True, help="Write one JSON object to stdout."),
)


class Complaint(click.ClickException):
    """The command could not do its work."""

    exit_code = 3

    def format_message(self) -> str:
        return plain(self.message)


def connected(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the shared options; it is called with the Operator that they make."""

    @click.pass_context
    @functools.wraps(command)
    def run(context: click.Context, /, **given: Any) -> int:
        shared = ("endpoint", "profile", "region", "stage", "as_json")
        options = Options(**{name: given.pop(name) for name in shared})
        if options.endpoint and options.on_aws:
            raise click.UsageError(
                "--endpoint is the local stack's: it excludes --profile/--region"
            )
        where = f"stage {options.stage}" + (f" of {options.region}" if options.region else "")
        endpoint = None if options.on_aws else options.endpoint or LOCAL_ENDPOINT
        try:
            operator = context.obj(options)
            where = operator.target.where
            return command(operator, **given)
        except KNOWN as error:
            raise Complaint(sentence(error, where, endpoint)) from error

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


class Since(click.ParamType[datetime]):
    """A moment, as :func:`operations.times.read_since` reads it."""

    name = "when"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> datetime:
        try:
            return value if isinstance(value, datetime) else read_since(value, utc_now())
        except ValueError as error:
            self.fail(str(error), param, ctx)


def since_option(what: str) -> Callable[..., Any]:
    return click.option("--since", type=Since(), metavar="WHEN", help=f"{what}, {HOW}.")


def error_option() -> Callable[..., Any]:
    return click.option(
        "--error", "errors", multiple=True, metavar="NAME", help="Ended by this error (repeatable)."
    )
