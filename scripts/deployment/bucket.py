"""The bucket that artifacts go through: CloudFormation takes code and large templates from S3."""

from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from deployment.stack import StackError, look_up

BUCKET_STACK = "minitickets-artifacts"
_TEMPLATE = Path(__file__).with_name("artifact_bucket.yaml")


def find(client: Any) -> str | None:
    """The bucket of this account and region, if its stack is there."""
    stack = look_up(client, BUCKET_STACK)
    return stack.outputs["BucketName"] if stack else None


def create(client: Any) -> str:
    """Make the stack with the bucket; wait for it. Raises StackError."""
    client.create_stack(StackName=BUCKET_STACK, TemplateBody=_TEMPLATE.read_text())
    client.get_waiter("stack_create_complete").wait(
        StackName=BUCKET_STACK, WaiterConfig={"Delay": 5, "MaxAttempts": 60}
    )
    name = find(client)
    if name is None:
        raise StackError(f"The stack {BUCKET_STACK} was made and is not there.")
    return name


class Uploads:
    """``account`` owns the bucket: S3 refuses every call if another one does."""

    def __init__(self, s3: Any, bucket: str, account: str) -> None:
        self._s3 = s3
        self.bucket = bucket
        self._place = {"Bucket": bucket, "ExpectedBucketOwner": account}

    def put(self, key: str, content: bytes) -> bool:
        """Store it unless it is there: a key is the hash of its content. Whether it was stored."""
        if self._has(key):
            return False
        self._s3.put_object(Key=key, Body=content, ChecksumAlgorithm="SHA256", **self._place)
        return True

    def url(self, key: str) -> str:
        """As CloudFormation takes it, in every partition."""
        return f"{self._s3.meta.endpoint_url}/{self.bucket}/{key}"

    def _has(self, key: str) -> bool:
        try:
            self._s3.head_object(Key=key, **self._place)
        except ClientError as error:
            # 403: whoever may not list the bucket is not told that the key is not there.
            if error.response["Error"]["Code"] in ("404", "403", "NoSuchKey"):
                return False
            raise
        return True
