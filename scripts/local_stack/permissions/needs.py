"""What a request to AWS needs to be allowed, after AWS's service authorization reference.

https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

from collections.abc import Callable, Collection
from email.utils import parseaddr
from urllib.parse import parse_qs

from local_stack.aws import ACCOUNT, REGION
from local_stack.permissions.policy import Need
from local_stack.permissions.request import Request, UnknownCallError

Needs = tuple[Need, ...]

_TABLE_OPERATIONS = {
    "DeleteItem", "DescribeTable", "GetItem", "PutItem", "Query", "Scan", "UpdateItem",
}  # fmt: skip
_S3_ACTIONS = {
    ("PUT", True): "s3:PutObject",
    ("GET", True): "s3:GetObject",
    ("HEAD", True): "s3:GetObject",
    ("DELETE", True): "s3:DeleteObject",
    ("GET", False): "s3:ListBucket",
    ("HEAD", False): "s3:ListBucket",
}
# Every other field of a query, and these headers, ask for another action or one more.
_S3_PLAIN_QUERY = {
    "continuation-token", "delimiter", "encoding-type", "list-type", "marker", "max-keys", "prefix",
    "response-content-disposition", "response-content-type", "start-after", "x-id",
}  # fmt: skip
_S3_MORE = ("HTTP_X_AMZ_ACL", "HTTP_X_AMZ_GRANT", "HTTP_X_AMZ_TAGGING", "HTTP_X_AMZ_COPY_SOURCE")
_SES_ACTIONS = {"Simple": "ses:SendEmail", "Raw": "ses:SendRawEmail"}


def needs(request: Request) -> Needs:
    """Each of them has to be allowed. Raises UnknownCallError."""
    read = _SERVICES.get(request.service)
    try:
        found = read(request) if read else None
    except (KeyError, ValueError):  # it lacks what the API requires
        found = None
    if found is None:
        raise UnknownCallError(str(request))
    return found


def invoke_function(function: str) -> Need:
    """``function`` is a name or an ARN, with a qualifier or without."""
    name = function.rpartition("function:")[2]
    return Need("lambda:InvokeFunction", arn("lambda", f"function:{name}"))


def write_log(group: str) -> Needs:
    """What Lambda needs of a function's role to write its log: a stream, and lines in it."""
    stream = arn("logs", f"log-group:{group}:log-stream:$LATEST")
    return (Need("logs:CreateLogStream", stream), Need("logs:PutLogEvents", stream))


def arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def list_bucket(bucket: str) -> Need:
    return Need("s3:ListBucket", f"arn:aws:s3:::{bucket}")


def bucket_and_key(request: Request) -> tuple[str, str]:
    bucket, _, key = request.path.lstrip("/").partition("/")
    return bucket, key


def _dynamodb(request: Request) -> Needs | None:
    if request.operation not in _TABLE_OPERATIONS:
        return None
    fields = request.fields()
    table = fields["TableName"].rpartition("/")[2]  # a name, or an ARN
    index = f"/index/{fields['IndexName']}" if "IndexName" in fields else ""
    return (Need(f"dynamodb:{request.operation}", arn("dynamodb", f"table/{table}{index}")),)


def _sqs(request: Request) -> Needs | None:
    """A batch needs what its single operation needs."""
    fields = request.fields()
    queue = fields.get("QueueUrl", "").rpartition("/")[2] or fields.get("QueueName")
    if not queue:
        return None
    return (Need(f"sqs:{request.operation.removesuffix('Batch')}", arn("sqs", queue)),)


def _states(request: Request) -> Needs | None:
    fields = request.fields()
    resource = fields.get("executionArn") or fields.get("stateMachineArn")
    return (Need(f"states:{request.operation}", resource),) if resource else None


def _s3(request: Request) -> Needs | None:
    bucket, key = bucket_and_key(request)
    query = parse_qs(request.environ.get("QUERY_STRING", ""), keep_blank_values=True)
    signed = {name for name in query if name.startswith("X-Amz-")}
    action = _S3_ACTIONS.get((request.method, bool(key)))
    plain = query.keys() - signed <= _S3_PLAIN_QUERY
    if not (bucket and action and plain) or any(h.startswith(_S3_MORE) for h in request.environ):
        return None
    return (Need(action, f"arn:aws:s3:::{bucket}/{key}"),) if key else (list_bucket(bucket),)


def _ses(request: Request) -> Needs | None:
    """The sender's identity, and the configuration set where the request names one.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html
    """
    if (request.method, request.path) != ("POST", "/v2/email/outbound-emails"):
        return None
    fields = request.fields()
    actions = [_SES_ACTIONS[kind] for kind in fields["Content"] if kind in _SES_ACTIONS]
    if not actions:
        return None
    address = parseaddr(fields["FromEmailAddress"])[1]
    resources = [_identity(address, request.identities())]
    if "ConfigurationSetName" in fields:
        resources.append(f"configuration-set/{fields['ConfigurationSetName']}")
    context = (("ses:FromAddress", address),)
    return tuple(Need(actions[0], arn("ses", resource), context) for resource in resources)


def _identity(address: str, verified: Collection[str]) -> str:
    """The verified identity that stands for the sender: the address, its domain, or one above."""
    domain = address.rpartition("@")[2]
    labels = domain.split(".")
    candidates = [address, *(".".join(labels[i:]) for i in range(len(labels)))]
    return f"identity/{next((name for name in candidates if name in verified), domain)}"


def _lambda(request: Request) -> Needs | None:
    """Invoke; https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html."""
    match request.path.split("/"):
        case ["", _, "functions", function, "invocations"] if request.method == "POST":
            return (invoke_function(function),)
    return None


def _sts(request: Request) -> Needs | None:
    """GetCallerIdentity needs no permission.

    https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
    """
    asked = parse_qs(request.body().decode()).get("Action")
    return () if asked == ["GetCallerIdentity"] else None


_SERVICES: dict[str, Callable[[Request], Needs | None]] = {
    "dynamodb": _dynamodb,
    "lambda": _lambda,
    "s3": _s3,
    "ses": _ses,
    "sqs": _sqs,
    "states": _states,
    "sts": _sts,
}
