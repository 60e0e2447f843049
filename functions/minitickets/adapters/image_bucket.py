"""The bucket of ticket images: private, one PNG a seat at a key that never changes."""

from typing import Any, Self

from minitickets.adapters.clients import client

# Left to itself boto3 signs links by a version that newer regions and buckets refuse, for a host
# that answers for a bucket of another region with a redirect, to which the signature does not fit.
_LINKS: dict[str, Any] = {"signature_version": "s3v4", "s3": {"addressing_style": "virtual"}}


class ImageBucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3 = s3
        self._name = name

    @classmethod
    def connect(cls, name: str) -> Self:
        return cls(client("s3", **_LINKS), name)

    def write(self, key: str, png: bytes) -> None:
        self._s3.put_object(Bucket=self._name, Key=key, Body=png, ContentType="image/png")

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
