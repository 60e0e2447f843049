"""One deployment, from the checks to the smoke test."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from deployment import bucket as artifact_bucket
from deployment.adopting import with_names_written_out
from deployment.artifact import Artifact
from deployment.bucket import Uploads
from deployment.change_set import ChangeSet, Event, create_change_set, discard, execute
from deployment.changes import losses
from deployment.context import Account, Request
from deployment.making import check, make, step
from deployment.packaged import Packaged, package
from deployment.parameters import half_a_sign_in, in_force, missing, read_parameters
from deployment.refusing import COMPUTE, OFF, Refusal, refuse_to_strand_executions
from deployment.smoke import smoke_test
from deployment.stack import Stack, look_up
from operations.screen import text

_DONE = ("CREATE_COMPLETE", "UPDATE_COMPLETE")
_EMPTY = "ROLLBACK_COMPLETE"  # after a creation that failed: a name, and no resources


def deploy(account: Account, request: Request, sam: Mapping[str, Any], folder: Path) -> int:
    """Return the exit code. Raises Refusal, BuildError, StackError or what boto3 raises."""
    screen = account.screen
    parameters = read_parameters(sam)
    before = look_up(account.cloudformation, request.stack)
    known = before.parameters if before else {}
    wanted = missing(parameters, request.given, known)
    if wanted:
        options = ", ".join(each.option for each in wanted)
        raise click.UsageError(f"A new stage needs {options} too; --help says what they mean.")
    values = in_force(parameters, request.given, known)
    if half_a_sign_in(values):
        raise click.UsageError("--jwt-issuer and --jwt-audience go together; give both.")
    screen.say(f"{request.stack} in account {account.id}, {account.region}:")
    screen.table(["parameter", "value"], [[text(k), text(v)] for k, v in values.items()])
    refuse_to_strand_executions(account, request)
    check(screen)
    artifacts = make(screen, sam, folder)
    uploads = _uploads(account, request)
    if uploads is None:
        return 1
    if request.adopt:
        sam = with_names_written_out(sam, values | account.pseudo_parameters)
    packaged = package(sam, artifacts, uploads.bucket, account.region)
    _upload(account, uploads, artifacts, packaged)
    wanted_values = _parameters(request, before, values)
    url = uploads.url(packaged.key)
    change_set = _change_set(account, request, before, url, wanted_values)
    if change_set is None:
        screen.say("Nothing has changed since the last deployment: nothing to do.")
        return 0
    if not _approved(account, request, change_set, packaged):
        return 1
    if not _execute(account, change_set):
        return 1
    if values.get(COMPUTE) == OFF:
        screen.say("Compute is off: there is nothing that a smoke test could try.")
        return 0
    return _try(account, request)


def _uploads(account: Account, request: Request) -> Uploads | None:
    """The artifact bucket; None if there is none and a person does not want one."""
    name = request.bucket or artifact_bucket.find(account.cloudformation)
    if name is None:
        question = (
            f"There is no bucket for artifacts. Create the stack {artifact_bucket.BUCKET_STACK} "
            "with one?"
        )
        if not request.yes and not account.ask(question):
            return None
        with step(account.screen, "Created the artifact bucket"):
            name = artifact_bucket.create(account.cloudformation)
    return Uploads(account.s3, name, account.id)


def _upload(
    account: Account, uploads: Uploads, artifacts: list[Artifact], packaged: Packaged
) -> None:
    contents = {each.key: each.path for each in artifacts}
    with step(account.screen, f"Uploaded to {uploads.bucket}"):
        new = [uploads.put(key, path.read_bytes()) for key, path in contents.items()]
        uploads.put(packaged.key, packaged.text.encode())
    account.screen.say(f"{sum(new)} of {len(new)} artifacts are new.")


def _parameters(
    request: Request, before: Stack | None, values: Mapping[str, str]
) -> list[dict[str, Any]]:
    kept = set(before.parameters) - set(request.given) if before else set()
    return [
        {"ParameterKey": name, "UsePreviousValue": True}
        if name in kept
        else {"ParameterKey": name, "ParameterValue": value}
        for name, value in values.items()
    ]


def _change_set(
    account: Account, request: Request, before: Stack | None, url: str, parameters: list[Any]
) -> ChangeSet | None:
    asked = {
        "ChangeSetName": f"deploy-{secrets.token_hex(6)}",
        "TemplateURL": url,
        "Parameters": parameters,
        "Capabilities": ["CAPABILITY_NAMED_IAM"],
        "ImportExistingResources": request.adopt,
    }
    with step(account.screen, "Asked CloudFormation what changes"):
        client = account.cloudformation
        return create_change_set(client, request.stack, before, asked, account.sleep)


def _approved(
    account: Account, request: Request, change_set: ChangeSet, packaged: Packaged
) -> bool:
    """Show the changes and ask; without a yes, whatever ends it, the change set is deleted."""
    screen = account.screen
    approved = False
    try:
        screen.table(
            ["resource", "what", "type", "because of"],
            [
                [text(c.resource), text(c.words), text(c.type), text(", ".join(c.because))]
                for c in change_set.changes
            ],
        )
        lost = losses(change_set.changes, packaged.retained, request.allowed)
        if lost:
            named = " ".join(f"--allow-loss {each.resource}" for each in lost)
            words = "; ".join(f"{each.resource} {each.words}" for each in lost)
            raise Refusal(f"This takes data out of use: {words}. If that is meant: {named}")
        count = len(change_set.changes)
        these = "this change" if count == 1 else f"these {count} changes"
        question = f"Make {these} to {request.stack}?"
        answer = request.yes or account.ask(question)
        refuse_to_strand_executions(account, request)  # some may have begun meanwhile
        approved = answer
        return approved
    finally:
        if not approved:
            discard(account.cloudformation, change_set)
            screen.complain("The change set was deleted: the stage is as it was.")


def _execute(account: Account, change_set: ChangeSet) -> bool:
    screen = account.screen

    def say(event: Event) -> None:
        if event.failed or event.status.endswith("_COMPLETE"):
            screen.say(f"  {event.resource} ", text(event.status), f" {event.reason}".rstrip())

    try:
        with step(screen, "Changed the stack"):
            status, failures = execute(
                account.cloudformation, change_set, secrets.token_hex(16), say, account.sleep
            )
    except KeyboardInterrupt:
        screen.complain(
            "CloudFormation goes on: it ends with all of the changes or with none. "
            f"To watch it: aws cloudformation describe-stack-events --stack-name {change_set.stack}"
        )
        raise
    if status in _DONE:
        return True
    screen.complain(f"The deployment failed, and the stack is in {status}. What failed:")
    for event in failures:
        screen.complain(f"  {event.resource} ({event.type}): {event.reason}")
    if status == _EMPTY:
        account.cloudformation.delete_stack(StackName=change_set.stack)
        screen.complain("It was the first deployment: nothing of the stage is left.")
    return False


def _try(account: Account, request: Request) -> int:
    stack = look_up(account.cloudformation, request.stack)
    queue = account.operator.queue("bookings")
    with step(account.screen, "Smoke test with one booking"):
        outcome = smoke_test(account.operator, queue, account.sleep)
    for name, value in sorted(stack.outputs.items()) if stack else ():
        account.screen.say(f"  {name}: {value}")
    show = account.operator.command(f"scripts/minitickets show {outcome.booking}")
    if outcome.trouble:
        account.screen.complain(f"The stage does not work: {outcome.trouble}. Next: {show}")
        return 1
    account.screen.say(f"{outcome.booking}: its ticket is ready and its email sent. {show}")
    return 0
