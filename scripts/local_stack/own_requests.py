"""Whom the local stack answers: programs on this machine, and no web page.

A page of elsewhere can make a browser send requests to 127.0.0.1, and moto lets it read the answers
too (it sends CORS headers); with a name of its own that leads there (DNS rebinding) a page does not
even need them. The first carries an ``Origin``, which no AWS SDK sends; the second a foreign
``Host``.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

REFUSAL = "The local stack answers programs on this machine, and no web page."


def is_own(environ: "WSGIEnvironment") -> bool:
    port = f":{environ['SERVER_PORT']}"
    host = environ.get("HTTP_HOST", "").lower().removesuffix(port)
    return "HTTP_ORIGIN" not in environ and host in ("127.0.0.1", "localhost")
