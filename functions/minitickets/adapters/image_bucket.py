"""The bucket of ticket images: private, one PNG a seat at a key that never changes.

Every write has a condition: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from typing import Any, Self

from botocore.exceptions import ClientError

from minitickets.adapters.clients import client


class ImageBucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3 = s3
        self._name = name

    @classmethod
    def connect(cls, name: str) -> Self:
        return cls(client("s3"), name)

    def put_new(self, key: str, png: bytes) -> bool:
        """Store the image where there is none; False where there is one."""
        try:
            self._put(key, png, IfNoneMatch="*")
        except ClientError as error:
            if error.response["Error"]["Code"] == "PreconditionFailed":
                return False
            raise
        return True

    def tag(self, key: str) -> str:
        """The ETag of the image there.

        One byte is asked for, where a HEAD would do, since a refusal of a HEAD has no words.
        """
        found = self._s3.get_object(Bucket=self._name, Key=key, Range="bytes=0-0")
        with found["Body"] as body:
            body.read()
        return str(found["ETag"])

    def replace(self, key: str, tag: str, png: bytes) -> None:
        """Put the image over the one with this tag; the ClientError PreconditionFailed if that has
        given way meanwhile."""
        self._put(key, png, IfMatch=tag)

    def _put(self, key: str, png: bytes, **condition: str) -> None:
        self._s3.put_object(
            Bucket=self._name, Key=key, Body=png, ContentType="image/png", **condition
        )
