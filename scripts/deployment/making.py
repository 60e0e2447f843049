"""What needs no account: the checks, the artifacts, and what is told of them."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deployment.artifact import Artifact, build
from deployment.wheels import BuildError
from operations.screen import Screen, text

PROJECT = Path(__file__).resolve().parents[2]
TEMPLATE = PROJECT / "template.yaml"
_CHECKS = ("graph", "template", "rules", "roles", "security")


@contextmanager
def step(screen: Screen, doing: str) -> Iterator[None]:
    """Say what is being done, and how long it took."""
    started = time.monotonic()
    with screen.busy(f"{doing} …"):
        yield
    screen.say(f"{doing}: ", text(f"{time.monotonic() - started:.1f} s", "dim"))


def check(screen: Screen) -> None:
    """The checks of what is deployed. Raises BuildError with what they find."""
    from checks.__main__ import CHECKS

    with step(screen, "Checked the workflow and the template"):
        found = [finding for name in _CHECKS for finding in CHECKS[name]()]
    if found:
        raise BuildError("The checks refuse what would be deployed:\n" + "\n".join(found))


def make(screen: Screen, sam: Mapping[str, Any], folder: Path) -> list[Artifact]:
    """Build the artifacts into the folder and report them."""
    with step(screen, "Built the artifacts"):
        artifacts = build(sam, PROJECT / "functions", folder)
    screen.table(
        ["function", "unzipped MB", "zip MB", "wheels", "artifact"],
        [
            [
                text(each.function),
                text(f"{each.bytes / 1e6:.1f}"),
                text(f"{each.path.stat().st_size / 1e6:.1f}"),
                text(len(each.wheels)),
                text(each.digest[:12]),
            ]
            for each in artifacts
        ],
    )
    wheels = sorted({wheel for each in artifacts for wheel in each.wheels}, key=lambda w: w.name)
    screen.table(
        ["wheel", "version", "built for"],
        [[text(w.name), text(w.version), text(", ".join(w.tags))] for w in wheels],
    )
    return artifacts
