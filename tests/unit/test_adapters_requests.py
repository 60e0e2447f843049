"""What the adapters ask of AWS, where an answer that is merely likely would break a guarantee."""

from datetime import UTC, datetime

import pytest
from botocore.exceptions import ClientError

from minitickets.adapters.image_bucket import ImageBucket
from minitickets.adapters.jobs_table import JobsTable
from minitickets.adapters.tickets_by_date import TicketsByDate
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.booking import Booking
from minitickets.domain.email_job import Owner
from minitickets.domain.seats import Ticket, TicketRef
from minitickets.domain.ticket_check import Counts, check_page
from minitickets.errors import ImagesUnreadable

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
TICKET = Ticket(BOOKING, 1, "A" * 26, "creating", "2026-11-30T10:00:00.000000Z")


class Recorder:
    """A client that notes its requests, and answers as it is told."""

    def __init__(self, answer=None):
        self.requests = []
        self._answer = answer or {}

    def __getattr__(self, operation):
        def call(**request):
            self.requests.append((operation, request))
            if isinstance(self._answer, Exception):
                raise self._answer
            return self._answer

        return call

    @property
    def request(self):
        (request,) = self.requests
        return request


def throttled():
    error = {"Code": "ProvisionedThroughputExceededException", "Message": "later"}
    return ClientError({"Error": error}, "PutItem")


@pytest.mark.parametrize(
    "read",
    [
        lambda client: TicketsTable(client, "t").read("usr_1", "bk_1-00001"),
        lambda client: JobsTable(client, "t").read("bk_1"),
    ],
    ids=["ticket", "job"],
)
def test_reads_are_consistent_since_a_stale_one_would_draw_or_send_wrongly(read):
    client = Recorder()
    assert read(client) is None
    operation, request = client.request
    assert operation == "get_item"
    assert request["ConsistentRead"] is True


@pytest.mark.parametrize(
    "write",
    [
        lambda client: TicketsTable(client, "t").put_new(TICKET),
        lambda client: JobsTable(client, "t").claim(BOOKING, "identity", "arn:us", "now"),
        lambda client: JobsTable(client, "t").lease("bk_1", Owner("arn:us", 0), 1, 2, 3),
    ],
    ids=["reserve", "claim", "lease"],
)
def test_a_lost_condition_tells_what_was_in_the_way_in_the_same_request(write):
    client = Recorder()
    write(client)
    operation, request = client.request
    assert operation == "put_item"
    assert "attribute_not_exists" in request["ConditionExpression"]
    assert request["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"


@pytest.mark.parametrize(
    "write",
    [
        lambda client: TicketsTable(client, "t").put_new(TICKET),
        lambda client: TicketsTable(client, "t").mark_ready(
            TicketRef("usr_1", "bk_1", 1, "2026"), "2027"
        ),
        lambda client: JobsTable(client, "t").claim(BOOKING, "identity", "arn:us", "now"),
        lambda client: JobsTable(client, "t").lease("bk_1", Owner("arn:us", 0), 1, 2, 3),
        lambda client: JobsTable(client, "t").release("bk_1", Owner("arn:us", 0), 1, 2),
    ],
    ids=["reserve", "mark", "claim", "lease", "release"],
)
def test_any_other_error_than_a_lost_condition_is_transient_and_escapes(write):
    with pytest.raises(ClientError, match="later"):
        write(Recorder(throttled()))


def test_an_image_is_put_as_a_png_at_its_key_where_there_is_none():
    client = Recorder()
    assert ImageBucket(client, "b").put_new("tickets/bk_1/bk_1-00001.png", b"png")
    operation, request = client.request
    assert operation == "put_object"
    assert request == {
        "Bucket": "b",
        "Key": "tickets/bk_1/bk_1-00001.png",
        "Body": b"png",
        "ContentType": "image/png",
        "IfNoneMatch": "*",
    }


class S3:
    """Answers each HEAD with the status that its key is given."""

    def __init__(self, **statuses):
        self.statuses = statuses

    def head_object(self, Bucket, Key):  # noqa: N803 - boto3's names
        status = self.statuses[Key]
        if status != 200:
            metadata = {"HTTPStatusCode": status}
            answer = {"Error": {"Code": str(status)}, "ResponseMetadata": metadata}
            raise ClientError(answer, "HeadObject")
        return {}


def test_an_image_is_missing_only_when_s3_says_that_there_is_none():
    s3 = S3(a=404, b=200, c=404)
    assert ImageBucket(s3, "b").missing(["a", "b", "c"]) == ["a", "c"]
    assert ImageBucket(s3, "b").missing([]) == []


def test_where_s3_does_not_say_no_image_is_called_missing():
    with pytest.raises(ImagesUnreadable, match="s3:ListBucket on the bucket the-bucket"):
        ImageBucket(S3(a=404, b=403), "the-bucket").missing(["a", "b"])


@pytest.mark.parametrize("status", [400, 500, 503])
def test_what_s3_cannot_answer_now_is_asked_again_later(status):
    with pytest.raises(ClientError):
        ImageBucket(S3(a=status), "b").missing(["a"])


@pytest.mark.parametrize(
    "odd",
    [
        {"seatNumber": {"N": "1.5"}},
        {"seatNumber": {"N": "1E+2"}},
        {"createdAt": {"NULL": True}},
        {"status": {"BOOL": True}},
        {"bookingId": {"B": b"bk"}},
        {"userId": {"M": {}}},
    ],
)
def test_a_record_that_something_else_wrote_is_read_without_what_is_odd_and_stops_no_other(odd):
    sound = {
        "userId": {"S": "usr_1"}, "bookingId": {"S": "bk_1"}, "seatNumber": {"N": "1"},
        "status": {"S": "ready"}, "createdAt": {"S": "2026-11-30T10:00:00.000000Z"},
    }  # fmt: skip
    client = Recorder({"Items": [sound | odd, sound]})
    records, cursor = TicketsByDate(client, "t").page("2026-12-24", None, 500)
    assert cursor is None
    checked = check_page(records, list, datetime(2026, 12, 1, tzinfo=UTC))
    assert checked.counts == Counts(checked=2, ready=1, missing=1, unreadable=1)
    assert checked.found == [{"userId": "usr_1", "bookingId": "bk_1", "seatNumber": 1}]
