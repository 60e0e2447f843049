"""Who calls, and which policies that role has now: read from moto at every call.

So a policy that is changed through IAM's API counts from then on.
"""

import functools
import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from moto.iam.models import iam_backends
from moto.ses.models import ses_backends
from moto.sts.models import sts_backends

from local_stack.aws import ACCOUNT, REGION
from local_stack.permissions.guard import Caller

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_PARTITION = "aws"
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
_SIGNATURE_V4 = re.compile(
    r"Credential=(?P<key>[^/&,%]+)(?:/|%2F)[0-9]{8}(?:/|%2F)[^/&,%]+(?:/|%2F)(?P<service>[^/&,%]+)"
)
_SIGNATURE_V2 = re.compile(r"AWSAccessKeyId=(?P<key>[^&]+)")


def caller_and_service(environ: "WSGIEnvironment") -> tuple[Caller | None, str]:
    """Who signed the request, and for which service; None for anybody who is no role.

    The service is empty where the signature is so old that it does not say.
    """
    signed = environ.get("HTTP_AUTHORIZATION") or environ.get("QUERY_STRING", "")
    found = _SIGNATURE_V4.search(signed) or _SIGNATURE_V2.search(signed)
    if not found:
        return None, ""
    return session(found["key"]), found.groupdict().get("service", "")


@functools.lru_cache(maxsize=1024)  # a key never changes hands
def session(access_key: str) -> Caller | None:
    assumed = sts_backends[ACCOUNT][_PARTITION].get_assumed_role_from_access_key(access_key)
    return Caller.of(assumed.role_arn, assumed.session_name) if assumed else None


def roles() -> list[str]:
    """The names of all roles."""
    return [role.name for role in iam_backends[ACCOUNT][_PARTITION].get_roles()]


def policies(role: str) -> tuple[str, ...]:
    """The texts of the role's policies."""
    found: Any = iam_backends[ACCOUNT][_PARTITION].get_role(role)
    for name, policy in list(found.policies.items()):
        if not isinstance(policy, str):  # a template's, which moto keeps as it came
            found.policies[name] = json.dumps(policy)
    managed = (policy.document for policy in found.managed_policies.values())
    return (*found.policies.values(), *managed)


def verified_identities() -> Collection[str]:
    """The domains and addresses that SES may send from."""
    identities: Collection[str] = ses_backends[ACCOUNT][REGION].email_identities
    return identities
