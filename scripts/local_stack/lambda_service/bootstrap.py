"""What a worker's process runs: `bootstrap.py auto|own`.

Run as a file, with the environment of launch.py. `own` forces the loop of runtime_loop.py; `auto`
uses AWS's client where it can be imported. The process ends with its parent, however that ends.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
import threading
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from typing import cast


def main(client: str) -> None:
    _end_with_parent()
    sys.path.insert(0, os.environ["LAMBDA_TASK_ROOT"])
    handler = os.environ["_HANDLER"]
    if client == "own" or not _run_aws_client(handler):
        _run_own_loop(handler)


def _end_with_parent() -> None:
    """Die when standard input ends: the parent holds its other end, and so does nobody else.

    The lifeline moves to another descriptor, out of the reach of code that reads or closes
    standard input. Two watches, since neither is enough: the kernel's also strikes when the
    function holds the interpreter's lock, but only Linux has it.
    """
    lifeline = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    if sys.platform == "linux":
        _let_kernel_kill(lifeline)
    threading.Thread(target=_watch, args=(lifeline,), name="lifeline", daemon=True).start()


def _let_kernel_kill(lifeline: int) -> None:
    """Have the kernel kill this process group at the lifeline's end (F_SETSIG in fcntl(2))."""
    import fcntl

    fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpid() if _leads_its_group() else os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)


def _watch(lifeline: int) -> None:
    try:
        while os.read(lifeline, 1):
            pass
    finally:
        if _leads_its_group():
            os.killpg(0, signal.SIGKILL)
        os._exit(1)


def _leads_its_group() -> bool:
    """Whether the group is the worker with its children, and not that of somebody's terminal."""
    return hasattr(os, "getpgrp") and os.getpgrp() == os.getpid()


def _run_aws_client(handler: str) -> bool:
    """Run under awslambdaric; False where it or its native half is missing."""
    try:
        import runtime_client  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
        from awslambdaric import bootstrap  # type: ignore[import-untyped, import-not-found, unused-ignore]
        from awslambdaric.lambda_runtime_client import LambdaRuntimeClient
    except ImportError:
        return False

    class Client(LambdaRuntimeClient):  # type: ignore[misc, unused-ignore]
        """Its native half reads `host:port/path` from the environment and takes it as it is; the
        part in Python, which reports a failed initialisation, takes only `host:port`."""

        def call_rapid(
            self, http_method: str, endpoint: str, *args: object, **more: object
        ) -> None:
            super().call_rapid(http_method, f"/{path}{endpoint}", *args, **more)

    address, _, path = os.environ["AWS_LAMBDA_RUNTIME_API"].partition("/")
    bootstrap.run(handler, Client(address))
    return True


def _run_own_loop(handler: str) -> None:
    file = Path(__file__).with_name("runtime_loop.py")
    loader = SourceFileLoader("_runtime_loop", str(file))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(cast("ModuleSpec", spec))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    module.run(handler)


if __name__ == "__main__":
    main(sys.argv[1])
