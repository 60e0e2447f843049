"""What must not be deployed, whoever asks for it."""

from collections.abc import Iterator
from itertools import islice

from botocore.exceptions import ClientError

from deployment.context import Account, Request
from execution_status import OPEN
from operations.executions import Executions

COMPUTE = "ComputeEnabled"
OFF = "false"
_SHOWN = 10


class Refusal(Exception):
    """The deployment must not be made; the message says why, and what to do."""


def refuse_to_strand_executions(account: Account, request: Request) -> None:
    """An execution whose functions are removed fails at its next step."""
    if request.given.get(COMPUTE) != OFF:
        return
    operator = account.operator
    machines = (operator.executions, operator.reconciliations)
    found = (name for machine in machines for name in _running(machine))
    running = list(islice(found, _SHOWN + 1))
    if running:
        names = ", ".join(running[:_SHOWN]) + (" and more" if len(running) > _SHOWN else "")
        raise Refusal(
            f"Executions are running that would fail without their functions: {names}. Wait for "
            f"their ends: {operator.command('scripts/minitickets executions')}"
        )


def _running(executions: Executions) -> Iterator[str]:
    """Their names; none of a machine that is not there yet."""
    try:
        for status in OPEN:
            for each in executions.list(status):
                yield each.name
    except ClientError as error:
        if error.response["Error"]["Code"] != "StateMachineDoesNotExist":
            raise
