"""The local AWS listens on this machine only, and finds a port.

The sockets alone: moto's state belongs to the process, so a second server would disturb the first.
"""

import socket
from contextlib import closing

import pytest

from local_stack.ports import listen


@pytest.fixture
def taken():
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def free_port():
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


def test_it_listens_where_it_is_told():
    port = free_port()
    with closing(listen(port)) as listener:
        assert listener.getsockname() == ("127.0.0.1", port)


def test_a_taken_port_is_left_alone_and_a_free_one_is_used(taken):
    with closing(listen(taken)) as listener:
        host, port = listener.getsockname()
        assert host == "127.0.0.1"
        assert port != taken
        with closing(socket.create_connection((host, port), timeout=5)):
            accepted, _ = listener.accept()
            accepted.close()


def test_any_port_is_a_free_one_each_time():
    with closing(listen(0)) as one, closing(listen(0)) as other:
        assert one.getsockname()[1] != other.getsockname()[1]


@pytest.mark.parametrize("address", ["127.0.0.2", "127.1.2.3"])
def test_no_other_address_even_of_this_machine_reaches_it(address):
    with closing(listen(0)) as listener, pytest.raises(OSError, match=r"refused|assign|unreach"):
        socket.create_connection((address, listener.getsockname()[1]), timeout=5).close()


def test_the_port_is_free_again_when_it_is_closed():
    with closing(listen(0)) as listener:
        port = listener.getsockname()[1]
        with closing(socket.create_connection(("127.0.0.1", port), timeout=5)):
            listener.accept()[0].close()
    with closing(listen(port)) as again:
        assert again.getsockname()[1] == port
