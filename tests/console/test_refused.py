"""What no page of elsewhere can do to a console that runs."""

import base64
import http.client
import os
from urllib.parse import urlsplit

import pytest

from fixtures.console_stack import Served

pytestmark = pytest.mark.slow

EVIL = "http://evil.example"
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
}
SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id=x&tab_id=x&next_message_id=0"
POLLING = SOCKET.replace("transport=websocket", "transport=polling")


def status(served: Served, method: str, path: str, headers: dict[str, str]) -> int:
    address = urlsplit(served.url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
    try:
        connection.request(method, path, headers={"Host": address.netloc} | headers)
        return connection.getresponse().status
    finally:
        connection.close()


def test_its_own_pages_reach_what_changes_things(served):
    """Or the refusals below would mean nothing."""
    assert status(served, "GET", SOCKET, UPGRADE | {"Origin": served.url}) == 101
    assert status(served, "GET", POLLING, {"Origin": served.url}) == 200


@pytest.mark.parametrize(
    "headers", [{"Origin": EVIL}, {"Origin": "null"}, {"Host": "evil.example"}]
)
def test_every_way_to_change_something_is_closed_to_other_pages(served, headers):
    assert status(served, "GET", SOCKET, UPGRADE | headers) == 403
    assert status(served, "GET", POLLING, headers) == 403
    assert status(served, "POST", POLLING, headers) == 403


@pytest.mark.parametrize("path", ["/", "/book", "/break-it", "/tickets/bk_gala_1/1.png"])
def test_a_name_that_leads_here_reads_nothing(served, path):
    """DNS rebinding: the browser asks 127.0.0.1 in the name of another site."""
    assert status(served, "GET", path, {"Host": "evil.example"}) == 403
    assert status(served, "GET", path, {}) == 200
