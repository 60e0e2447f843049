"""A role's call is refused in the words of AWS's service, and allowed by just what it needs."""

import itertools
import json
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.error import HTTPError

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local_stack.aws import Credentials, Endpoint

HERE = "eu-west-1:123456789012"
TRUST = {"Version": "2012-10-17", "Statement": []}
DOMAIN = f"arn:aws:ses:{HERE}:identity/permissions.example"
_numbers = itertools.count(1)


class Role:
    """A role with one policy of its own, and a session of it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._iam = endpoint.client("iam")
        self.name = f"tested-{next(_numbers)}"
        role = self._iam.create_role(RoleName=self.name, AssumeRolePolicyDocument=json.dumps(TRUST))
        answer = endpoint.client("sts").assume_role(
            RoleArn=role["Role"]["Arn"], RoleSessionName="a-session"
        )
        keys = answer["Credentials"]
        self.session = Credentials(
            keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"]
        )
        self.arn = f"arn:aws:sts::123456789012:assumed-role/{self.name}/a-session"

    def may(self, *grants: tuple[str, str], **elements: Any) -> None:
        """Have this policy instead of the one of before."""
        statements = [
            {"Effect": "Allow", "Action": action, "Resource": resource} | elements
            for action, resource in grants
        ]
        document = {"Version": "2012-10-17", "Statement": statements}
        self._iam.put_role_policy(
            RoleName=self.name, PolicyName="all", PolicyDocument=json.dumps(document)
        )

    def client(self, service: str) -> Any:
        return self._endpoint.client(service, self.session, attempts=1)


@pytest.fixture
def aws(endpoint) -> Callable[[str], Any]:
    return endpoint[0].client


@pytest.fixture
def role(endpoint) -> Role:
    return Role(endpoint[0])


def refusal(call: Callable[[], Any]) -> dict[str, Any]:
    """The error of a call that has to fail, with its status."""
    with pytest.raises(ClientError) as failed:
        call()
    answer = failed.value.response
    return answer["Error"] | {"Status": answer["ResponseMetadata"]["HTTPStatusCode"]}


def code(call: Callable[[], Any]) -> str | None:
    """The error code of a call, None if it succeeds."""
    try:
        call()
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return None


def email(sender: str = "tickets@permissions.example", **fields: Any) -> dict[str, Any]:
    text = {"Data": "x"}
    return {
        "FromEmailAddress": sender,
        "Destination": {"ToAddresses": ["kim@example.org"]},
        "Content": {"Simple": {"Subject": text, "Body": {"Text": text, "Html": text}}},
        "EmailTags": [{"Name": "bookingId", "Value": "bk_permissions"}],
    } | fields


QUEUE = "https://sqs.eu-west-1.amazonaws.com/123456789012/q"
MACHINE = f"arn:aws:states:{HERE}:stateMachine:m"
TABLE = f"arn:aws:dynamodb:{HERE}:table/t"
KEY = {"k": {"S": "1"}}
ENTRY = {"Id": "1", "MessageBody": "x"}
QUERY = {"KeyConditionExpression": "k = :k", "ExpressionAttributeValues": {":k": {"S": "1"}}}
OBJECT = {"Bucket": "b", "Key": "tickets/1.png"}
EXECUTION = f"arn:aws:states:{HERE}:execution:m:e"
SQS = f"arn:aws:sqs:{HERE}:q"
IMAGE = "arn:aws:s3:::b/tickets/1.png"
# An operation with its parameters, and what it needs: an action on a resource.
CALLS = [
    ("dynamodb.put_item", {"TableName": "t", "Item": KEY}, "dynamodb:PutItem", TABLE),
    ("dynamodb.get_item", {"TableName": TABLE, "Key": KEY}, "dynamodb:GetItem", TABLE),
    ("dynamodb.query", {"TableName": "t"} | QUERY, "dynamodb:Query", TABLE),
    (
        "dynamodb.query",
        {"TableName": "t", "IndexName": "index"} | QUERY,
        "dynamodb:Query",
        f"{TABLE}/index/index",
    ),
    ("sqs.receive_message", {"QueueUrl": QUEUE}, "sqs:receivemessage", SQS),
    ("sqs.send_message_batch", {"QueueUrl": QUEUE, "Entries": [ENTRY]}, "sqs:sendmessage", SQS),
    ("sqs.get_queue_url", {"QueueName": "q"}, "sqs:getqueueurl", SQS),
    (
        "stepfunctions.start_execution",
        {"stateMachineArn": MACHINE},
        "states:StartExecution",
        MACHINE,
    ),
    (
        "stepfunctions.stop_execution",
        {"executionArn": EXECUTION},
        "states:StopExecution",
        EXECUTION,
    ),
    ("s3.put_object", OBJECT, "s3:PutObject", IMAGE),
    ("s3.delete_object", OBJECT, "s3:DeleteObject", IMAGE),
    ("s3.list_objects_v2", {"Bucket": "b", "Prefix": "x"}, "s3:ListBucket", "arn:aws:s3:::b"),
]
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
# https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html#ErrorCodeList
SAID_BY = {
    "dynamodb": ("AccessDeniedException", 400),
    "stepfunctions": ("AccessDeniedException", 400),
    "sqs": ("AccessDenied", 403),
    "s3": ("AccessDenied", 403),
}


@pytest.mark.parametrize(("operation", "parameters", "action", "resource"), CALLS)
def test_a_call_needs_one_action_on_one_resource_and_is_refused_without_as_aws_does(
    role, operation, parameters, action, resource
):
    service, name = operation.split(".")
    error, status = SAID_BY[service]
    call = partial(getattr(role.client(service), name), **parameters)

    shown = f'"{resource}"' if service == "s3" else resource
    said = (
        f"User: {role.arn} is not authorized to perform: {action} on resource: {shown} "
        f"because no identity-based policy allows the {action} action"
    )
    assert refusal(call) == refusal(call) | {"Code": error, "Message": said, "Status": status}
    role.may((action, f"{resource}-of-another"), (f"{action}Again", resource))
    assert refusal(call)["Message"] == said
    role.may((action, resource))
    # Nothing of this exists: what answers now is the service.
    assert code(call) != error


def test_a_deny_is_told_apart(role, aws):
    document = {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"},
            {"Effect": "Deny", "Action": "dynamodb:PutItem", "Resource": "*"},
        ],
    }
    aws("iam").put_role_policy(
        RoleName=role.name, PolicyName="denies", PolicyDocument=json.dumps(document)
    )
    dynamodb = role.client("dynamodb")
    message = refusal(lambda: dynamodb.put_item(TableName="t", Item=KEY))["Message"]
    assert message.endswith(f"{TABLE} with an explicit deny in an identity-based policy")
    assert code(lambda: dynamodb.get_item(TableName="t", Key=KEY)) == "ResourceNotFoundException"


# ---- SES: https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html


@pytest.fixture
def sends(role, aws) -> Callable[..., Any]:
    ses = aws("sesv2")
    if "permissions.example" not in {
        i["IdentityName"] for i in ses.list_email_identities()["EmailIdentities"]
    }:
        ses.create_email_identity(EmailIdentity="permissions.example")
    return lambda **fields: role.client("sesv2").send_email(**email(**fields))


def test_an_email_needs_the_senders_identity(role, sends):
    assert refusal(sends) == refusal(sends) | {
        "Code": "AccessDeniedException",
        "Message": f"User `{role.arn}' is not authorized to perform `ses:SendEmail' "
        f"on resource `{DOMAIN}'",
        "Status": 403,
    }
    role.may(("ses:SendEmail", DOMAIN))
    assert code(sends) is None


def test_an_email_of_another_sender_is_refused_by_the_condition(role, sends):
    condition = {"StringEquals": {"ses:FromAddress": "tickets@permissions.example"}}
    role.may(("ses:SendEmail", DOMAIN), Condition=condition)
    assert code(sends) is None
    assert code(lambda: sends(sender="MiniTickets <tickets@permissions.example>")) is None
    assert code(lambda: sends(sender="other@permissions.example")) == "AccessDeniedException"


def test_a_configuration_set_that_is_named_has_to_be_allowed_too(role, sends):
    def call():
        sends(ConfigurationSetName="events")

    of_set = f"arn:aws:ses:{HERE}:configuration-set/events"
    role.may(("ses:SendEmail", DOMAIN))
    assert refusal(call)["Message"].endswith(f"`ses:SendEmail' on resource `{of_set}'")
    role.may(("ses:SendEmail", of_set))
    assert refusal(call)["Message"].endswith(f"`ses:SendEmail' on resource `{DOMAIN}'")
    role.may(("ses:SendEmail", of_set), ("ses:SendEmail", DOMAIN))
    assert code(call) != "AccessDeniedException"


def test_an_address_that_is_verified_itself_is_the_identity(role, sends, aws):
    aws("sesv2").create_email_identity(EmailIdentity="own@permissions.example")
    role.may(("ses:SendEmail", DOMAIN))
    message = refusal(lambda: sends(sender="own@permissions.example"))["Message"]
    assert message.endswith(f"`arn:aws:ses:{HERE}:identity/own@permissions.example'")
    assert code(lambda: sends(sender="a@sub.permissions.example")) != "AccessDeniedException"


def test_a_raw_email_is_another_action(role, sends):
    role.may(("ses:SendEmail", DOMAIN))
    raw = {"Raw": {"Data": b"From: tickets@permissions.example\r\n\r\nx"}}
    assert "`ses:SendRawEmail'" in refusal(lambda: sends(Content=raw))["Message"]


# ---- S3: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html


def test_only_who_may_list_the_bucket_is_told_that_a_key_is_missing(role, aws):
    where = {"LocationConstraint": "eu-west-1"}
    aws("s3").create_bucket(Bucket="permissions", CreateBucketConfiguration=where)
    aws("s3").put_object(Bucket="permissions", Key="there", Body=b"content")
    s3 = role.client("s3")
    read = ("s3:GetObject", "arn:aws:s3:::permissions/*")
    role.may(read)
    assert s3.get_object(Bucket="permissions", Key="there")["Body"].read() == b"content"
    refused = refusal(lambda: s3.get_object(Bucket="permissions", Key="missing"))
    assert (refused["Code"], refused["Status"]) == ("AccessDenied", 403)
    assert "s3:ListBucket" in refused["Message"]
    assert refusal(lambda: s3.head_object(Bucket="permissions", Key="missing"))["Status"] == 403

    role.may(read, ("s3:ListBucket", "arn:aws:s3:::permissions"))
    assert code(lambda: s3.get_object(Bucket="permissions", Key="missing")) == "NoSuchKey"
    assert refusal(lambda: s3.head_object(Bucket="permissions", Key="missing"))["Status"] == 404


@pytest.mark.parametrize("signature", ["s3", "s3v4"])
def test_a_presigned_url_may_no_more_than_its_role(role, endpoint, signature):
    keys = role.session
    s3 = boto3.client(
        "s3",
        endpoint_url=endpoint[0].url,
        region_name="eu-west-1",
        aws_access_key_id=keys.access_key_id,
        aws_secret_access_key=keys.secret_access_key,
        aws_session_token=keys.session_token,
        config=Config(signature_version=signature, s3={"addressing_style": "path"}),
    )
    url = s3.generate_presigned_url("get_object", OBJECT)
    with pytest.raises(HTTPError) as failed:
        urllib.request.urlopen(url)
    assert failed.value.code == 403
    assert role.arn in failed.value.read().decode()


# ---- What is not known, and who is not asked


@pytest.mark.parametrize(
    ("service", "call"),
    [
        ("dynamodb", lambda client: client.list_tables()),
        ("dynamodb", lambda client: client.execute_statement(Statement='SELECT * FROM "t"')),
        ("s3", lambda client: client.list_buckets()),
        ("s3", lambda client: client.put_object(**OBJECT, ACL="public-read")),
        ("s3", lambda client: client.get_object_tagging(**OBJECT)),
        ("sqs", lambda client: client.list_queues()),
        ("sesv2", lambda client: client.list_email_identities()),
        ("sns", lambda client: client.list_topics()),
    ],
)
def test_a_call_that_is_not_known_is_refused_to_a_role_that_may_do_everything(role, service, call):
    role.may(("*", "*"))
    message = refusal(lambda: call(role.client(service)))["Message"]
    assert "The local stack does not know which permissions" in message
    assert role.arn in message


def test_who_is_no_role_may_do_everything(aws):
    aws("dynamodb").list_tables()
    aws("sns").list_topics()


def test_everybody_may_ask_who_he_is(role):
    assert role.client("sts").get_caller_identity()["Arn"] == role.arn


def test_a_policy_that_is_not_understood_allows_nothing_and_is_named(role):
    condition = {"StringNotEquals": {"ses:FromAddress": "x"}}
    role.may(("dynamodb:PutItem", TABLE), Condition=condition)
    dynamodb = role.client("dynamodb")
    message = refusal(lambda: dynamodb.put_item(TableName="t", Item=KEY))["Message"]
    assert "cannot be enforced" in message
    assert "StringNotEquals" in message
    assert role.name in message
