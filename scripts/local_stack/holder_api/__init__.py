"""My tickets over HTTP, as API Gateway serves it, and an identity provider of this stack's own.

- ``GET /_minitickets/api/tickets`` is the template's API: it checks the token as API Gateway's JWT
  authorizer does, invokes the function, and gives its answer.
- ``GET /_minitickets/token?user=usr_1`` signs a user in without a question, since here are only
  users who were made up: ``{"token": "eyJ…", "expiresIn": 3600}``.
"""

from local_stack.holder_api.front import PATHS, HolderApi
from local_stack.holder_api.identity import AUDIENCE, ISSUER

__all__ = ["AUDIENCE", "ISSUER", "PATHS", "HolderApi"]
