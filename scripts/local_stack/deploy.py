"""Deploy the real template into moto.

Translated from SAM, created by moto's CloudFormation, completed through the APIs.
"""

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asl_walk import tasks
from local_stack.aws import REGION, Endpoint, role_credentials
from local_stack.holder_api import AUDIENCE, ISSUER
from local_stack.lambda_service import FunctionSpec
from local_stack.pipe import PipeSettings
from local_stack.time_scale import scaled_lease, with_floors
from local_stack.trimmed_template import trim
from sam_template import CODE_PLACEHOLDER, load_sam, translate

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Deployment:
    """``outputs`` are the template's; ``states`` maps a function's name to its state's.

    Of two states that call one function it is the first, a booking's before a reconciliation's;
    ``booking_states`` are a booking's only. ``functions`` is empty while compute is off.
    ``template`` is the translated one.
    """

    outputs: Mapping[str, str]
    functions: tuple[FunctionSpec, ...]
    states: Mapping[str, str]
    booking_states: tuple[str, ...]
    pipe: PipeSettings
    template: dict[str, Any]
    parameters: Mapping[str, str]


def stack_name(stage: str) -> str:
    return f"minitickets-{stage}"


def deploy(
    endpoint: Endpoint, time_scale: float = 1, stage: str = "dev", compute_enabled: bool = True
) -> Deployment:
    """Make the stack of ``stage``; several stages fit into one local AWS."""
    sam = load_sam(PROJECT / "template.yaml")
    lease = _scale_lease(sam, time_scale)
    machine = sam["Resources"]["FulfilBookingStateMachine"]["Properties"]
    machine["Definition"] = with_floors(machine["Definition"], time_scale, lease)
    _store_code(endpoint)
    template = translate(sam, REGION)
    parameters = {
        "Stage": stage,
        "ComputeEnabled": json.dumps(compute_enabled),
        "JwtIssuer": ISSUER,
        "JwtAudience": AUDIENCE,
    }
    _make_stack(endpoint, "create_stack", template, parameters)
    _complete(endpoint, template, stage)
    return _deployment(endpoint, template, parameters)


def switch_compute(endpoint: Endpoint, deployment: Deployment, on: bool) -> Deployment:
    """Update the stack as ``ComputeEnabled`` says; all that is kept stays as it is."""
    parameters = {**deployment.parameters, "ComputeEnabled": json.dumps(on)}
    _make_stack(endpoint, "update_stack", deployment.template, parameters)
    return _deployment(endpoint, deployment.template, parameters)


def _deployment(
    endpoint: Endpoint, template: dict[str, Any], parameters: Mapping[str, str]
) -> Deployment:
    from local_stack.cloudformation import PipeResource

    stack = stack_name(parameters["Stage"])
    described = endpoint.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}
    names = _physical_names(endpoint, stack)
    of_bookings = _states(endpoint, outputs["StateMachineArn"])
    of_reconciliations = _states(endpoint, outputs["ReconcileStateMachineArn"])
    return Deployment(
        outputs=outputs,
        functions=tuple(_functions(endpoint, names.values())),
        states=of_reconciliations | of_bookings,
        booking_states=tuple(of_bookings.values()),
        pipe=PipeResource.made[names["BookingPipe"]],
        template=template,
        parameters=parameters,
    )


def _scale_lease(sam: dict[str, Any], time_scale: float) -> int:
    """Scale the email's lease in the template's environment of SendEmail; return it in seconds."""
    send = sam["Resources"]["SendEmailFunction"]["Properties"]
    timeout = send.get("Timeout", sam["Globals"]["Function"]["Timeout"])
    variables = send["Environment"]["Variables"]
    lease = int(variables["EMAIL_LEASE_SECONDS"])
    if time_scale != 1:
        lease = scaled_lease(lease, time_scale, timeout)
        variables["EMAIL_LEASE_SECONDS"] = str(lease)
    return lease


