"""Known vulnerabilities of the pinned libraries, as https://osv.dev knows them today.

Works from the lock alone: nothing is installed, and what Lambda gets is a part of it. The answer
changes without any change here, and needs the network: without it there is no answer, which is no
finding either.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ACCEPTED: dict[str, str] = {}
"""Advisories that do not concern this project: the id, and why."""

_SECONDS = 180
_UNREACHABLE = (
    "ConnectionError",
    "ConnectTimeout",
    "ReadTimeout",
    "Could not connect",
    "HTTPError",
)


class NotAudited(Exception):
    """There is no answer; the message says why."""


def audit(lock: Path) -> list[str]:
    """What is known against the lock's libraries, a sentence each. Raises NotAudited."""
    command = [
        sys.executable, "-m", "pip_audit", f"--requirement={lock}", "--disable-pip",
        "--require-hashes", "--vulnerability-service=osv", "--format=json",
        "--progress-spinner=off",
        *(f"--ignore-vuln={advisory}" for advisory in ACCEPTED),
    ]  # fmt: skip
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise NotAudited(f"osv.dev has not answered within {_SECONDS} s") from None
    return read(done.stdout, done.stderr)


def read(report: str, errors: str) -> list[str]:
    """The findings of pip-audit's two outputs. Raises NotAudited."""
    try:
        dependencies = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = (errors.strip().splitlines() or ["it said nothing"])[-1]
        if any(word in errors for word in _UNREACHABLE):
            raise NotAudited("osv.dev cannot be reached") from None
        return [f"pip-audit gave no report: {last}"]
    return [sentence for each in dependencies for sentence in _sentences(each)]


def _sentences(dependency: dict[str, Any]) -> Iterator[str]:
    name = f"{dependency['name']} {dependency.get('version', '')}".strip()
    if "skip_reason" in dependency:
        yield f"{name} was not audited: {dependency['skip_reason']}"
    for advisory in dependency.get("vulns", ()):
        mended = ", ".join(advisory["fix_versions"]) or "no release yet"
        also = "".join(f", {alias}" for alias in advisory.get("aliases", ()))
        yield f"{name} is vulnerable: {advisory['id']}{also}; mended in {mended}"
