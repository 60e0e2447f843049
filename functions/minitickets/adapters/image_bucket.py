"""The bucket of ticket images: private, one PNG a seat at a key that never changes."""

from dataclasses import dataclass
from typing import Any, Self

from minitickets.adapters.clients import client


@dataclass(frozen=True)
class ImageBucket:
    s3: Any
    name: str

    @classmethod
    def connect(cls, name: str) -> Self:
        return cls(client("s3"), name)

    def write(self, key: str, png: bytes) -> None:
        self.s3.put_object(Bucket=self.name, Key=key, Body=png, ContentType="image/png")
