"""What must not be deployed, whoever asks for it."""

from itertools import islice

from botocore.exceptions import ClientError

from deployment.context import Account, Request
from execution_status import OPEN

COMPUTE = "ComputeEnabled"
OFF = "false"
_SHOWN = 10


class Refusal(Exception):
    """The deployment must not be made; the message says why, and what to do."""


def refuse_to_strand_executions(account: Account, request: Request) -> None:
    """An execution whose functions are removed fails at its next step."""
    if request.given.get(COMPUTE) != OFF:
        return
    executions = account.operator.executions
    listed = (each for status in OPEN for each in executions.list(status))
    try:
        running = [each.name for each in islice(listed, _SHOWN + 1)]
    except ClientError as error:
        if error.response["Error"]["Code"] == "StateMachineDoesNotExist":
            return
        raise
    if running:
        names = ", ".join(running[:_SHOWN]) + (" and more" if len(running) > _SHOWN else "")
        raise Refusal(
            f"Executions are running that would fail without their functions: {names}. Wait for "
            f"their ends: {account.operator.command('scripts/minitickets executions')}"
        )
