"""The bucket of ticket images: private, one PNG a seat at a key that never changes.

Each image says of which record it is, by the instant at which that was created. So a step that was
held up cannot put the image of a deleted record over that of the one that was reserved anew:
https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
"""

from typing import Any, Self

from botocore.exceptions import ClientError

from minitickets.adapters.clients import client

_CREATED_AT = "created-at"  # user metadata, as are all whose name AWS does not know


class ImageBucket:
    def __init__(self, s3: Any, name: str) -> None:
        self._s3 = s3
        self._name = name

    @classmethod
    def connect(cls, name: str) -> Self:
        return cls(client("s3"), name)

    def write(self, key: str, png: bytes, created_at: str) -> bool:
        """Store the image of the record created then; False where a later record's image stands.

        An image of the same record, or of an earlier one, is written over. Of two that do so at
        once one fails, with the ClientError PreconditionFailed, and has to look again.
        """
        image = {
            "Bucket": self._name,
            "Key": key,
            "Body": png,
            "ContentType": "image/png",
            "Metadata": {_CREATED_AT: created_at},
        }
        try:
            self._s3.put_object(**image, IfNoneMatch="*")
        except ClientError as error:
            if error.response["Error"]["Code"] != "PreconditionFailed":
                raise
            tag, standing = self._look(key)
            if standing > created_at:
                return False
            self._s3.put_object(**image, IfMatch=tag)
        return True

    def _look(self, key: str) -> tuple[str, str]:
        """The ETag of the image there, and when its record was created.

        One byte is asked for, where a HEAD would do, since a refusal of a HEAD has no words.
        """
        found = self._s3.get_object(Bucket=self._name, Key=key, Range="bytes=0-0")
        with found["Body"] as body:
            body.read()
        return found["ETag"], found["Metadata"].get(_CREATED_AT, "")
