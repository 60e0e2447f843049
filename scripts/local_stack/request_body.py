"""Reading a request's body ahead of the application that reads it too."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def read_body(environ: "WSGIEnvironment") -> bytes:
    """The request's body, left in place to be read again."""
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body
