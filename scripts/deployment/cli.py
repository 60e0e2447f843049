"""The arguments of ``scripts/deploy``: its own, and the template's parameters as options."""

import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from deployment.context import Account, Request, connect
from deployment.deploying import deploy
from deployment.making import TEMPLATE, check, make, step
from deployment.packaged import package
from deployment.parameters import SWITCH, Parameter, half_a_sign_in, in_force, read_parameters
from deployment.refusing import Refusal
from deployment.stack import StackError
from deployment.wheels import BuildError
from operations.failures import KNOWN, sentence
from operations.screen import Screen, plain, text
from sam_template import BadTemplate, load_sam

_INTERRUPTED = 130
_STAGE = "Stage"
_HELP = """\
Check, build and deploy one stage to AWS.

Needs no Docker and no matching Python: the artifacts are made of ready-built wheels. Before it
changes the stage it prints what would change, in words, and asks. What is not given stays as it is
in the stage, and in a new stage is the template's default. A change that would replace or remove a
table, a bucket, a queue or the state machine is refused unless it is named. Afterwards it sends one
booking through the stage, to SES's mailbox simulator.

\b
The first time:
  scripts/deploy --dry-run                          all that needs no account
  scripts/deploy --region eu-west-1 --email-from tickets@shop.com --email-identity shop.com \\
                 --my-tickets-url https://shop.com/tickets --alarm-email ops@shop.com
\b
Later:
  scripts/deploy --region eu-west-1                 the code and the template as they are now
  scripts/deploy --region eu-west-1 --compute off   no functions; data and queues stay

\b
Exit codes: 0 deployed and tried, or nothing to change; 1 refused by you, failed, or deployed and
not working; 2 bad usage; 3 it could not do its work; 130 interrupted.
"""


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def main(
    arguments: Sequence[str] | None = None,
    connect: Callable[[Request, Screen, Callable[[str], bool]], Account] = connect,
    screen: Screen | None = None,
    is_terminal: Callable[[], bool] = _at_a_terminal,
) -> int:
    """Run the command; return its exit code."""
    screen = screen or Screen()
    try:
        sam = load_sam(TEMPLATE)
        context = command(sam).make_context(
            "scripts/deploy", list(sys.argv[1:] if arguments is None else arguments)
        )
        request, dry = _request(sam, context.params)
        if dry:
            return _rehearse(screen, request, sam)
        if not request.yes and not is_terminal():
            raise click.UsageError("There is no terminal to ask at: look first, then give --yes.")
        with tempfile.TemporaryDirectory(prefix="minitickets-") as folder:
            account = connect(request, screen, _ask)
            return deploy(account, request, sam, Path(folder))
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        screen.complain("Stopped.")
        return _INTERRUPTED
    except (BuildError, BadTemplate, Refusal, StackError) as error:
        for line in str(error).splitlines():
            screen.complain(line)
        return 1 if isinstance(error, BuildError | Refusal) else 3
    except KNOWN as error:
        screen.complain(sentence(error, "this account", None))
        return 3


def command(sam: Mapping[str, Any]) -> click.Command:
    """The command with an option for each of the template's parameters, unknown ones refused."""
    options: list[click.Parameter] = [_option(each) for each in read_parameters(sam)]
    options += [
        click.Option(["--profile"], metavar="NAME", help="The AWS profile to work with."),
        click.Option(["--region"], metavar="REGION", help="The AWS region, if not the profile's."),
        click.Option(
            ["--bucket"],
            metavar="NAME",
            help="An artifact bucket of yours, in that region.  [default: one that is created]",
        ),
        click.Option(
            ["--allow-loss"],
            multiple=True,
            metavar="RESOURCE",
            help="Let this stateful resource be replaced or removed (repeatable).",
        ),
        click.Option(
            ["--adopt"],
            is_flag=True,
            help="Take back the tables and the bucket that a deleted stage of this name has left.",
        ),
        click.Option(["--dry-run"], is_flag=True, help="Do all that needs no account."),
        click.Option(["--yes"], is_flag=True, help="Do not ask."),
    ]
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
    return click.Command("deploy", params=options, help=_HELP, context_settings=settings)


def _option(parameter: Parameter) -> click.Option:
    def checked(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
        actual = SWITCH[value] if value and parameter.is_switch else value
        why_not = None if actual is None else parameter.refusal(actual)
        if why_not:
            raise click.BadParameter(why_not)
        return actual

    return click.Option(
        [parameter.option, parameter.name],
        type=click.Choice(list(SWITCH)) if parameter.is_switch else str,
        metavar=None if parameter.is_switch else "VALUE",
        callback=checked,
        help=parameter.description,
    )


def _request(sam: Mapping[str, Any], params: Mapping[str, Any]) -> tuple[Request, bool]:
    parameters = read_parameters(sam)
    given = {each.name: params[each.name] for each in parameters if params[each.name] is not None}
    stage = in_force(parameters, given, {})[_STAGE]
    request = Request(
        {**given, _STAGE: stage},
        stage,
        params["profile"],
        params["region"],
        params["bucket"],
        params["allow_loss"],
        params["yes"],
        params["adopt"],
    )
    return request, params["dry_run"]


def _ask(question: str) -> bool:
    return click.confirm(plain(question), err=True)


def _rehearse(screen: Screen, request: Request, sam: Mapping[str, Any]) -> int:
    """``--dry-run``: checks, artifacts and the translated template; nothing of AWS is called."""
    check(screen)
    with tempfile.TemporaryDirectory(prefix="minitickets-") as folder:
        artifacts = make(screen, sam, Path(folder))
    with step(screen, "Translated the template"):
        packaged = package(
            sam, artifacts, request.bucket or "artifacts", request.region or "eu-west-1"
        )
    values = in_force(read_parameters(sam), request.given, {})
    screen.table(["parameter", "value"], [[text(k), text(v)] for k, v in values.items()])
    if half_a_sign_in(values):
        screen.say("Refused, unless the stage has the other one: --jwt-issuer and --jwt-audience")
        screen.say("go together.")
    keys = {each.key for each in artifacts}
    screen.say(f"Would upload {len(keys)} artifacts and a template of {len(packaged.text)} bytes,")
    screen.say(f"would ask CloudFormation what changes in {request.stack} ({packaged.resources} ")
    screen.say("resources), print it, ask, make the changes, and try the stage with one booking.")
    return 0
