"""Artifacts built once for all tests of a process, from the package index or pip's cache."""

import functools
import tempfile
import zipfile
from pathlib import Path

from deployment.artifact import Artifact, build
from sam_template import load_sam

PROJECT = Path(__file__).resolve().parents[2]
FUNCTIONS = PROJECT / "functions"
SAM = load_sam(PROJECT / "template.yaml")
HANDLERS = {
    name: resource["Properties"]["Handler"]
    for name, resource in SAM["Resources"].items()
    if resource["Type"] == "AWS::Serverless::Function"
}
_KEPT: list["tempfile.TemporaryDirectory[str]"] = []  # deleted when the process ends


@functools.cache
def artifacts(*, for_this_machine: bool = False) -> dict[str, Artifact]:
    """By the function's name in the template."""
    built = build(SAM, FUNCTIONS, folder(), for_this_machine=for_this_machine)
    return {artifact.function: artifact for artifact in built}


def folder() -> Path:
    _KEPT.append(tempfile.TemporaryDirectory(prefix="minitickets-artifact-"))
    return Path(_KEPT[-1].name)


def unpacked(artifact: Artifact) -> Path:
    place = folder()
    with zipfile.ZipFile(artifact.path) as archive:
        archive.extractall(place)
    return place
