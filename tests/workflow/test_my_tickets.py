"""My tickets on the running stack: over HTTP with a token, under the function's own role."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from commands.processes import PROJECT
from local_stack.aws import Credentials
from local_stack.stack import MY_TICKETS
from operations.cli import main
from sam_template import load_sam, translate
from workflow.aws_calls import aws_calls
from workflow.grants import TemplateGrant, taken_away, template_grants
from workflow.harness import Fulfilment, booking
from workflow.holder import Holder, fetch
from workflow.reconciling import give_back, lose_images
from workflow.tools import break_step, decoded, payload

TEMPLATE = translate(load_sam(PROJECT / "template.yaml"))
GRANTS = {
    grant.action: grant for grant in template_grants(TEMPLATE) if grant.role == "MyTicketsRole"
}


def as_function(fulfilment: Fulfilment, service: str) -> Any:
    """A client with the credentials of the function's role."""
    (spec,) = [s for s in fulfilment.stack.deployment.functions if s.name == MY_TICKETS]
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    credentials = Credentials(*(spec.environment[name] for name in names))
    return fulfilment.stack.endpoint.client(service, credentials, attempts=1)


def role_of(fulfilment: Fulfilment) -> str:
    function = fulfilment.stack.client("lambda").get_function(FunctionName=MY_TICKETS)
    return str(function["Configuration"]["Role"].rpartition("/")[2])


# ---- The story


def test_the_holder_sees_creating_until_the_broken_seat_is_mended_and_then_its_image(fulfilment):
    message = booking(userId="usr_story", quantity=3, eventName='Füße / "Gala"')
    name = message["bookingId"]
    stack = fulfilment.stack
    break_step(fulfilment, name, "Written", "error", seat=2, times=9)
    (execution,) = fulfilment.fulfil(message)
    assert execution["status"] == "FAILED"
    holder = Holder(fulfilment, "usr_story")
    held = holder.bookings()[name]
    assert held["status"] == "creating"
    assert [t["status"] for t in held["tickets"]] == ["ready", "creating", "ready"]
    assert ["imageUrl" in t for t in held["tickets"]] == [True, False, True]

    stack.client("stepfunctions").redrive_execution(executionArn=execution["executionArn"])
    fulfilment.wait_for(lambda: holder.bookings()[name]["status"] == "ready")
    records = fulfilment.tickets(name)
    for ticket in holder.bookings()[name]["tickets"]:
        status, png, headers = fetch(ticket["imageUrl"])
        assert (status, headers["Content-Type"]) == (200, "image/png")
        seat = ticket["seatNumber"]
        assert f"Ticket%20{seat}%20F%C3%BC%C3%9Fe%20Gala.png" in headers["Content-Disposition"]
        assert decoded(png) == payload(records[seat])


def test_a_booking_of_four_with_two_records_lists_four_seats(fulfilment):
    message = booking(userId="usr_four", quantity=4)
    fulfilment.fulfil(message)
    table = fulfilment.stack.output("TicketsTableName")
    for seat in (2, 3):
        key = {"userId": "usr_four", "ticketId": f"{message['bookingId']}-{seat:05d}"}
        fulfilment.stack.client("dynamodb").delete_item(
            TableName=table, Key={name: {"S": value} for name, value in key.items()}
        )
    (held,) = Holder(fulfilment, "usr_four").bookings().values()
    assert held["status"] == "creating"
    statuses = [(t["seatNumber"], t["status"], "imageUrl" in t) for t in held["tickets"]]
    assert statuses == [
        (1, "ready", True), (2, "creating", False), (3, "creating", False), (4, "ready", True)
    ]  # fmt: skip


def test_a_user_sees_their_own_bookings_and_the_newest_event_first(fulfilment):
    early = booking(userId="usr_own", startsAt="2027-01-01T20:00:00Z", quantity=1)
    late = booking(userId="usr_own", startsAt="2028-01-01T20:00:00Z", quantity=1)
    others = booking(userId="usr_own2", quantity=1)
    fulfilment.fulfil(early, late, others)
    own = list(Holder(fulfilment, "usr_own").bookings())
    assert own == [late["bookingId"], early["bookingId"]]
    assert list(Holder(fulfilment, "usr_own2").bookings()) == [others["bookingId"]]
    assert Holder(fulfilment, "USR_OWN").bookings() == {}


def test_the_operators_command_shows_what_the_holder_sees(fulfilment, capsys):
    message = booking(userId="usr_cli", quantity=2, venue=None)
    fulfilment.fulfil(message)
    endpoint = ("--endpoint", fulfilment.stack.endpoint.url)
    assert main(["my-tickets", "usr_cli", *endpoint]) == 0
    said = capsys.readouterr().out
    assert message["bookingId"] in said
    assert "2 of 2" in said
    assert "imageUrl" not in said
    assert main(["my-tickets", "usr_cli", "--json", *endpoint]) == 0
    shown = json.loads(capsys.readouterr().out)
    expected = Holder(fulfilment, "usr_cli").bookings()[message["bookingId"]]
    for held in (shown["bookings"][0], expected):
        for ticket in held["tickets"]:  # signed anew each time
            ticket["imageUrl"] = ticket["imageUrl"].partition("?")[0]
    assert shown == {"user": "usr_cli", "bookings": [expected]}
    assert main(["my-tickets", "usr_nobody", *endpoint]) == 0
    assert "usr_nobody has no tickets" in capsys.readouterr().out


