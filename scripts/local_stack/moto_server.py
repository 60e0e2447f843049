"""moto's server on 127.0.0.1, behind :mod:`local_stack.endpoint` and what a role may do."""

import logging
import os
import threading
from typing import Any

from waitress.wasyncore import close_all

from local_stack.aws import Endpoint
from local_stack.emails import Outbox
from local_stack.lambda_service import FaultPlan
from local_stack.permissions.guard import Guard
from local_stack.ports import listen

_THREADS = 32
# Beyond these, newcomers wait until others have been idle for two minutes. waitress's own 100 are
# few where every worker, and every test, keeps its own.
_CONNECTIONS = 2000


class MotoServer:
    """Listens from the moment it is made until :meth:`close`."""

    def __init__(self, port: int, outbox: Outbox, faults: FaultPlan) -> None:
        """Listen on ``port``, or on a free one when it is taken or 0."""
        self._socket = listen(port)
        self.port: int = self._socket.getsockname()[1]
        self.endpoint = Endpoint(f"http://127.0.0.1:{self.port}")
        # moto reads this once, when it is imported, and calls itself there.
        os.environ["MOTO_PORT"] = str(self.port)
        from moto.core.base_backend import BackendDict
        from moto.core.common_models import BaseModel
        from moto.core.config import default_user_config
        from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
        from waitress.server import create_server

        from local_stack.endpoint import AwsEndpoint
        from local_stack.permissions.account import policies
        from local_stack.permissions.front import GuardedAws

        BackendDict.reset()
        # moto keeps every object that it ever makes, for a dashboard that nobody opens here.
        BaseModel.__new__ = _untracked  # type: ignore[method-assign]
        default_user_config["lambda"]["use_docker"] = False
        default_user_config["stepfunctions"]["execute_state_machine"] = True
        logging.getLogger("moto").setLevel(logging.CRITICAL)
        logging.getLogger("waitress").setLevel(logging.ERROR)
        app = AwsEndpoint(DomainDispatcherApplication(create_backend_app), outbox, faults)
        self.fault_control = app.fault_control
        self.holder_api = app.holder_api
        self._channels: dict[int, Any] = {}
        self.guard = Guard(policies)
        self._server: Any = create_server(
            GuardedAws(app, self.guard),
            self._channels,
            sockets=[self._socket],
            threads=_THREADS,
            connection_limit=_CONNECTIONS,
            asyncore_use_poll=True,  # select() knows no more than 1,024 of them
        )
        self._thread = threading.Thread(target=self._server.run, name="moto", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close in the server's own thread, which would find its sockets gone otherwise."""
        self._server.trigger.pull_trigger(lambda: close_all(self._channels, ignore_all=True))
        self._thread.join(timeout=5)
        self._socket.close()


def _untracked(cls: type[Any], *_: Any, **__: Any) -> Any:
    return object.__new__(cls)
