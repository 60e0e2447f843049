"""What API Gateway does with a request for My tickets: checks the token, invokes, answers."""

import json
import time
import uuid
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, parse_qsl

from local_stack.aws import ACCOUNT
from local_stack.holder_api.identity import LIFETIME, Claims, IdentityProvider, UnauthorizedError
from local_stack.lambda_service import FunctionNotFoundError, Invocation, TooManyRequests

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

API = "/_minitickets/api"
TICKETS = f"{API}/tickets"
TOKEN = "/_minitickets/token"  # noqa: S105 - a path
PATHS = (API, TOKEN)

Invoke = Callable[[bytes], Invocation]
Answer = tuple[int, list[tuple[str, str]], bytes]


class HolderApi:
    """A WSGI application. Until :meth:`deployed` says what to invoke, there is nothing here."""

    def __init__(self) -> None:
        self.identity = IdentityProvider()
        self._invoke: Invoke | None = None

    def deployed(self, invoke: Invoke) -> None:
        self._invoke = invoke

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        status, headers, body = self._answer(environ)
        headers += [("Content-Length", str(len(body))), ("apigw-requestid", str(uuid.uuid4()))]
        start(f"{status} {HTTPStatus(status).phrase}", headers)
        return [body]

    def _answer(self, environ: "WSGIEnvironment") -> Answer:
        asked = (environ["REQUEST_METHOD"], environ["PATH_INFO"])
        if asked == ("GET", TOKEN):
            return self._sign_in(environ.get("QUERY_STRING", ""))
        if asked != ("GET", TICKETS) or self._invoke is None:
            return _said(HTTPStatus.NOT_FOUND, "Not Found")
        try:
            claims = self.identity.claims(environ.get("HTTP_AUTHORIZATION", ""))
        except UnauthorizedError as error:
            why = f'Bearer scope="" error="invalid_token" error_description="{error}"'
            return _said(HTTPStatus.UNAUTHORIZED, "Unauthorized", ("www-authenticate", why))
        try:
            return _of_function(self._invoke(json.dumps(event(environ, claims)).encode()))
        except FunctionNotFoundError:  # compute is off, and the API has gone with it
            return _said(HTTPStatus.NOT_FOUND, "Not Found")
        except TooManyRequests:
            return _said(HTTPStatus.SERVICE_UNAVAILABLE, "Service Unavailable")

    def _sign_in(self, query: str) -> Answer:
        users = parse_qs(query).get("user", [])
        if len(users) != 1:
            return _said(HTTPStatus.BAD_REQUEST, "Name one user: ?user=usr_1")
        signed_in = {"token": self.identity.token(users[0]), "expiresIn": LIFETIME}
        return HTTPStatus.OK, [("Content-Type", "application/json")], json.dumps(signed_in).encode()


def event(environ: "WSGIEnvironment", claims: Claims) -> dict[str, Any]:
    """Payload version 2.0; what API Gateway leaves out where it is empty is left out.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    raw = environ.get("QUERY_STRING", "")
    query: dict[str, str] = {}
    for name, value in parse_qsl(raw, keep_blank_values=True):
        query[name] = f"{query[name]},{value}" if name in query else value
    path, now = environ["PATH_INFO"].removeprefix(API), time.time()
    return {
        "version": "2.0",
        "routeKey": f"GET {path}",
        "rawPath": path,
        "rawQueryString": raw,
        "headers": {
            name.removeprefix("HTTP_").replace("_", "-").lower(): value
            for name, value in environ.items()
            if name.startswith("HTTP_")
        },
        **({"queryStringParameters": query} if query else {}),
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": "local",
            "authorizer": {"jwt": {"claims": _texts(claims), "scopes": None}},
            "http": {"method": "GET", "path": path, "sourceIp": environ.get("REMOTE_ADDR", "")},
            "requestId": str(uuid.uuid4()),
            "routeKey": f"GET {path}",
            "stage": "$default",
            "timeEpoch": int(now * 1000),
        },
        "isBase64Encoded": False,
    }


def _texts(claims: Claims) -> dict[str, str]:
    """API Gateway hands every claim on as a text."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in claims.items()
    }


def _of_function(result: Invocation) -> Answer:
    if result.function_error:
        return _said(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal Server Error")
    given = json.loads(result.payload)
    return given["statusCode"], list(given["headers"].items()), given["body"].encode()


def _said(status: HTTPStatus, message: str, *headers: tuple[str, str]) -> Answer:
    body = json.dumps({"message": message}).encode()
    return status, [("Content-Type", "application/json"), *headers], body