# ---- Many tickets


@pytest.fixture
def three_thousand(fulfilment: Fulfilment) -> Iterator[Counter[str]]:
    """Seats by booking, of a user with 3,000 tickets in bookings of many sizes: over 1 MB."""
    sizes, left = {}, 3000
    for number in range(1000):
        sizes[f"bk_many{number:03d}"] = min(left, (500, 1, 37, 4, 250, 2)[number % 6])
        left -= sizes[f"bk_many{number:03d}"]
        if not left:
            break
    dynamodb = fulfilment.stack.client("dynamodb")
    table = fulfilment.stack.output("TicketsTableName")
    items = [item(name, seat, size) for name, size in sizes.items() for seat in range(1, size + 1)]
    assert len(items) == 3000
    assert sum(len("".join(k + next(iter(v.values())) for k, v in i.items())) for i in items) > 1e6
    batch(dynamodb, table, [{"PutRequest": {"Item": each}} for each in items])
    yield Counter(sizes)
    keys = [{name: each[name] for name in ("userId", "ticketId")} for each in items]
    batch(dynamodb, table, [{"DeleteRequest": {"Key": key}} for key in keys])


def item(booking_id: str, seat: int, quantity: int) -> dict[str, dict[str, str]]:
    key = f"{booking_id}-{seat:05d}"
    texts = {
        "userId": "usr_many",
        "ticketId": key,
        "bookingId": booking_id,
        "eventId": "evt_many",
        "eventName": "A night of music " * 4,
        "venue": "Tempodrom",
        "startsAt": "2027-03-01T20:00:00+01:00",
        "timeZone": "Europe/Berlin",
        "eventDate": "2027-03-01",
        "eventDateKey": f"evt_many#{key}",
        "token": "A" * 26,
        "imageKey": f"tickets/{booking_id}/{key}.png",
        "status": "ready",
        "createdAt": "2026-11-30T10:00:00.000000Z",
        "readyAt": "2026-11-30T10:00:01.000000Z",
    }
    return {
        **{name: {"S": value} for name, value in texts.items()},
        "seatNumber": {"N": str(seat)},
        "quantity": {"N": str(quantity)},
    }


def batch(dynamodb: Any, table: str, requests: list[dict[str, Any]]) -> None:
    for start in range(0, len(requests), 25):
        answer = dynamodb.batch_write_item(RequestItems={table: requests[start : start + 25]})
        assert not answer["UnprocessedItems"]


@pytest.mark.slow
def test_three_thousand_tickets_are_listed_across_pages_each_once(fulfilment, three_thousand):
    """And a page costs one Query and holds a bounded number of tickets, whatever the total is: the
    function keeps no more than that."""
    holder = Holder(fulfilment, "usr_many")
    seen: list[str] = []
    sizes: Counter[str] = Counter()
    position = ""
    for _ in range(20):
        with aws_calls() as calls:
            status, content = holder.ask(position)
        assert status == 200
        asked = [c.operation for c in calls._calls if c.operation != "ReceiveMessage"]
        assert asked == ["GET /_minitickets/api/tickets", "Query"]
        assert calls.of("Query")[0].fields["Limit"] <= 1000
        page = [ticket for held in content["bookings"] for ticket in held["tickets"]]
        assert len(page) <= 1000
        assert all(held["status"] == "ready" for held in content["bookings"])
        seen += [ticket["ticketId"] for ticket in page]
        sizes.update({held["bookingId"]: len(held["tickets"]) for held in content["bookings"]})
        position = content.get("next", "")
        if not position:
            break
    assert not position
    assert len(seen) == len(set(seen)) == 3000
    assert sizes == three_thousand


@pytest.mark.slow
def test_a_position_of_one_user_is_a_bad_request_of_another(fulfilment, three_thousand):
    _, content = Holder(fulfilment, "usr_many").ask()
    status, refused = Holder(fulfilment, "usr_other").ask(content["next"])
    assert (status, refused["error"]["code"]) == (400, "InvalidParameter")


# ---- Who is not let in


@pytest.mark.parametrize("authorization", ["", "Bearer ", "Bearer {changed}", "Basic {token}"])
def test_without_a_token_that_counts_nobody_is_answered_and_nothing_is_read(
    fulfilment, authorization
):
    url = fulfilment.stack.endpoint.url
    signed_in = json.loads(fetch(f"{url}/_minitickets/token?user=usr_own")[1])["token"]
    head, claims, signature = signed_in.split(".")
    of_another = json.loads(fetch(f"{url}/_minitickets/token?user=usr_own2")[1])["token"]
    changed = f"{head}.{of_another.split('.')[1]}.{signature}"
    header = authorization.format(token=signed_in, changed=changed)
    with aws_calls() as calls:
        status, body, _ = fetch(
            f"{url}/_minitickets/api/tickets", {"Authorization": header} if header else {}
        )
    assert (status, json.loads(body)) == (401, {"message": "Unauthorized"})
    assert calls.of("Query") == []
    assert claims != of_another.split(".")[1]


