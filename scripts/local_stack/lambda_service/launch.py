"""Starts and kills the process of a worker, with the environment that Lambda gives a function."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local_stack.lambda_service.function import FunctionSpec

_BOOTSTRAP = Path(__file__).with_name("bootstrap.py")


def launch(
    spec: FunctionSpec, api_address: str, *, force_own_loop: bool
) -> subprocess.Popen[bytes]:
    """Start a worker; `api_address` is `host:port/path`, as in AWS_LAMBDA_RUNTIME_API.

    Its standard input is the worker's lifeline (see bootstrap.py): nothing is ever written to it.
    A session of its own keeps the worker from the terminal's Ctrl-C: whoever started it stops it.
    Raises OSError.
    """
    client = "own" if force_own_loop else "auto"
    return subprocess.Popen(
        # -P and -s: neither this package nor the user's own packages are importable over there.
        [sys.executable, "-P", "-s", "-u", str(_BOOTSTRAP), client],
        env=worker_environment(spec, api_address),
        cwd=spec.code_dir,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the worker and whatever it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def worker_environment(spec: FunctionSpec, api_address: str) -> dict[str, str]:
    """What a function finds in its environment on AWS, and nothing of ours.

    https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html: the function's own
    variables win over the unreserved ones and lose against the reserved ones.
    """
    return _unreserved() | dict(spec.environment) | _reserved(spec, api_address)


def _unreserved() -> dict[str, str]:
    platform = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    return platform | {
        "PATH": os.defpath,
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        # No file of the developer's: neither by the home directory, nor by the AWS settings.
        "HOME": os.devnull,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _reserved(spec: FunctionSpec, api_address: str) -> dict[str, str]:
    day = time.strftime("%Y/%m/%d", time.gmtime())
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {
        "_HANDLER": spec.handler,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_python{version}",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(spec.memory_mb),
        "AWS_LAMBDA_FUNCTION_NAME": spec.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": spec.log_group,
        "AWS_LAMBDA_LOG_STREAM_NAME": f"{day}/[$LATEST]{secrets.token_hex(16)}",
        "AWS_LAMBDA_RUNTIME_API": api_address,
        "LAMBDA_TASK_ROOT": str(spec.code_dir),
    }
