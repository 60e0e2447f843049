"""The bucket of ticket images: private, one PNG a seat at a key that never changes.

Every write has a condition: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from botocore.exceptions import ClientError

from minitickets.adapters.clients import client
from minitickets.errors import ImagesUnreadable

# A page of 500 takes about a second at S3's 20 ms each, and a function's CPU is no faster.
HEADS_AT_ONCE = 16

# Left to itself boto3 signs links by a version that newer regions and buckets refuse, for a host
# that answers for a bucket of another region with a redirect, to which the signature does not fit.
_LINKS: dict[str, Any] = {"signature_version": "s3v4", "s3": {"addressing_style": "virtual"}}


class ImageBucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3 = s3
        self._name = name

    @classmethod
    def connect(cls, name: str, connections: int = 10) -> Self:
        """``connections``: HEADS_AT_ONCE for :meth:`missing`."""
        return cls(client("s3", max_pool_connections=connections, **_LINKS), name)

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

    def link(self, key: str, disposition: str, seconds: int) -> str:
        """A URL that gives the image to anybody for so long; made here, without a request.

        It ends earlier where the credentials that sign it do.
        """
        url: str = self._s3.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._name,
                "Key": key,
                "ResponseContentType": "image/png",
                "ResponseContentDisposition": disposition,
            },
            ExpiresIn=seconds,
        )
        return url

    def missing(self, keys: Collection[str]) -> list[str]:
        """Those of the keys under which there is no object, in their order.

        Raises ImagesUnreadable when S3 does not say.
        """
        with ThreadPoolExecutor(HEADS_AT_ONCE) as pool:
            return [
                k
                for k, exists in zip(keys, pool.map(self._exists, keys), strict=True)
                if not exists
            ]

    def _exists(self, key: str) -> bool:
        """S3 tells 404 of 403 only to those who may list the bucket.

        https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
        """
        try:
            self._s3.head_object(Bucket=self._name, Key=key)
        except ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if status == 404:
                return False
            if status == 403:
                raise ImagesUnreadable(
                    f"S3 answers 403 for {key}, so nobody can say whether it is missing: the "
                    f"function's role needs s3:ListBucket on the bucket {self._name} and "
                    "s3:GetObject on its tickets/*. Nothing was rewritten for it"
                ) from error
            raise
        return True

    def _put(self, key: str, png: bytes, **condition: str) -> None:
        self._s3.put_object(
            Bucket=self._name, Key=key, Body=png, ContentType="image/png", **condition
        )
