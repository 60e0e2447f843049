"""The local stack lets in whom API Gateway's JWT authorizer would, and nobody else.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html
"""

import base64
import hashlib
import hmac
import json

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from local_stack.holder_api import HolderApi
from local_stack.lambda_service import FunctionNotFoundError, Invocation, TooManyRequests

NOW = 1_800_000_000
CLAIMS = {
    "iss": "https://identity.minitickets.example",
    "aud": "minitickets",
    "sub": "usr_1",
    "iat": NOW - 10,
    "nbf": NOW - 10,
    "exp": NOW + 10,
}


class Called:
    """A function that notes its events and answers as it is told."""

    def __init__(self):
        self.events = []
        self.answers = {"statusCode": 200, "headers": {"content-type": "x/y"}, "body": "é"}
        self.error = None

    def __call__(self, payload):
        if isinstance(self.error, Exception):
            raise self.error
        self.events.append(json.loads(payload))
        return Invocation(json.dumps(self.answers).encode(), self.error)


@pytest.fixture(scope="module")
def keys():
    """The issuer's key, made once, and another one of the same kind."""
    return RSAKey.generate_key(2048, {"kid": "k1"}), RSAKey.generate_key(2048, {"kid": "k1"})


@pytest.fixture
def api(keys):
    found = HolderApi()
    found.identity._now = lambda: NOW
    found.identity.key = keys[0]
    found.called = Called()
    found.deployed(found.called)
    return found


def signed(key, header=None, **changes):
    claims = {name: value for name, value in (CLAIMS | changes).items() if value is not None}
    header = header or {"alg": "RS256", "kid": "k1"}
    return jwt.encode(header, claims, key, algorithms=[header["alg"]])


def get(api, path="/_minitickets/api/tickets", query="", method="GET", **headers):
    seen = []
    environ = {
        "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query,
        "REMOTE_ADDR": "127.0.0.1", **{f"HTTP_{name}": value for name, value in headers.items()},
    }  # fmt: skip
    body = b"".join(api(environ, lambda *given: seen.append(given)))
    status, sent = seen[0]
    return int(status.split()[0]), dict(sent), body


def assert_refused(api, token):
    status, headers, body = get(api, AUTHORIZATION=f"Bearer {token}")
    assert (status, json.loads(body)) == (401, {"message": "Unauthorized"})
    assert headers["www-authenticate"].startswith('Bearer scope="" error="invalid_token"')
    assert api.called.events == []


@pytest.mark.parametrize("prefix", ["Bearer ", ""])
@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512"])
def test_a_token_that_counts_reaches_the_function_and_its_answer_comes_back(
    api, keys, prefix, algorithm
):
    token = signed(keys[0], {"alg": algorithm, "kid": "k1"})
    status, headers, body = get(api, AUTHORIZATION=prefix + token)
    assert (status, headers["content-type"], body) == (200, "x/y", "é".encode())
    (event,) = api.called.events
    assert event["version"] == "2.0"
    assert event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"] == "usr_1"
    assert "queryStringParameters" not in event


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": NOW}, {"exp": NOW - 1}, {"exp": None}, {"exp": str(NOW + 10)}, {"exp": True},
        {"exp": float("nan")}, {"exp": float("inf")}, {"nbf": float("-inf")},
        {"iat": float("nan")},
        {"sub": 5}, {"sub": ["usr_1"]}, {"sub": {}}, {"sub": True},
        {"nbf": NOW + 1}, {"iat": NOW + 1}, {"iat": "now"},
        {"iss": None}, {"iss": "https://other.example"},
        {"iss": "https://identity.minitickets.example/"},
        {"aud": None}, {"aud": "other"}, {"aud": ["other"]}, {"aud": []}, {"aud": "minitickets2"},
        {"aud": "other", "client_id": "minitickets"},
    ],
    ids=str,
)  # fmt: skip
def test_a_token_whose_claims_do_not_fit_is_refused(api, keys, changes):
    assert_refused(api, signed(keys[0], **changes))


@pytest.mark.parametrize(
    "changes",
    [{"aud": ["other", "minitickets"]}, {"aud": None, "client_id": "minitickets"},
     {"nbf": None, "iat": None}, {"nbf": NOW, "iat": NOW, "exp": NOW + 1}],
    ids=str,
)  # fmt: skip
def test_a_token_whose_claims_fit_in_another_way_counts(api, keys, changes):
    assert get(api, AUTHORIZATION=signed(keys[0], **changes))[0] == 200


def part(content):
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def signed_by_hand(key, header, payload):
    """RS256 over any JSON: what a library would not write."""
    text = f"{part(header)}.{payload}"
    signature = key.private_key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{text}.{base64.urlsafe_b64encode(signature).decode().rstrip('=')}"


def test_a_token_signed_by_hand_counts(api, keys):
    token = signed_by_hand(keys[0], {"alg": "RS256", "kid": "k1"}, part(CLAIMS))
    assert get(api, AUTHORIZATION=token)[0] == 200


@pytest.mark.parametrize("crit", [5, None, [5], ["x"], "x", {"x": 1}], ids=str)
def test_a_header_that_demands_what_nobody_knows_is_refused(api, keys, crit):
    assert_refused(
        api, signed_by_hand(keys[0], {"alg": "RS256", "kid": "k1", "crit": crit}, part(CLAIMS))
    )


