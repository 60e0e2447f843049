"""Whose image stands at a seat's key, where records and images are judged as AWS judges them."""

import uuid
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from fixtures.tables import new_table
from minitickets.adapters.image_bucket import ImageBucket
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.booking import Booking
from minitickets.domain.seats import read_reserved, reserve, write_image
from minitickets.errors import TicketMissing

NOW = datetime(2026, 11, 30, 10, 0, 0, 5, tzinfo=UTC)
BEFORE = NOW - timedelta(seconds=1)
KEY = "tickets/bk_1/bk_1-00001.png"
BOOKING = Booking(
    booking_id="bk_1",
    user_id="usr_1",
    event_id="evt_1",
    quantity=1,
    event_name="Gala",
    venue=None,
    starts_at="2026-12-24T23:30:00Z",
    time_zone=None,
)


@pytest.fixture
def table():
    with new_table("userId", "ticketId") as table:
        yield table


@pytest.fixture
def tickets(table):
    return TicketsTable(table.client, table.name)


@pytest.fixture
def s3():
    mock = mock_aws()
    mock.start(reset=False)
    yield boto3.client(
        "s3", region_name="eu-west-1", aws_access_key_id="local", aws_secret_access_key="local"
    )
    mock.stop(remove_data=False)


@pytest.fixture
def images(s3):
    name = f"b-{uuid.uuid4().hex}"
    s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return ImageBucket(s3, name)


@pytest.fixture
def stored(s3, images):
    def image() -> bytes:
        return s3.get_object(Bucket=images._name, Key=KEY)["Body"].read()

    return image


def reserved(table, tickets, token, now=NOW):
    """The seat's record under this token: whatever record it had is deleted first."""
    key = {"userId": {"S": "usr_1"}, "ticketId": {"S": "bk_1-00001"}}
    table.client.delete_item(TableName=table.name, Key=key)
    reserve(tickets, BOOKING, 1, now, lambda: token * 26)
    return read_reserved(tickets, "usr_1", "bk_1", 1)


# A reservation that was held up may come after a later one: its time says nothing.
@pytest.mark.parametrize("made_anew_at", [NOW, BEFORE])
def test_a_seat_made_anew_gets_its_image_over_that_of_the_deleted_record(
    table, tickets, images, stored, made_anew_at
):
    write_image(tickets, images, reserved(table, tickets, "A"), b"old")
    write_image(tickets, images, reserved(table, tickets, "B", made_anew_at), b"new")
    assert stored() == b"new"


@pytest.mark.parametrize("made_anew_at", [NOW, BEFORE])
def test_a_write_that_was_held_up_leaves_the_image_of_the_record_made_anew(
    table, tickets, images, stored, made_anew_at
):
    held_up = reserved(table, tickets, "A")
    write_image(tickets, images, reserved(table, tickets, "B", made_anew_at), b"new")
    with pytest.raises(TicketMissing, match="bk_1-00001"):
        write_image(tickets, images, held_up, b"old")
    assert stored() == b"new"


def test_a_record_that_has_gone_gets_no_image_over_the_one_that_is_there(
    table, tickets, images, stored
):
    ticket = reserved(table, tickets, "A")
    write_image(tickets, images, ticket, b"stands")
    table.client.delete_item(
        TableName=table.name,
        Key={"userId": {"S": "usr_1"}, "ticketId": {"S": "bk_1-00001"}},
    )
    with pytest.raises(TicketMissing):
        write_image(tickets, images, ticket, b"ghost")
    assert stored() == b"stands"


def test_an_image_of_the_same_record_is_written_over(table, tickets, images, stored):
    ticket = reserved(table, tickets, "A")
    write_image(tickets, images, ticket, b"by the version before")
    write_image(tickets, images, ticket, b"by this version")
    assert stored() == b"by this version"


class Overtaken:
    """The records, where the seat is made anew, image and all, once ours has been read again."""

    def __init__(self, table, tickets, images):
        self._table, self._tickets, self._images = table, tickets, images

    def read(self, user_id, ticket_id):
        found = self._tickets.read(user_id, ticket_id)
        write_image(self._tickets, self._images, reserved(self._table, self._tickets, "B"), b"new")
        return found


def test_an_image_that_changed_since_it_was_looked_at_is_not_written_over(
    table, tickets, images, stored
):
    ticket = reserved(table, tickets, "A")
    write_image(tickets, images, ticket, b"old")
    with pytest.raises(ClientError, match="PreconditionFailed"):
        write_image(Overtaken(table, tickets, images), images, ticket, b"old again")
    assert stored() == b"new"


def test_a_refusal_of_the_bucket_is_no_sign_of_an_image(images):
    with pytest.raises(ClientError, match="NoSuchBucket"):
        ImageBucket(images._s3, "no-such-bucket").put_new(KEY, b"png")
