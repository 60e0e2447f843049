"""scripts/deploy on moto's CloudFormation and S3: the calls are such as a service takes."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws
from rich.console import Console

from deployment import bucket, cli, deploying
from deployment.smoke import Outcome
from operations.screen import Screen

# moto leaves bucket policies out.
pytestmark = pytest.mark.filterwarnings("ignore:Tried to parse AWS..S3..BucketPolicy")

REGION = "eu-west-1"
TEMPLATE = """\
AWSTemplateFormatVersion: "2010-09-09"
Transform: AWS::Serverless-2016-10-31
Parameters:
  Stage: {Type: String, Default: ontomoto}
  Seconds: {Type: Number, Default: 30}
Resources:
  BookingQueue:
    Type: AWS::SQS::Queue
    Properties:
      QueueName: !Sub minitickets-${Stage}-bookings
      VisibilityTimeout: !Ref Seconds
"""


@pytest.fixture
def deploy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object]:
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    template = tmp_path / "template.yaml"
    template.write_text(TEMPLATE)
    monkeypatch.setattr(cli, "TEMPLATE", template)
    monkeypatch.setattr(deploying, "check", lambda _: None)
    monkeypatch.setattr(deploying, "make", lambda *_: [])
    monkeypatch.setattr(deploying, "smoke_test", lambda *_: Outcome("smoke-1", None))
    mock = mock_aws()
    mock.start(reset=False)  # another test's stack may live in moto
    written = StringIO()
    screen = Screen(False, *[Console(file=written, width=200, markup=False)] * 2)

    def deploy(*arguments: str) -> tuple[int, str]:
        written.seek(0)
        written.truncate()
        code = cli.main(["--region", REGION, "--yes", *arguments], screen=screen)
        return code, written.getvalue()

    try:
        yield deploy
    finally:
        client = boto3.client("cloudformation", REGION)
        for stack in ("minitickets-ontomoto", bucket.BUCKET_STACK):
            client.delete_stack(StackName=stack)
        s3 = boto3.client("s3", REGION)
        for kept in artifact_buckets(s3):
            for entry in s3.list_objects_v2(Bucket=kept).get("Contents", []):
                s3.delete_object(Bucket=kept, Key=entry["Key"])
            s3.delete_bucket(Bucket=kept)
        mock.stop(remove_data=False)


def artifact_buckets(s3: Any) -> list[str]:
    return [each["Name"] for each in s3.list_buckets()["Buckets"] if "artifacts" in each["Name"]]


def queue_timeout() -> str:
    sqs = boto3.client("sqs", REGION)
    url = sqs.get_queue_url(QueueName="minitickets-ontomoto-bookings")["QueueUrl"]
    answer = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])
    return str(answer["Attributes"]["VisibilityTimeout"])


def test_a_stage_is_made_and_changed(deploy):
    code, said = deploy()
    assert code == 0, said
    assert queue_timeout() == "30"

    code, said = deploy("--seconds", "45")
    assert code == 0, said
    assert queue_timeout() == "45"


def test_the_artifact_bucket_is_private_encrypted_and_named_for_account_and_region(deploy):
    code, said = deploy()
    assert code == 0, said
    s3 = boto3.client("s3", REGION)
    (name,) = artifact_buckets(s3)
    assert name == f"minitickets-artifacts-123456789012-{REGION}"
    (template,) = s3.list_objects_v2(Bucket=name)["Contents"]
    assert template["Key"].startswith("templates/")


def test_cfn_lint_finds_nothing_in_the_buckets_template():
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    text = Path(bucket.__file__).with_name("artifact_bucket.yaml").read_text()
    assert lint(text, config=ManualArgs(regions=[REGION])) == []
