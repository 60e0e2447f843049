"""The faults in force, for another process to see and change: ``/_minitickets/faults``.

- GET: ``{"faults": [{"fault": "Written[3]:error:always", "booking": null}, …],
  "states": ["AcceptBooking", …], "timeScale": 1.0}``
- POST ``{"fault": "Written[3]:error:always", "booking": "bk_1"}`` adds one; without ``booking``, or
  with null, for any booking. What is there already is not added again.
- DELETE lifts all; with ``?state=Written`` that state's; with ``?fault=Written[3]:error:always``
  that one, and with ``&booking=bk_1`` the one of that booking.

Each answers with what is then in force; 400 and ``{"message": …}`` for what makes no sense.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from local_stack.lambda_service import Fault, FaultError, FaultPlan, parse_fault

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PATH = "/_minitickets/faults"
MAXIMUM_BODY = 4096  # bytes


class _Refusal(Exception):
    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class FaultControl:
    """A WSGI application. Until :meth:`deployed` says what can fail, it answers 503."""

    def __init__(self, faults: FaultPlan) -> None:
        self._faults = faults
        self._states: tuple[str, ...] = ()
        self._time_scale = 1.0

    def deployed(self, states: Collection[str], time_scale: float) -> None:
        """``states`` are those that call a function."""
        self._time_scale = time_scale
        self._states = tuple(states)

    def __call__(self, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        try:
            self._change(environ)
            return _answer(start, HTTPStatus.OK, self._in_force())
        except _Refusal as refusal:
            return _answer(start, refusal.status, {"message": str(refusal)})
        except FaultError as error:
            return _answer(start, HTTPStatus.BAD_REQUEST, {"message": str(error)})

    def _change(self, environ: "WSGIEnvironment") -> None:
        if not self._states:
            raise _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "The local stack is still starting.")
        changes: Mapping[str, Callable[[WSGIEnvironment], None]] = {
            "GET": lambda _: None,
            "POST": self._add,
            "DELETE": self._remove,
        }
        change = changes.get(environ["REQUEST_METHOD"])
        if change is None:
            raise _Refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"Use one of {', '.join(changes)}.")
        change(environ)

    def _add(self, environ: "WSGIEnvironment") -> None:
        body = _body(environ)
        self._faults.add_once(self._read(body.get("fault"), body.get("booking")))

    def _remove(self, environ: "WSGIEnvironment") -> None:
        query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
        asked = {name: values[-1] for name, values in query.items()}
        if not asked:
            self._faults.lift()
        elif asked.keys() == {"state"} and asked["state"] in self._states:
            self._faults.clear(asked["state"])
        elif "fault" in asked and asked.keys() <= {"fault", "booking"}:
            self._faults.remove(self._read(asked["fault"], asked.get("booking")))
        else:
            message = f"DELETE takes state=, one of {', '.join(self._states)}, or fault=."
            raise _Refusal(HTTPStatus.BAD_REQUEST, message)

    def _read(self, fault: object, booking: object) -> Fault:
        if not isinstance(fault, str):
            raise FaultError('The fault is missing: give "fault", as in "Written[2]:error:always".')
        if not (booking is None or (isinstance(booking, str) and booking)):
            raise FaultError("The booking is no id: leave it out for any booking.")
        return replace(parse_fault(fault, self._states), booking=booking)

    def _in_force(self) -> dict[str, Any]:
        active = self._faults.active()
        return {
            "faults": [{"fault": str(fault), "booking": fault.booking} for fault in active],
            "states": self._states,
            "timeScale": self._time_scale,
        }


def _body(environ: "WSGIEnvironment") -> dict[str, Any]:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if length > MAXIMUM_BODY:
        too_large = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        raise _Refusal(too_large, f"The body is longer than {MAXIMUM_BODY} bytes.")
    try:
        body = json.loads(environ["wsgi.input"].read(length))
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise _Refusal(HTTPStatus.BAD_REQUEST, "The body is not a JSON object.")
    return body


def _answer(start: "StartResponse", status: HTTPStatus, answer: object) -> Iterable[bytes]:
    content = json.dumps(answer).encode()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(content)))]
    start(f"{status.value} {status.phrase}", headers)
    return [content]
