"""The console's switches, against the local stack's own control behind a real socket."""

import socket
import threading
from contextlib import closing, contextmanager
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from console.breaking.faults import ActiveFault, FaultSwitches, SwitchesError
from local_stack.emails import Outbox
from local_stack.endpoint import AwsEndpoint
from local_stack.lambda_service import FaultPlan

STATES = ("AcceptBooking", "Written", "SendEmail")
STORAGE = "Written[3]:error:always"


class Silent(WSGIRequestHandler):
    def log_message(self, *_):
        pass


@contextmanager
def served(application):
    with make_server("127.0.0.1", 0, application, handler_class=Silent) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.02])
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join(10)


def nothing_of_moto(environ, start):
    raise AssertionError("this is no request to AWS")


@pytest.fixture
def endpoint(tmp_path):
    return AwsEndpoint(nothing_of_moto, Outbox(tmp_path / "emails"), FaultPlan())


@pytest.fixture
def switches(endpoint):
    endpoint.fault_control.deployed(STATES, 0.5)
    with served(endpoint) as url:
        yield FaultSwitches(url)


def test_they_show_what_is_in_force_and_what_can_be_broken(switches):
    switches.add(STORAGE)
    switches.add("SendEmail:ses-reject:1", "bk_1")
    now = switches.read()
    assert now.active == (
        ActiveFault(STORAGE, None),
        ActiveFault("SendEmail:ses-reject:1", "bk_1"),
    )
    assert (now.states, now.time_scale) == (STATES, 0.5)
    assert switches.active() == list(now.active)


def test_one_is_switched_off_and_the_others_stay(switches):
    switches.add(STORAGE)
    switches.add(STORAGE, "bk & co=1")
    assert switches.remove(STORAGE).active == (ActiveFault(STORAGE, "bk & co=1"),)
    assert switches.remove(STORAGE, "bk & co=1").active == ()


def test_all_are_switched_off_at_once(switches):
    switches.add(STORAGE)
    switches.add("AcceptBooking:hang:1")
    assert switches.lift().active == ()


def test_a_refusal_is_told_in_the_stacks_own_words(switches):
    with pytest.raises(SwitchesError, match="unknown state 'Wrote'"):
        switches.add("Wrote:error:1")


def test_a_stack_that_is_starting_says_so(endpoint):
    with served(endpoint) as url, pytest.raises(SwitchesError, match="still starting"):
        FaultSwitches(url).active()


def test_no_proxy_of_the_shell_is_asked(switches, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert switches.active() == []


def test_where_nothing_listens_it_says_where():
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))  # bound and not listening: nobody else takes it
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(SwitchesError, match=f"No local stack answers at {url}"):
            FaultSwitches(url).active()


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b"{}", b'{"faults": 7}', b"null"])
@pytest.mark.parametrize("status", ["200 OK", "500 Internal Server Error"])
def test_whatever_else_answers_there_is_no_stack(answer, status):
    def other(environ, start):
        start(status, [("Content-Type", "text/html")])
        return [answer]

    with served(other) as url, pytest.raises(SwitchesError, match=f"{url} is no local stack"):
        FaultSwitches(url).active()


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "127.0.0.1", ""])
def test_an_address_that_is_none_is_a_sentence_too(url):
    with pytest.raises(SwitchesError):
        FaultSwitches(url).active()
