"""What must not be deployed, whoever asks for it."""

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
    try:
        running = [each for status in OPEN for each in executions.list(status)]
    except ClientError as error:
        if error.response["Error"]["Code"] == "StateMachineDoesNotExist":
            return
        raise
    if running:
        names = ", ".join(each.name for each in running[:_SHOWN])
        more = f" and {len(running) - _SHOWN} more" if len(running) > _SHOWN else ""
        raise Refusal(
            f"{len(running)} executions are running, and would fail without their functions: "
            f"{names}{more}. Wait for their ends: "
            + account.operator.command("scripts/minitickets executions --status RUNNING")
        )
