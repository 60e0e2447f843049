"""The bucket of ticket images: private, one PNG a seat at a key that never changes."""

from typing import Any, Self

from minitickets.adapters.clients import client


class ImageBucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3 = s3
        self._name = name

    @classmethod
    def connect(cls, name: str) -> Self:
        return cls(client("s3"), name)

    def write(self, key: str, png: bytes) -> None:
        self._s3.put_object(Bucket=self._name, Key=key, Body=png, ContentType="image/png")
