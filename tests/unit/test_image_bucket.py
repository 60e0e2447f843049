"""Whose image stands at a seat's key, on a bucket that judges conditions as S3 does."""

import uuid

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from minitickets.adapters.image_bucket import ImageBucket

KEY = "tickets/bk_1/bk_1-00001.png"
EARLIER, LATER = "2026-11-30T10:00:00.000001Z", "2026-11-30T10:00:00.000002Z"


@pytest.fixture
def s3():
    mock = mock_aws()
    mock.start(reset=False)
    yield boto3.client(
        "s3", region_name="eu-west-1", aws_access_key_id="local", aws_secret_access_key="local"
    )
    mock.stop(remove_data=False)


@pytest.fixture
def bucket(s3):
    name = f"b-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return name


@pytest.fixture
def images(s3, bucket):
    return ImageBucket(s3, bucket)


@pytest.fixture
def stored(s3, bucket):
    def stored() -> bytes:
        return s3.get_object(Bucket=bucket, Key=KEY)["Body"].read()

    return stored


def test_the_image_of_a_deleted_record_gives_way_to_that_of_the_one_made_anew(images, stored):
    assert images.write(KEY, b"old", EARLIER)
    assert images.write(KEY, b"new", LATER)
    assert stored() == b"new"


def test_a_write_that_was_held_up_leaves_the_image_of_the_record_made_anew(images, stored):
    assert images.write(KEY, b"new", LATER)
    assert not images.write(KEY, b"old", EARLIER)
    assert stored() == b"new"


def test_an_image_of_the_same_record_is_written_over(images, stored):
    assert images.write(KEY, b"drawn by the version before", LATER)
    assert images.write(KEY, b"drawn", LATER)
    assert stored() == b"drawn"


def test_an_image_that_does_not_say_whose_it_is_gives_way(images, s3, bucket, stored):
    s3.put_object(Bucket=bucket, Key=KEY, Body=b"by hand")
    assert images.write(KEY, b"drawn", EARLIER)
    assert stored() == b"drawn"


class Overtaken:
    """The bucket, where another step writes between our look and our write."""

    def __init__(self, s3, bucket):
        self._s3, self._bucket = s3, bucket

    def __getattr__(self, name):
        return getattr(self._s3, name)

    def get_object(self, **request):
        found = self._s3.get_object(**request)
        ImageBucket(self._s3, self._bucket).write(KEY, b"new", LATER)
        return found


def test_of_two_that_write_over_an_image_at_once_the_later_has_to_look_again(
    images, s3, bucket, stored
):
    s3.put_object(Bucket=bucket, Key=KEY, Body=b"by hand")
    with pytest.raises(ClientError, match="PreconditionFailed"):
        ImageBucket(Overtaken(s3, bucket), bucket).write(KEY, b"old", EARLIER)
    assert stored() == b"new"
    assert not images.write(KEY, b"old", EARLIER)


def test_a_refusal_is_no_sign_of_another_image(images):
    with pytest.raises(ClientError, match="NoSuchBucket"):
        ImageBucket(images._s3, "no-such-bucket").write(KEY, b"png", EARLIER)
