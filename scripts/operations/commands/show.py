"""``minitickets show``: one execution, down to the state that failed."""

import json
import shlex
from pathlib import Path
from typing import Any

import click
import yaml

from execution_history import History, read_history
from operations.advice import advise
from operations.commands.shared import Complaint, connected
from operations.context import Operator
from operations.report import Report, write_report
from strict_yaml import DuplicateKey, load


@click.command(short_help="What happened in one execution, why it failed, and what to do.")
@click.argument("execution", metavar="[BOOKING|NAME|ARN]", required=False)
@click.option(
    "--history",
    "history_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read a history from a file instead.",
)
@click.option(
    "--definition",
    "definition_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --history: name the states of this definition that were never reached.",
)
@click.option("--every-delivery", is_flag=True, help="Search all executions of the booking.")
@connected
def show(
    operator: Operator,
    execution: str | None,
    history_file: Path | None,
    definition_file: Path | None,
    every_delivery: bool,
) -> int:
    """Show each seat's states, what failed and why, and whether a redrive can help.

    A failure whose retry succeeded is counted as an attempt and not blamed. Of a booking with
    several executions the first is shown, and the others are named.

    \b
    Examples:
      minitickets show bk_123
      minitickets show arn:aws:states:eu-west-1:123456789012:execution:…:0f7c2f9e
      aws stepfunctions get-execution-history --execution-arn … > history.json
      minitickets show --history history.json --definition statemachines/fulfil_booking.asl.yaml
    """
    if (execution is None) == (history_file is None):
        raise click.UsageError("give a BOOKING, NAME or ARN, or --history FILE")
    if definition_file and not history_file:
        raise click.UsageError("--definition goes with --history")
    if history_file:
        definition = _read_definition(definition_file) if definition_file else None
        report = Report(_read_file(history_file), definition)
    else:
        report = _report(operator, str(execution), every_delivery)
    write_report(operator.screen, report)
    return 0


def _report(operator: Operator, asked: str, every_delivery: bool) -> Report:
    first, *others = operator.find.all(asked, thorough=every_delivery)
    history = read_history(operator.executions.history(first.arn))
    advice = advise(first, history.events, operator.now(), shlex.quote(asked))
    return Report(
        history=history,
        definition=operator.executions.definition(first.arn),
        execution=first,
        others=others,
        advice=advice,
        next=operator.command(advice.next) if advice.next else None,
        link=operator.target.console_link(first.arn),
    )


def _read_file(path: Path) -> History:
    """A history as ``aws stepfunctions get-execution-history`` writes it."""
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
        events = found["events"] if isinstance(found, dict) else found
        history = read_history(events)
        first = min((event["id"] for event in events), default=None)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Complaint(
            f"{path} is no history, as aws stepfunctions get-execution-history writes it"
        ) from error
    more = isinstance(found, dict) and (found.get("nextToken") or found.get("NextToken"))
    if more or first != 1:
        raise Complaint(
            f"{path} holds a part of a history only: export it without --max-items, "
            "--starting-token or --no-paginate"
        )
    return history


def _read_definition(path: Path) -> dict[str, Any]:
    """A definition in YAML or JSON, or what ``describe-state-machine`` writes."""
    try:
        found = load(path)
        if isinstance(found, dict) and isinstance(found.get("definition"), str):
            found = json.loads(found["definition"])
    except (ValueError, yaml.YAMLError, DuplicateKey, RecursionError) as error:
        raise Complaint(
            f"{path} is no definition: it can be read neither as YAML nor JSON"
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("States"), dict):
        raise Complaint(f"{path} is no definition: it has no States")
    return found
