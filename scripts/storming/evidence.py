"""What ``--out`` keeps beside the results of a run: the histories of the executions at fault."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from local_stack.results import write_results
from local_stack.stack import LocalStack
from operations.executions import Executions
from storming.judging import Verdict

FOLDER = "histories"
_ARN = re.compile(r"arn:aws:states:\S+?:execution:[\w-]+:[\w-]+")


def keep(stack: LocalStack, verdicts: Iterable[Verdict], out: Path) -> None:
    """Write tables, images and executions, and each history as ``minitickets show`` reads it."""
    write_results(stack, out)
    executions = Executions(stack.client("stepfunctions"), stack.output("StateMachineArn"))
    for arn in named(verdicts):
        events = list(executions.history(arn))
        file = out / FOLDER / f"{arn.rpartition(':')[2]}.json"
        file.parent.mkdir(mode=0o700, exist_ok=True)
        file.write_text(json.dumps({"events": events}, default=str), encoding="utf-8")


def named(verdicts: Iterable[Verdict]) -> list[str]:
    """The executions that the verdicts name, each once."""
    found = (arn for v in verdicts for sentence in v.broken for arn in _ARN.findall(sentence))
    return list(dict.fromkeys(found))
