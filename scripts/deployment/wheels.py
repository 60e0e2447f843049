"""The functions' libraries, as pip installs them for the machine that will run them."""

import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Self

_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}
# Amazon Linux 2023, which Python 3.12 and newer run on, has glibc 2.34:
# https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html
# https://docs.aws.amazon.com/linux/al2023/ug/core-glibc.html
_GLIBCS = ("manylinux_2_34", "manylinux_2_28", "manylinux_2_17", "manylinux2014")


class BuildError(Exception):
    """The artifacts cannot be built; the message is for people."""


@dataclass(frozen=True)
class Platform:
    """A Lambda runtime: ``python`` is such as "3.13", ``machine`` such as "aarch64"."""

    python: str
    machine: str

    @classmethod
    def of(cls, runtime: str, architecture: str) -> Self:
        """From a template's ``python3.13`` and ``arm64``. Raises BuildError."""
        python = runtime.removeprefix("python")
        if python == runtime or architecture not in _MACHINES:
            raise BuildError(f"No wheels are known for the runtime {runtime} on {architecture}.")
        return cls(python, _MACHINES[architecture])

    @property
    def options(self) -> list[str]:
        abis = (f"cp{self.python.replace('.', '')}", "abi3", "none")
        return [
            *(f"--platform={glibc}_{self.machine}" for glibc in _GLIBCS),
            f"--python-version={self.python}",
            "--implementation=cp",
            *(f"--abi={abi}" for abi in abis),
        ]

    @property
    def markers(self) -> dict[str, str]:
        """What a requirement's marker is evaluated with."""
        return {
            "implementation_name": "cpython",
            "os_name": "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_system": "Linux",
            "python_full_version": f"{self.python}.0",
            "python_version": self.python,
            "sys_platform": "linux",
        }


def install(requirements: Path, folder: Path, platform: Platform | None) -> list[Distribution]:
    """Install the pinned wheels into the folder; ``platform`` None means this machine's.

    Nothing is compiled, so no compiler, no Docker and no matching Python are needed. Each file's
    hash must be one of those in ``requirements``. Raises BuildError.
    """
    command = [
        sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet",
        "install", f"--target={folder}", "--no-deps", "--no-compile", "--only-binary=:all:",
        "--require-hashes", f"--requirement={requirements}",
        *(platform.options if platform else ()),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise BuildError("pip cannot install the libraries: " + " ".join(lines or [done.stderr]))
    return list(distributions(path=[str(folder)]))
