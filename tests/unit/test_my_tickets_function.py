"""The function behind GET /tickets: whom it answers, what, and what it asks of AWS."""

import importlib.util
import io
import json
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from botocore.exceptions import ClientError

from fixtures.tables import new_table
from minitickets.adapters.image_bucket import ImageBucket
from minitickets.adapters.tickets_table import TicketsTable
from minitickets.domain.page_position import Position, write_position
from minitickets.observability import logger

FUNCTIONS = Path(__file__).parents[2] / "functions"
TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWXY2"
CONTEXT = SimpleNamespace(aws_request_id="r-1")


def record(user="usr_1", booking="bk_1", seat=1, **changes):
    key = f"{booking}-{seat:05d}"
    return {
        "userId": user,
        "ticketId": key,
        "bookingId": booking,
        "seatNumber": seat,
        "quantity": 1,
        "eventId": "evt_1",
        "eventName": "Gala",
        "startsAt": "2027-03-01T20:00:00+01:00",
        "imageKey": f"tickets/{booking}/{key}.png",
        "status": "ready",
        "token": TOKEN,
        "createdAt": "2026-11-30T10:00:00.000000Z",
    } | changes


def event(user="usr_1", **query):
    claims = {"iss": "https://identity.example", "sub": user} if user is not None else {}
    return {
        "version": "2.0",
        "requestContext": {"authorizer": {"jwt": {"claims": claims, "scopes": None}}},
        **({"queryStringParameters": query} if query else {}),
    }


class Queries:
    """DynamoDB, which notes what is asked of it."""

    def __init__(self, client):
        self.asked = []
        self._client = client

    def query(self, **request):
        self.asked.append(request)
        return self._client.query(**request)


