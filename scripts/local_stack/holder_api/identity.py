"""An identity provider with a key of its own, and the check of its tokens.

The check is that of API Gateway's JWT authorizer:
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-jwt-authorizer.html. That page
leaves open whether a token has to have an end, and what becomes of a time that is not finite and of
a ``sub`` that is no text. Here it has to, and the others do not count: handed on as texts, as API
Gateway hands on claims, ``null`` and ``5`` would be users of those names.
"""

import math
import time
import uuid
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joserfc.jwk import RSAKey

ISSUER = "https://identity.minitickets.example"
AUDIENCE = "minitickets"
LIFETIME = 3600  # seconds

Claims = dict[str, Any]

_RSA = ["RS256", "RS384", "RS512"]
_BEARER = "Bearer "


class UnauthorizedError(Exception):
    """The token does not count; the text says why."""


class IdentityProvider:
    """``now`` gives seconds since 1970. Its key is made when it is first needed."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now

    @cached_property
    def key(self) -> "RSAKey":
        from joserfc.jwk import RSAKey

        return RSAKey.generate_key(2048, {"kid": str(uuid.uuid4()), "use": "sig"}, private=True)

    def token(self, user: str) -> str:
        """What the user would have after signing in."""
        from joserfc import jwt

        now = int(self._now())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": user, "iat": now, "exp": now + LIFETIME}
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def claims(self, authorization: str) -> Claims:
        """The claims of the token in an ``Authorization``; raises UnauthorizedError."""
        token = authorization.removeprefix(_BEARER)
        if not token:
            raise UnauthorizedError("there is no token")
        claims = self._signed(token)
        self._check(claims)
        return claims

    def _signed(self, token: str) -> Claims:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import RSAKey

        public = RSAKey.import_key(self.key.as_dict(private=False))
        try:
            decoded = jwt.decode(token, public, algorithms=_RSA)
        # The library takes a header's ``crit`` for a list of texts, and nested JSON as it comes.
        except (JoseError, ValueError, TypeError, RecursionError) as error:
            raise UnauthorizedError("the token's signature does not count") from error
        if decoded.header.get("kid") != self.key.kid:
            raise UnauthorizedError("the token names no key of the issuer's")
        return decoded.claims

    def _check(self, claims: Claims) -> None:
        audience = claims.get("aud", claims.get("client_id"))
        listed = audience if isinstance(audience, list) else [audience]
        times = {name: claims.get(name, 0) for name in ("exp", "nbf", "iat")}
        now = self._now()
        if not all(_is_time(value) for value in times.values()):
            raise UnauthorizedError("the token has a time that is no number")
        if not isinstance(claims.get("sub", ""), str):
            raise UnauthorizedError("the token names its user by something else than a text")
        if claims.get("iss") != ISSUER:
            raise UnauthorizedError("the token is of another issuer")
        if AUDIENCE not in listed:
            raise UnauthorizedError("the token does not have a valid audience")
        if times["exp"] <= now:
            raise UnauthorizedError("the token has expired")
        if max(times["nbf"], times["iat"]) > now:
            raise UnauthorizedError("the token is not valid yet")


def _is_time(value: object) -> bool:
    """Python reads NaN and Infinity in JSON, which has neither."""
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
