"""What a request passes first: the guard, if a role sent it."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from local_stack.permissions.account import caller_and_service, verified_identities
from local_stack.permissions.guard import Caller, Guard
from local_stack.permissions.needs import bucket_and_key, list_bucket, needs
from local_stack.permissions.refusal import Refusal
from local_stack.permissions.request import Request, UnknownCallError
from local_stack.request_body import read_body

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class GuardedAws:
    """A WSGI application: the given one, as far as the caller's role allows."""

    def __init__(self, aws: "WSGIApplication", guard: Guard) -> None:
        self._aws = aws
        self._guard = guard

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        caller, service = caller_and_service(environ)
        if caller is None:
            return self._aws(environ, start)
        request = Request(service, environ, lambda: read_body(environ), verified_identities)
        refusal = self._refusal(caller, request)
        if refusal:
            return refusal(environ, start)
        if service == "s3" and request.method in ("GET", "HEAD"):
            return self._read_object(caller, request, start)
        return self._aws(environ, start)

    def _refusal(self, caller: Caller, request: Request) -> Refusal | None:
        try:
            reason = self._guard.why_not(caller, *needs(request))
        except UnknownCallError as unknown:
            reason = (
                f"The local stack does not know which permissions {unknown} needs, so it refuses "
                f"it to {caller.arn}."
            )
        return Refusal(request.service, reason) if reason else None

    def _read_object(
        self, caller: Caller, request: Request, start: "StartResponse"
    ) -> Iterable[bytes]:
        """Only who may list a bucket is told that a key is missing.

        https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
        """
        seen: list[tuple[Any, ...]] = []

        def hold(*answer: Any) -> Callable[[bytes], object]:
            seen.append(answer)
            return lambda _: None

        body = b"".join(self._aws(_signed_in_a_header(request.environ), hold))
        bucket, _ = bucket_and_key(request)
        if seen[0][0].startswith("404"):
            reason = self._guard.why_not(caller, list_bucket(bucket))
            if reason:
                return Refusal(request.service, reason)(request.environ, start)
        start(*seen[0])
        return [body]


def _signed_in_a_header(environ: "WSGIEnvironment") -> "WSGIEnvironment":
    """A signed link as if its signature stood in a header, for moto.

    Where an object is missing moto takes a link's response-content-type for a header that was
    signed, and says SignatureDoesNotMatch.
    """
    credential = parse_qs(environ.get("QUERY_STRING", "")).get("X-Amz-Credential")
    if "HTTP_AUTHORIZATION" in environ or not credential:
        return environ
    return {**environ, "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 Credential={credential[0]}"}