@pytest.fixture
def my_tickets(monkeypatch):
    """The function's module, fresh, on a table of its own."""
    for name, value in {
        "TICKETS_TABLE": "t",
        "TICKETS_BUCKET": "bucket",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }.items():
        monkeypatch.setenv(name, value)
    path = FUNCTIONS / "my_tickets.py"
    spec = importlib.util.spec_from_file_location("my_tickets_alone", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with new_table("userId", "ticketId") as table:
        module.table = table
        module.dynamodb = Queries(table.client)
        module.TICKETS = TicketsTable(module.dynamodb, table.name)
        module.IMAGES = ImageBucket.connect("bucket")
        yield module


@pytest.fixture
def log():
    stream = io.StringIO()
    before = logger.registered_handler.setStream(stream)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logger.registered_handler.setStream(before)


def ask(module, *args, **query):
    answer = module.handler(event(*args, **query), CONTEXT)
    return answer["statusCode"], json.loads(answer["body"])


def test_a_holder_gets_the_documented_answer(my_tickets):
    my_tickets.table.put(record(venue="Tempodrom", timeZone="Europe/Berlin"))
    answer = my_tickets.handler(event(), CONTEXT)
    assert answer["headers"] == {"content-type": "application/json", "cache-control": "no-store"}
    content = json.loads(answer["body"])
    url = content["bookings"][0]["tickets"][0].pop("imageUrl")
    assert content == {
        "bookings": [
            {
                "bookingId": "bk_1",
                "eventName": "Gala",
                "venue": "Tempodrom",
                "startsAt": "2027-03-01T20:00:00+01:00",
                "timeZone": "Europe/Berlin",
                "quantity": 1,
                "status": "ready",
                "tickets": [{"ticketId": "bk_1-00001", "seatNumber": 1, "status": "ready"}],
            }
        ]
    }
    link = urlsplit(url)
    # The region's own host: the global one redirects, and a signature does not survive that.
    assert link.netloc == "bucket.s3.eu-west-1.amazonaws.com"
    assert link.path == "/tickets/bk_1/bk_1-00001.png"
    query = parse_qs(link.query)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert int(query["X-Amz-Expires"][0]) <= 600
    assert query["response-content-type"] == ["image/png"]
    assert "Ticket%201%20Gala.png" in query["response-content-disposition"][0]


def test_facts_that_a_booking_has_not_are_null(my_tickets):
    my_tickets.table.put(record())
    _, content = ask(my_tickets)
    assert (content["bookings"][0]["venue"], content["bookings"][0]["timeZone"]) == (None, None)


def test_one_consistent_query_of_the_callers_own_records_and_no_token_in_it(my_tickets):
    my_tickets.table.put(record())
    ask(my_tickets)
    (asked,) = my_tickets.dynamodb.asked
    assert asked["KeyConditionExpression"] == "userId = :user"
    assert asked["ExpressionAttributeValues"] == {":user": {"S": "usr_1"}}
    assert asked["ConsistentRead"] is True
    assert "IndexName" not in asked
    assert asked["Limit"] > 500
    named = asked["ExpressionAttributeNames"]
    projected = {named[part.strip()] for part in asked["ProjectionExpression"].split(",")}
    assert projected == record(venue="", timeZone="").keys() - {"token", "createdAt"}


@pytest.mark.parametrize("user", ["usr_2", "USR_1", " usr_1", "usr_1 ", "usr", "usr_1\x00", "*",
                                  "auth0|1", "é", "\ud800", "x" * 3000])  # fmt: skip
def test_anybody_else_gets_the_same_empty_list(my_tickets, user):
    my_tickets.table.put(record())
    assert ask(my_tickets, user) == (200, {"bookings": []})


@pytest.mark.parametrize("user", [None, "", 5, True, ["usr_1"]])
def test_a_token_without_a_user_is_refused(my_tickets, user):
    status, content = ask(my_tickets, user)
    assert (status, content["error"]["code"]) == (403, "Forbidden")
    assert my_tickets.dynamodb.asked == []


@pytest.mark.parametrize("context", [{}, {"authorizer": None}, {"authorizer": {"lambda": {}}}])
def test_an_event_without_a_token_is_refused(my_tickets, context):
    assert my_tickets.handler({"requestContext": context}, CONTEXT)["statusCode"] == 403


def test_next_leads_on_and_ends(my_tickets, monkeypatch):
    monkeypatch.setattr(my_tickets, "RECORDS_A_PAGE", 2)
    for name in ("bk_1", "bk_2", "bk_3"):
        my_tickets.table.put(record(booking=name))
    seen, query = [], {}
    for _ in range(9):
        status, content = ask(my_tickets, **query)
        assert status == 200
        seen += [b["bookingId"] for b in content["bookings"]]
        if "next" not in content:
            break
        query = {"next": content["next"]}
    assert seen == ["bk_1", "bk_2", "bk_3"]
    assert "next" not in content


@pytest.mark.parametrize(
    "given", ["", "x", write_position(Position("bk_1-00001"), "usr_2"), "\ud800"]
)
def test_a_next_that_is_not_the_callers_is_a_bad_request_that_names_it(my_tickets, given):
    status, content = ask(my_tickets, next=given)
    assert (status, content["error"]["code"]) == (400, "InvalidParameter")
    assert "next" in content["error"]["message"]
    assert my_tickets.dynamodb.asked == []


def test_unknown_parameters_are_ignored(my_tickets):
    assert ask(my_tickets, user="usr_2", limit="5") == (200, {"bookings": []})


def test_an_unreadable_record_is_logged_and_counted_by_its_id_alone(my_tickets, log, capsys):
    my_tickets.table.put(record(eventName="Secret party", imageKey="tickets/other.png"))
    my_tickets.table.put(record(booking="bk_2"))
    _, content = ask(my_tickets)
    found = {b["bookingId"]: b["tickets"][0] for b in content["bookings"]}
    assert (found["bk_1"]["status"], "imageUrl" in found["bk_1"]) == ("creating", False)
    assert (found["bk_2"]["status"], "imageUrl" in found["bk_2"]) == ("ready", True)
    warning, *_ = [line for line in log() if line["level"] == "WARNING"]
    assert warning["tickets"] == ["bk_1-00001"]
    said = json.dumps(log())
    assert not any(secret in said for secret in (TOKEN, "Secret party", "usr_1"))
    (metric,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert metric["TicketsUnreadable"] == [1.0]


@pytest.mark.parametrize(
    "value", [{"M": {}}, {"BOOL": True}, {"NULL": True}, {"N": "1.5"}, {"N": "1E5"}, {"L": []},
              {"SS": ["a"]}, {"B": b"\xff"}],
    ids=lambda value: next(iter(value)),
)  # fmt: skip
@pytest.mark.parametrize("name", ["bookingId", "quantity", "eventName", "status", "imageKey"])
def test_a_record_of_any_shape_stops_nothing_else(my_tickets, name, value):
    my_tickets.table.put(record(booking="bk_2"))
    odd = {key: {"N": str(v)} if isinstance(v, int) else {"S": v} for key, v in record().items()}
    my_tickets.table.client.put_item(TableName=my_tickets.table.name, Item=odd | {name: value})
    status, content = ask(my_tickets)
    assert status == 200
    links = {b["bookingId"] for b in content["bookings"] if "imageUrl" in b["tickets"][0]}
    assert links == {"bk_2"}


def test_a_failure_is_said_without_details_and_logged_by_its_name(my_tickets, log, monkeypatch):
    error = {"Code": "AccessDeniedException", "Message": f"User usr_1 {TOKEN}"}

    def refuse(*_):
        raise ClientError({"Error": error}, "Query")

    monkeypatch.setattr(my_tickets.TICKETS, "page_of", refuse)
    answer = my_tickets.handler(event(), CONTEXT)
    assert answer["statusCode"] == 500
    assert answer["headers"]["cache-control"] == "no-store"
    assert "denied" not in answer["body"].lower()
    (line,) = [line for line in log() if line["level"] == "ERROR"]
    assert (line["error"], line["code"], line["requestId"]) == (
        "ClientError", "AccessDeniedException", "r-1",
    )  # fmt: skip
    assert TOKEN not in json.dumps(line)


@pytest.mark.slow
def test_memory_does_not_grow_with_what_a_user_has(my_tickets, monkeypatch):
    """The most that any request needs, of a user with 500 tickets and of one with 2,000."""

    def most(total):
        def page_of(_, after, limit):
            first = int(after.rpartition("_")[2].partition("-")[0]) + 1 if after else 0
            numbers = range(first, min(first + limit, total))
            return [record(booking=f"bk_{n:06d}") for n in numbers], first + limit < total

        monkeypatch.setattr(my_tickets.TICKETS, "page_of", page_of)
        peaks, query = [], {}
        while True:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            _, content = ask(my_tickets, **query)
            peaks.append(tracemalloc.get_traced_memory()[1] - before)
            if "next" not in content:
                return max(peaks[1:])  # what is made once is made in the first
            query = {"next": content["next"]}

    monkeypatch.setattr(my_tickets, "RECORDS_A_PAGE", 100)  # a page's links take long to sign
    tracemalloc.start()
    try:
        few, many = most(500), most(2000)
    finally:
        tracemalloc.stop()
    assert many < 1.1 * few


def test_the_longest_page_fits_into_lambdas_answer(my_tickets, monkeypatch):
    """6 MB, at https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: with a
    role's session token as long as any seen, and names that take the most of a link."""
    monkeypatch.setenv("AWS_SESSION_TOKEN", "/+" * 700)
    my_tickets.IMAGES = ImageBucket.connect("b" * 63)
    booking, name = "b" * 64, "\U0001f600" * 200
    many = [
        record(booking=f"{booking[:-4]}{n:04d}", eventName=name, venue=name) for n in range(419)
    ] + [record(booking=f"{'c' * 60}{n:04d}", quantity=1) for n in range(581)]
    monkeypatch.setattr(my_tickets.TICKETS, "page_of", lambda *_: (many, False))
    answer = my_tickets.handler(event(), CONTEXT)
    assert len(json.loads(answer["body"])["bookings"]) == 1000
    assert len(json.dumps(answer).encode()) < 6 * 1024 * 1024
