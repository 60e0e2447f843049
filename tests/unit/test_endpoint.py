"""Where the local AWS is as strict as AWS, one request at a time, and keeps what moto drops."""

import io
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from local_stack.emails import Outbox
from local_stack.endpoint import AwsEndpoint
from local_stack.fault_control import PATH
from local_stack.lambda_service import Fault, FaultKind, FaultPlan

PATIENCE = 10  # seconds, after which a wait fails the test
KIB_64 = 65_536


class Moto:
    """Stands for moto: notes what reaches it, and answers as it is told."""

    def __init__(self, status="200 OK", answer=b'{"MessageId": "m-1"}'):
        self.status, self.answer = status, answer
        self.bodies = []

    def __call__(self, environ, start):
        self.bodies.append(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        start(self.status, [("Content-Type", "application/json")])
        return [self.answer]


class Caller:
    """Sends requests to an endpoint in front of ``moto``."""

    def __init__(self, tmp_path, moto, faults=()):
        self.outbox = Outbox(tmp_path / "emails")
        self.faults = FaultPlan(faults)
        self.app = AwsEndpoint(moto, self.outbox, self.faults)

    def post(self, request, target="", path="/", **headers):
        body = json.dumps(request).encode()
        environ = {
            "SERVER_PORT": "4510",
            "HTTP_HOST": "127.0.0.1:4510",
            "HTTP_X_AMZ_TARGET": target,
            "PATH_INFO": path,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": io.BytesIO(body),
        } | headers
        started = []
        answer = b"".join(self.app(environ, lambda status, headers: started.append(status)))
        return started[0], json.loads(answer)

    def send_message(self, body):
        return self.post({"QueueUrl": "q", "MessageBody": body}, "AmazonSQS.SendMessage")

    def send_email(self, **changes):
        return self.post(EMAIL | changes, path="/v2/email/outbound-emails")


EMAIL = {
    "FromEmailAddress": "tickets@minitickets.example",
    "Destination": {"ToAddresses": ["kim@example.org"]},
    "Content": {
        "Simple": {
            "Subject": {"Data": "Booking confirmed", "Charset": "UTF-8"},
            "Body": {"Text": {"Data": "in plain words"}, "Html": {"Data": "<p>in HTML</p>"}},
        }
    },
    "EmailTags": [{"Name": "bookingId", "Value": "bk_1"}],
}


@pytest.fixture
def moto():
    return Moto()


@pytest.fixture
def caller(tmp_path, moto):
    return Caller(tmp_path, moto)


# ---- SQS: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html

REFUSED = [
    ("", "MissingParameter"),
    ("a\x00b", "InvalidMessageContents"),
    ("a\x0bb", "InvalidMessageContents"),
    ("a\x1fb", "InvalidMessageContents"),
    ("a\ufffeb", "InvalidMessageContents"),
    ("a\uffffb", "InvalidMessageContents"),
    ("a\ud800b", "InvalidMessageContents"),
    ("x" * (KIB_64 + 1), "InvalidParameterValue"),
    ("ä" * (KIB_64 // 2 + 1), "InvalidParameterValue"),
]
TAKEN = [
    "{}", " ", "a\tb\nc\rd", "\u0020\ud7ff\ue000\ufffd", "\U00010000\U0010ffff", "\x7f\x85\u2028",
    "x" * KIB_64, "ä" * (KIB_64 // 2),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code"), REFUSED)
def test_a_body_that_sqs_refuses_is_refused_by_its_code_and_never_stored(caller, moto, body, code):
    status, answer = caller.send_message(body)
    assert status.startswith("400")
    assert answer["__type"] == code
    assert answer["message"]
    assert moto.bodies == []


@pytest.mark.parametrize("body", TAKEN)
def test_a_body_that_sqs_takes_arrives_as_it_was_sent(caller, moto, body):
    assert caller.send_message(body)[0] == "200 OK"
    assert [json.loads(b)["MessageBody"] for b in moto.bodies] == [body]


def batch(*bodies):
    entries = [{"Id": str(n), "MessageBody": body} for n, body in enumerate(bodies)]
    return {"QueueUrl": "q", "Entries": entries}


def test_a_batch_is_no_way_around_the_refusals(caller, moto):
    status, _ = caller.post(batch("{}", "a\x00b"), "AmazonSQS.SendMessageBatch")
    assert status.startswith("400")
    assert moto.bodies == []


def test_a_good_batch_arrives_whole(caller, moto):
    assert caller.post(batch("{}", "[]"), "AmazonSQS.SendMessageBatch")[0] == "200 OK"
    assert json.loads(moto.bodies[0]) == batch("{}", "[]")


# ---- Web pages

FOREIGN = [
    {"HTTP_ORIGIN": "https://example.org"},
    {"HTTP_ORIGIN": "null"},
    {"HTTP_ORIGIN": ""},
    {"HTTP_ORIGIN": "http://127.0.0.1:4511"},
    {"HTTP_HOST": "rebound.example:4510"},
    {"HTTP_HOST": "127.0.0.1.example:4510"},
    {"HTTP_HOST": "127.0.0.1:4511"},
    {"HTTP_HOST": ""},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize(
    ("target", "path"), [("AmazonSQS.SendMessage", "/"), ("", PATH), ("", "/bucket/key.png")]
)
def test_a_web_page_reaches_nothing_of_the_stack(caller, moto, headers, target, path):
    status, answer = caller.post({"MessageBody": "{}"}, target, path, **headers)
    assert status == "403 Forbidden"
    assert "no web page" in answer["message"]
    assert moto.bodies == []


@pytest.mark.parametrize("host", ["127.0.0.1:4510", "localhost:4510", "LocalHost:4510"])
def test_a_program_on_this_machine_reaches_it_by_either_name(caller, moto, host):
    assert caller.post({"a": 1}, HTTP_HOST=host)[0] == "200 OK"
    assert moto.bodies == [b'{"a": 1}']


# ---- DynamoDB


class Crowded:
    """A moto that keeps each request inside until it is let go, and counts who is inside."""

    def __init__(self):
        self.inside = self.most = self.done = 0
        self.lock = threading.Lock()
        self.entered = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)

    def __call__(self, environ, start):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self.entered.release()
        assert self.go_on.acquire(timeout=PATIENCE)
        with self.lock:
            self.inside -= 1
            self.done += 1
        start("200 OK", [])
        return [b"{}"]


def send_together(tmp_path, crowd, targets):
    """Send all at once; let one go on whenever one has entered."""
    caller = Caller(tmp_path, crowd)
    ready = threading.Barrier(len(targets))

    def send(target):
        ready.wait(PATIENCE)
        return caller.post({}, target)

    with ThreadPoolExecutor(len(targets)) as threads:
        answers = [threads.submit(send, target) for target in targets]
        for _ in targets:
            assert crowd.entered.acquire(timeout=PATIENCE)
            # A second one, if it could enter too, would do so within this time.
            crowd.entered.acquire(timeout=0.05) and crowd.entered.release()
            crowd.go_on.release()
        assert [answer.result(PATIENCE)[0] for answer in answers] == ["200 OK"] * len(targets)
    assert crowd.done == len(targets)


def test_two_dynamodb_requests_are_never_inside_at_once(tmp_path):
    crowd = Crowded()
    operations = ("PutItem", "UpdateItem", "GetItem", "TransactWriteItems")
    send_together(tmp_path, crowd, [f"DynamoDB_20120810.{o}" for o in operations])
    assert crowd.most == 1


def test_other_services_do_not_wait_for_each_other(tmp_path):
    crowd = Crowded()
    send_together(tmp_path, crowd, ["AmazonSQS.ReceiveMessage"] * 3)
    assert crowd.most > 1


def test_a_dynamodb_request_that_breaks_lets_the_next_one_in(tmp_path):
    def broken(environ, start):
        raise RuntimeError("moto broke")

    caller = Caller(tmp_path, broken)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="moto broke"):
            caller.post({}, "DynamoDB_20120810.PutItem")


# ---- SES


def test_an_accepted_email_is_kept_with_its_text_and_its_html(caller, moto):
    status, answer = caller.send_email()
    assert (status, answer) == ("200 OK", {"MessageId": "m-1"})
    assert json.loads(moto.bodies[0]) == EMAIL
    (email,) = caller.outbox.sent
    assert (email.number, email.message_id, email.booking_id) == (1, "m-1", "bk_1")
    assert (email.sender, email.recipient) == ("tickets@minitickets.example", "kim@example.org")
    assert email.subject == "Booking confirmed"
    assert (email.text, email.html) == ("in plain words", "<p>in HTML</p>")


def test_an_email_that_ses_refuses_is_not_kept(tmp_path):
    caller = Caller(tmp_path, Moto("400 Bad Request", b"{}"))
    assert caller.send_email()[0].startswith("400")
    assert caller.outbox.sent == ()


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        # https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
        (FaultKind.SES_THROTTLE, "429", "TooManyRequestsException"),
        (FaultKind.SES_REJECT, "400", "MessageRejected"),
        (FaultKind.SES_PAUSE, "400", "SendingPausedException"),
    ],
)
def test_a_fault_of_ses_refuses_that_bookings_email_once(tmp_path, kind, status, code):
    moto = Moto()
    caller = Caller(tmp_path, moto, [Fault("SendEmail", None, kind, 1, booking="bk_1")])

    other = caller.send_email(EmailTags=[{"Name": "bookingId", "Value": "bk_2"}])
    refused, answer = caller.send_email()
    again = caller.send_email()

    assert refused.startswith(status)
    assert answer["__type"] == code
    assert other[0] == again[0] == "200 OK"
    assert [email.booking_id for email in caller.outbox.sent] == ["bk_2", "bk_1"]
