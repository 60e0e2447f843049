"""After a run: what failed and why, and the redrive of it."""

from botocore.exceptions import ClientError

from execution_history import NEVER_MENDED, explain
from local_stack.progress import say
from local_stack.results import executions
from local_stack.stack import LocalStack


def say_what_failed(stack: LocalStack) -> None:
    """Name each execution that did not succeed, and each fault that was not played to its end."""
    for execution in executions(stack):
        if execution["status"] != "SUCCEEDED":
            reason = explain(execution["error"], execution["cause"]).message
            subject = execution["bookingId"] or "a message"
            say(f"{subject}  {execution['status']}  {execution['error'] or ''}: {reason}")
    for fault in stack.faults.active():
        if fault.times is not None:
            say(f"fault {fault} is left over: nothing came by that it fits")


def redrive_failed(stack: LocalStack) -> None:
    """Lift the faults and redrive what a redrive can help."""
    stack.faults.lift()
    redrive = stack.client("stepfunctions").redrive_execution
    for execution in executions(stack):
        if execution["status"] == "SUCCEEDED":
            continue
        subject = execution["bookingId"] or "a message"
        if execution["error"] in NEVER_MENDED:
            say(f"{subject}  not redriven: {execution['error']} comes from the message itself")
            continue
        try:
            redrive(executionArn=execution["executionArn"])
            say(f"{subject}  redriven")
        except ClientError as error:
            say(f"{subject}  not redriven: {error.response['Error']['Message']}")