def test_a_user_who_is_null_is_refused(api, keys):
    header = {"alg": "RS256", "kid": "k1"}
    assert_refused(api, signed_by_hand(keys[0], header, part(CLAIMS | {"sub": None})))


def test_claims_nested_too_deeply_are_refused(api, keys):
    deep = base64.urlsafe_b64encode(b"[" * 90_000).decode().rstrip("=")
    assert_refused(api, signed_by_hand(keys[0], {"alg": "RS256", "kid": "k1"}, deep))


def test_a_token_without_a_signature_is_refused(api):
    for algorithm in ("none", "None", "NONE", "nOnE"):
        assert_refused(api, f"{part({'alg': algorithm, 'kid': 'k1'})}.{part(CLAIMS)}.")


def test_a_token_signed_with_the_public_key_as_a_shared_secret_is_refused(api, keys):
    for public in (keys[0].as_pem(private=False), json.dumps(keys[0].as_dict(private=False))):
        text = f"{part({'alg': 'HS256', 'kid': 'k1'})}.{part(CLAIMS)}"
        secret = public if isinstance(public, bytes) else public.encode()
        mac = hmac.digest(secret, text.encode(), hashlib.sha256)
        assert_refused(api, f"{text}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}")


def test_a_token_of_another_key_is_refused(api, keys):
    assert_refused(api, signed(keys[1]))
    assert_refused(api, signed(keys[0], {"alg": "RS256", "kid": "k2"}))
    assert_refused(api, signed(keys[0], {"alg": "RS256"}))
    elliptic = ECKey.generate_key("P-256", {"kid": "k1"})
    assert_refused(api, signed(elliptic, {"alg": "ES256", "kid": "k1"}))
    own = keys[1].as_dict(private=False)
    assert_refused(api, signed(keys[1], {"alg": "RS256", "kid": "k1", "jwk": own}))


def test_a_changed_token_is_refused(api, keys):
    head, _, signature = signed(keys[0]).split(".")
    assert_refused(api, f"{head}.{part(CLAIMS | {'sub': 'usr_2'})}.{signature}")


@pytest.mark.parametrize("token", ["", "x", "..", "a.b.c", "é.é.é", "Bearer", "null", "A" * 9000])
def test_what_is_no_token_is_refused(api, token):
    assert_refused(api, token)


def test_claims_that_are_no_object_are_refused(api, keys):
    from joserfc import jws

    assert_refused(api, jws.serialize_compact({"alg": "RS256", "kid": "k1"}, b"[1]", keys[0]))


def test_no_header_at_all_is_refused(api):
    assert get(api)[0] == 401
    assert api.called.events == []


def test_a_token_without_a_user_counts_here_and_is_the_functions_to_refuse(api, keys):
    assert get(api, AUTHORIZATION=signed(keys[0], sub=None))[0] == 200
    assert "sub" not in api.called.events[0]["requestContext"]["authorizer"]["jwt"]["claims"]


def test_the_query_is_handed_on_as_api_gateway_does(api, keys):
    get(api, query="next=a%2Bb&x=1&x=2&empty=", AUTHORIZATION=signed(keys[0]))
    assert api.called.events[0]["queryStringParameters"] == {
        "next": "a+b", "x": "1,2", "empty": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("path", "method"),
    [("/_minitickets/api/tickets", "POST"), ("/_minitickets/api/tickets/", "GET"),
     ("/_minitickets/api", "GET"), ("/_minitickets/api/users", "GET")],
)  # fmt: skip
def test_there_is_nothing_else(api, keys, path, method):
    assert get(api, path, method=method, AUTHORIZATION=signed(keys[0]))[0] == 404


@pytest.mark.parametrize(
    ("error", "status"),
    [("Unhandled", 500), (TooManyRequests("x"), 503), (FunctionNotFoundError("x"), 404)],
)
def test_a_function_that_gives_no_answer_is_said_as_api_gateway_says_it(api, keys, error, status):
    api.called.error = error
    answered, _, body = get(api, AUTHORIZATION=signed(keys[0]))
    assert answered == status
    assert list(json.loads(body)) == ["message"]


def test_a_user_is_signed_in_for_an_hour(api):
    status, _, body = get(api, "/_minitickets/token", "user=usr_9")
    assert status == 200
    signed_in = json.loads(body)
    assert signed_in["expiresIn"] == 3600
    assert get(api, AUTHORIZATION=f"Bearer {signed_in['token']}")[0] == 200
    claims = api.called.events[0]["requestContext"]["authorizer"]["jwt"]["claims"]
    assert (claims["sub"], claims["exp"]) == ("usr_9", str(NOW + 3600))
    api.identity._now = lambda: NOW + 3600
    assert get(api, AUTHORIZATION=f"Bearer {signed_in['token']}")[0] == 401


@pytest.mark.parametrize("query", ["", "user=", "user=a&user=b"])
def test_nobody_is_signed_in_without_a_name(api, query):
    assert get(api, "/_minitickets/token", query)[0] == 400
