"""SES is asked once, and its refusals travel by name without an address."""

import socket
import threading
import traceback
from types import SimpleNamespace

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from minitickets.adapters.clients import client
from minitickets.adapters.mailer import Mailer
from minitickets.domain.confirmation import Confirmation
from minitickets.errors import EmailRejected, EmailThrottled

CONFIRMATION = Confirmation(subject="Gala: Zoë 🎫", text="text €", html="<p>html €</p>")
CUSTOMER = "kim.o'neil+x@xn--exmple-cua.org"
# As SES words it, https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-error-messages.html
SAID = (
    "Email address is not verified. The following identities failed the check in region "
    f"EU-WEST-1: {CUSTOMER}, Kim <{CUSTOMER}>;tickets@minitickets.example"
)
# https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
REFUSALS = {
    "TooManyRequestsException": EmailThrottled,
    "LimitExceededException": EmailThrottled,
    "AccountSuspendedException": EmailRejected,
    "BadRequestException": EmailRejected,
    "MailFromDomainNotVerifiedException": EmailRejected,
    "MessageRejected": EmailRejected,
    "NotFoundException": EmailRejected,
    "SendingPausedException": EmailRejected,
}


def mailer(answer):
    """A mailer whose SES gives this answer, and the requests it gets."""
    requests = []

    def send_email(**request):
        requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    ses = SimpleNamespace(send_email=send_email)
    return Mailer(ses, "tickets@minitickets.example", "minitickets-dev"), requests


def refusal(code):
    return ClientError({"Error": {"Code": code, "Message": SAID}}, "SendEmail")


def test_one_email_is_asked_for_with_text_and_html_the_bookings_tag_and_the_set_that_counts_it():
    sender, requests = mailer({"MessageId": "m-1"})
    assert sender.send("kim@example.org", "bk_1", CONFIRMATION) == "m-1"
    assert requests == [
        {
            "FromEmailAddress": "tickets@minitickets.example",
            "ConfigurationSetName": "minitickets-dev",
            "Destination": {"ToAddresses": ["kim@example.org"]},
            "Content": {
                "Simple": {
                    "Subject": {"Data": "Gala: Zoë 🎫", "Charset": "UTF-8"},
                    "Body": {
                        "Text": {"Data": "text €", "Charset": "UTF-8"},
                        "Html": {"Data": "<p>html €</p>", "Charset": "UTF-8"},
                    },
                }
            },
            "EmailTags": [{"Name": "bookingId", "Value": "bk_1"}],
        }
    ]


@pytest.mark.parametrize("code", REFUSALS)
def test_each_refusal_of_ses_travels_by_its_name_in_the_machine(code):
    sender, requests = mailer(refusal(code))
    with pytest.raises(REFUSALS[code], match=f"^{code}: Email address is not verified"):
        sender.send(CUSTOMER, "bk_1", CONFIRMATION)
    assert len(requests) == 1


@pytest.mark.parametrize("code", ["InternalServiceErrorException", "AccessDeniedException"])
def test_an_error_that_says_nothing_of_acceptance_stays_transient(code):
    sender, _ = mailer(refusal(code))
    with pytest.raises(ClientError) as caught:
        sender.send(CUSTOMER, "bk_1", CONFIRMATION)
    assert caught.value.response["Error"]["Code"] == code


@pytest.mark.parametrize("code", [*REFUSALS, "InternalServiceErrorException"])
def test_no_address_leaves_in_the_error_its_arguments_or_what_it_is_chained_to(code):
    sender, _ = mailer(refusal(code))
    with pytest.raises((EmailThrottled, EmailRejected, ClientError)) as caught:
        sender.send(CUSTOMER, "bk_1", CONFIRMATION)
    error = caught.value
    chain = [error, error.__cause__, error.__context__]
    told = [repr(e) + str(e) + repr(getattr(e, "args", "")) + repr(vars(e)) for e in chain if e]
    told.append("".join(traceback.format_exception_only(error)))
    assert "@" not in " ".join(told)
    assert "not verified" in str(error)


class Dropping:
    """A server that reads a request to its end, counts it, and hangs up."""

    def __init__(self):
        self.requests = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                connection.settimeout(10)
                length = 0
                while (line := stream.readline().strip().lower()) != b"":
                    if line.startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                stream.read(length)
                self.requests += 1

    def close(self):
        # Closing alone does not wake the thread that accepts.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)


@pytest.fixture
def dropping(monkeypatch):
    server = Dropping()
    for name, value in {
        "AWS_ENDPOINT_URL": server.url,
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    yield server
    server.close()


def test_a_lost_reply_of_ses_is_not_asked_for_again(dropping):
    """A second attempt of the SDK would be a second email."""
    sender = Mailer.connect("tickets@minitickets.example", "minitickets-dev")
    with pytest.raises(BotoCoreError):
        sender.send("kim@example.org", "bk_1", CONFIRMATION)
    assert dropping.requests == 1


def test_a_lost_reply_of_a_table_is_asked_for_again(dropping):
    """The other clients do retry: the server above counts rightly."""
    with pytest.raises(BotoCoreError):
        client("dynamodb").get_item(TableName="t", Key={"k": {"S": "v"}})
    assert dropping.requests == 2
