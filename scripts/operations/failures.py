"""What went wrong between this command and AWS, as one sentence."""

from botocore import exceptions as aws
from botocore.parsers import ResponseParserError

from operations.finding import NotFound

_START = "Start the local stack with scripts/run, or name AWS with --profile, --region and --stage."
_NO_SESSION = (
    aws.SSOTokenLoadError,
    aws.TokenRetrievalError,
    aws.UnauthorizedSSOTokenError,
    aws.CredentialRetrievalError,
)
_BAD_KEYS = (
    "ExpiredToken",
    "ExpiredTokenException",
    "InvalidClientTokenId",
    "UnrecognizedClientException",
    "SignatureDoesNotMatch",
    "InvalidSignatureException",
    "InvalidAccessKeyId",
)
_MISSING = (
    "StateMachineDoesNotExist",
    "ResourceNotFoundException",
    "QueueDoesNotExist",
    "AWS.SimpleQueueService.NonExistentQueue",
)
_TOO_FAST = ("ThrottlingException", "Throttling", "TooManyRequestsException")


class NoAnswer(Exception):
    """A function was reached and gave no answer; the message is for people."""


KNOWN = (aws.BotoCoreError, aws.ClientError, ResponseParserError, NotFound, NoAnswer)


def sentence(error: Exception, where: str, endpoint: str | None) -> str:
    """What to tell a person of one of ``KNOWN``. ``endpoint`` is None on AWS."""
    if isinstance(error, aws.ClientError):
        return _refused(error, where)
    if isinstance(error, aws.HTTPClientError | aws.ConnectionError):
        if endpoint is not None:
            return f"Nothing answers at {endpoint}. {_START}"
        return f"AWS cannot be reached: {error}"
    if isinstance(error, ResponseParserError):
        return f"What answers at {endpoint or 'that address'} does not speak AWS's protocol."
    return _configuration(error)


def _configuration(error: Exception) -> str:
    if isinstance(error, aws.ProfileNotFound):
        return f"{error}. `aws configure list-profiles` names those that there are."
    if isinstance(error, aws.NoCredentialsError | aws.PartialCredentialsError):
        return "There are no AWS credentials: name a profile that has some with --profile."
    if isinstance(error, _NO_SESSION):
        return f"The profile's session cannot be used, log in again: {error}"
    if isinstance(error, aws.NoRegionError):
        return "No AWS region is set: give one with --region, or set it in the profile."
    return str(error)


def _refused(error: aws.ClientError, where: str) -> str:
    code = str(error.response.get("Error", {}).get("Code", "Unknown"))
    message = " ".join(str(error.response.get("Error", {}).get("Message", "")).split()).rstrip(".")
    name = error.operation_name
    if code.startswith("AccessDenied") or code in ("UnauthorizedOperation", "NotAuthorized"):
        return f"You are not permitted to call {name} in {where}: {message or code}."
    if code in _BAD_KEYS:
        return f"AWS does not accept these credentials ({code}): log in again."
    if code in _MISSING:
        return f"There is no MiniTickets in {where}: {name} says {message or code}."
    if code in _TOO_FAST:
        return f"AWS refuses {name} for its rate ({code}): wait a minute and start again."
    return f"{name} was refused in {where}: {message or code} ({code})."