def _store_code(endpoint: Endpoint) -> None:
    """moto wants the functions' code object to exist; the workers run the source instead."""
    bucket, key = CODE_PLACEHOLDER.removeprefix("s3://").split("/", 1)
    s3 = endpoint.client("s3")
    with contextlib.suppress(s3.exceptions.BucketAlreadyOwnedByYou):  # by another stage's
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_object(Bucket=bucket, Key=key, Body=b"the workers run the source")


def _make_stack(
    endpoint: Endpoint, action: str, template: dict[str, Any], parameters: Mapping[str, str]
) -> None:
    import local_stack.cloudformation  # noqa: F401 - registers what moto lacks

    getattr(endpoint.client("cloudformation"), action)(
        StackName=stack_name(parameters["Stage"]),
        TemplateBody=json.dumps(trim(template, parameters)),
        Capabilities=["CAPABILITY_IAM"],
        Parameters=[
            {"ParameterKey": name, "ParameterValue": value} for name, value in parameters.items()
        ],
    )


def _complete(endpoint: Endpoint, template: dict[str, Any], stage: str) -> None:
    """What moto's CloudFormation leaves out, and the SES identity that an account has verified."""
    dynamodb, s3 = endpoint.client("dynamodb"), endpoint.client("s3")
    complete = {
        "TimeToLiveSpecification": lambda name, value: dynamodb.update_time_to_live(
            TableName=name, TimeToLiveSpecification=value
        ),
        "PublicAccessBlockConfiguration": lambda name, value: s3.put_public_access_block(
            Bucket=name, PublicAccessBlockConfiguration=value
        ),
        "OwnershipControls": lambda name, value: s3.put_bucket_ownership_controls(
            Bucket=name, OwnershipControls=value
        ),
    }
    names = _physical_names(endpoint, stack_name(stage))
    for logical, resource in template["Resources"].items():
        declared = resource.get("Properties", {})
        for what in complete.keys() & declared.keys():
            complete[what](names[logical], declared[what])
    identity = template["Parameters"]["EmailIdentity"]["Default"]
    endpoint.client("sesv2").create_email_identity(EmailIdentity=identity)


def _physical_names(endpoint: Endpoint, stack: str) -> dict[str, str]:
    resources = endpoint.client("cloudformation").describe_stack_resources(StackName=stack)
    return {
        resource["LogicalResourceId"]: resource["PhysicalResourceId"]
        for resource in resources["StackResources"]
    }


def _functions(endpoint: Endpoint, names: Collection[str]) -> Iterator[FunctionSpec]:
    for function in endpoint.client("lambda").list_functions()["Functions"]:
        name = function["FunctionName"]
        if name not in names:
            continue
        caller = role_credentials(endpoint, function["Role"], name[:64])
        variables = function.get("Environment", {}).get("Variables", {})
        yield FunctionSpec(
            name=name,
            arn=function["FunctionArn"],
            handler=function["Handler"],
            code_dir=PROJECT / "functions",
            environment={
                **{key: str(value) for key, value in variables.items()},
                "AWS_ENDPOINT_URL": endpoint.url,
                "AWS_REGION": REGION,
                "AWS_DEFAULT_REGION": REGION,
                "AWS_ACCESS_KEY_ID": caller.access_key_id,
                "AWS_SECRET_ACCESS_KEY": caller.secret_access_key,
                "AWS_SESSION_TOKEN": caller.session_token or "",
            },
            timeout_seconds=function["Timeout"],
            memory_mb=function["MemorySize"],
        )


def _states(endpoint: Endpoint, machine_arn: str) -> dict[str, str]:
    machine = endpoint.client("stepfunctions").describe_state_machine(stateMachineArn=machine_arn)
    found: dict[str, str] = {}
    for name, state in tasks(json.loads(machine["definition"])):
        found.setdefault(state["Parameters"]["FunctionName"].rsplit(":", 1)[-1], name)
    return found