# ---- What the role may


def test_the_role_gets_nothing_but_a_query_of_the_table_and_images(fulfilment):
    message = booking(userId="usr_role", quantity=1)
    fulfilment.fulfil(message)
    stack, key = fulfilment.stack, f"{message['bookingId']}-00001"
    table, bucket = stack.output("TicketsTableName"), stack.output("TicketImagesBucketName")
    jobs = stack.output("ProcessedJobsTableName")
    ids = {"userId": {"S": "usr_role"}, "ticketId": {"S": key}}
    dynamodb, s3 = as_function(fulfilment, "dynamodb"), as_function(fulfilment, "s3")
    whose = {
        "KeyConditionExpression": "userId = :u",
        "ExpressionAttributeValues": {":u": {"S": "usr_role"}},
    }
    dated = {
        "KeyConditionExpression": "eventDate = :d",
        "ExpressionAttributeValues": {":d": {"S": "2027-03-01"}},
        "IndexName": "by-event-date",
    }
    image = {"Bucket": bucket, "Key": f"tickets/{message['bookingId']}/{key}.png"}
    refused = [
        lambda: dynamodb.get_item(TableName=table, Key=ids),
        lambda: dynamodb.scan(TableName=table),
        lambda: dynamodb.query(TableName=table, **dated),
        lambda: dynamodb.query(TableName=jobs, **whose),
        lambda: dynamodb.put_item(TableName=table, Item=ids),
        lambda: dynamodb.delete_item(TableName=table, Key=ids),
        lambda: dynamodb.batch_get_item(RequestItems={table: {"Keys": [ids]}}),
        lambda: s3.get_object(Bucket=bucket, Key="other/x.png"),
        lambda: s3.put_object(**image, Body=b"x"),
        lambda: s3.delete_object(**image),
        lambda: s3.list_objects_v2(Bucket=bucket),
    ]
    for call in refused:
        with pytest.raises(ClientError, match="AccessDenied"):
            call()
    assert dynamodb.query(TableName=table, **whose)["Count"] == 1
    assert s3.get_object(**image)["Body"].read() == fulfilment.image(image["Key"])


@pytest.fixture
def ready_booking(fulfilment: Fulfilment) -> dict[str, Any]:
    message = booking(userId="usr_grants", quantity=1)
    fulfilment.fulfil(message)
    return message


def without(fulfilment: Fulfilment, grant: TemplateGrant) -> Any:
    return taken_away(fulfilment, role_of(fulfilment), grant)


def test_without_the_query_the_holder_hears_of_an_error_and_the_log_of_the_reason(
    fulfilment, ready_booking
):
    holder = Holder(fulfilment, "usr_grants")
    with without(fulfilment, GRANTS["dynamodb:Query"]):
        status, content = holder.ask()
    assert (status, content["error"]["code"]) == (500, "InternalError")
    assert "AccessDenied" not in json.dumps(content)
    log = fulfilment.out / "logs" / f"{MY_TICKETS}.log"
    fulfilment.wait_for(lambda: "AccessDeniedException" in log.read_text())


def test_without_the_images_a_link_opens_nothing(fulfilment, ready_booking):
    (held,) = [
        b
        for b in Holder(fulfilment, "usr_grants").bookings().values()
        if b["bookingId"] == ready_booking["bookingId"]
    ]
    url = held["tickets"][0]["imageUrl"]
    with without(fulfilment, GRANTS["s3:GetObject"]):
        status, body, _ = fetch(url)
    assert status == 403
    assert b"s3:GetObject" in body
    assert fetch(url)[0] == 200


def test_a_link_to_a_missing_image_opens_nothing(fulfilment, ready_booking):
    name = ready_booking["bookingId"]
    url = Holder(fulfilment, "usr_grants").bookings()[name]["tickets"][0]["imageUrl"]
    lost = lose_images(fulfilment, name, 1)
    status, body, _ = fetch(url)
    give_back(fulfilment, lost)
    assert status == 403
    assert b"<Code>AccessDenied</Code>" in body
    assert b"s3:ListBucket" in body  # which alone would be told that it is missing


def test_every_grant_of_the_role_is_of_use(fulfilment, ready_booking):
    guard, role = fulfilment.stack.guard, role_of(fulfilment)
    guard.used.clear()
    (url, *_) = [
        ticket["imageUrl"]
        for held in Holder(fulfilment, "usr_grants").bookings().values()
        for ticket in held["tickets"]
    ]
    fetch(url)
    granted = {grant for grant in guard.granted(role) if not grant.action.startswith("xray:")}
    fulfilment.wait_for(lambda: granted <= {g for name, g in guard.used if name == role})
