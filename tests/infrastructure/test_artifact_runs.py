"""The unpacked artifact alone runs its handler, under AWS's runtime client.

An arm64 artifact does not run here. This one is built by the same code with this machine's wheels.
Its Python has the runtime client, as Lambda's has, and no other library: what the artifact lacks is
not there.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import replace
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest

from infrastructure.artifacts import HANDLERS, artifacts, unpacked
from local_stack.lambda_service import LambdaService
from local_stack.samples import SAMPLES
from local_stack.stack import LocalStack, Options

pytest.importorskip("runtime_client", reason="AWS's client has wheels for Linux only")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

RUNTIME = ("awslambdaric", "simplejson", "snapshot-restore-py")
EXECUTION = "arn:aws:states:eu-west-1:123456789012:execution:minitickets-dev-fulfil-booking:some"
GALA = json.loads(SAMPLES[0])


@pytest.fixture(scope="module")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python with AWS's runtime client, and nothing else."""
    home = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True, timeout=60)
    names = {"base": str(home), "platbase": str(home)}
    site = Path(sysconfig.get_path("platlib", "venv", names))
    for name in RUNTIME:
        for file in distribution(name).files or []:
            target = site / file
            if ".." not in file.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), target)
    return str(home / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


@pytest.fixture(scope="module")
def invoke(bare_python, tmp_path_factory):
    """Invokes the unpacked artifact of a handler's module, in the template's environment."""
    out = tmp_path_factory.mktemp("out")
    with LocalStack(Options(out)) as stack, pytest.MonkeyPatch.context() as patch:
        built = artifacts(for_this_machine=True)
        folders = {HANDLERS[name]: unpacked(artifact) for name, artifact in built.items()}
        specs = [
            replace(spec, name=spec.handler.split(".")[0], code_dir=folders[spec.handler])
            for spec in stack.deployment.functions
        ]
        patch.setattr(sys, "executable", bare_python)
        with LambdaService(specs, log_dir=out / "artifact", workers_per_function=1) as service:

            def invoke(module: str, event: dict[str, Any]) -> Any:
                invocation = service.invoke(module, json.dumps(event).encode())
                assert invocation.function_error is None, invocation
                return json.loads(invocation.payload)

            invoke.stack = stack
            yield invoke


def test_a_bare_python_has_none_of_the_libraries(bare_python):
    names = ("boto3", "botocore", "aws_lambda_powertools", "pydantic", "PIL", "tzdata")
    code = f"import awslambdaric, importlib.util as u; print(*map(u.find_spec, {names}))"
    done = subprocess.run(
        [bare_python, "-Psc", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["None"] * len(names)


def test_the_artifacts_fulfil_a_booking_step_by_step_and_show_it(invoke):
    """As the state machine would, for one seat."""
    record = {"messageId": "m-1", "body": json.dumps({**GALA, "bookingId": "bk_artifact"})}
    accepted = invoke("accept_booking", {"records": [record], "execution": EXECUTION})
    booking = accepted["booking"]
    seat = {"bookingId": "bk_artifact", "userId": booking["userId"], "seatNumber": 1,
            "execution": EXECUTION}  # fmt: skip

    reserved = invoke("reserve_ticket", {**seat, "booking": booking})
    written = invoke("write_ticket_image", seat)
    marked = invoke("mark_ticket_ready", {**seat, "createdAt": written["createdAt"]})
    sent = invoke(
        "send_email", {"booking": booking, "email": accepted["email"], "execution": EXECUTION}
    )
    recorded = invoke(
        "record_email_job", {"bookingId": "bk_artifact", "execution": EXECUTION, **sent}
    )

    assert (reserved["status"], marked["status"]) == ("creating", "ready")
    assert (sent["email"], recorded["email"]) == ("sent", "sent")
    stack = invoke.stack
    bucket = stack.output("TicketImagesBucketName")
    (image,) = stack.client("s3").list_objects_v2(Bucket=bucket)["Contents"]
    png = stack.client("s3").get_object(Bucket=bucket, Key=image["Key"])["Body"].read()
    assert png.startswith(b"\x89PNG")
    assert [email.booking_id for email in stack.outbox.sent] == ["bk_artifact"]
    claims = {"sub": booking["userId"]}
    answer = invoke("my_tickets", {"requestContext": {"authorizer": {"jwt": {"claims": claims}}}})
    assert answer["statusCode"] == 200
    (held,) = json.loads(answer["body"])["bookings"]
    assert (held["bookingId"], "imageUrl" in held["tickets"][0]) == ("bk_artifact", True)
