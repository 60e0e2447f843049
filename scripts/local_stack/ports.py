"""Where the servers of this machine listen: on 127.0.0.1 only."""

import errno
import socket


def listen(port: int) -> socket.socket:
    """Listen on ``port``, or on a free one when it is taken or 0."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        # SO_REUSEADDR lets two processes bind; only listening shows that the port is taken.
        listener.listen(128)
    except OSError as error:
        listener.close()
        if port == 0 or error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise
        return listen(0)
    return listener
