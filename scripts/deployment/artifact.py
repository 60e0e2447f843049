"""One zip per function: its code and the libraries that it imports, and nothing else.

The name of an artifact is the hash of its content, not of the zip: another machine's compressor
packs the same content into other bytes, and unchanged code must not be deployed again.
"""

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

from deployment.imports import libraries, services
from deployment.wheels import BuildError, Platform, install

FUNCTION = "AWS::Serverless::Function"
MOST_BYTES = 40_000_000
"""Unzipped. Lambda takes 250 MB; what is loaded at a cold start should stay far below."""

_LEFT_OUT_FOLDERS = {"__pycache__", "test", "tests"}
# They say how pip was called on the machine that built, which is no part of the content.
_LEFT_OUT_RECORDS = {"INSTALLER", "RECORD", "REQUESTED", "direct_url.json"}
_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold
_MODE = 0o100644 << 16

Files = dict[str, Path]


@dataclass(frozen=True)
class Wheel:
    """A library in an artifact; ``tags`` say what it was built for, such as cp313-cp313-…"""

    name: str
    version: str
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Artifact:
    """A function's code. ``bytes`` is the unzipped size."""

    function: str
    path: Path
    digest: str
    bytes: int
    wheels: tuple[Wheel, ...]

    @property
    def key(self) -> str:
        return f"functions/{self.digest}.zip"


def build(
    sam: Mapping[str, Any], functions: Path, folder: Path, *, for_this_machine: bool = False
) -> list[Artifact]:
    """Build the artifact of each function of the template ``sam`` into the folder.

    ``functions`` holds their code and requirements.txt. Raises BuildError.
    """
    handlers = dict(_handlers(sam))
    platforms = {platform for _, platform in handlers.values()}
    if len(platforms) != 1:
        raise BuildError("The functions of the template have more than one runtime.")
    (platform,) = platforms
    site = folder / "site"
    wanted = None if for_this_machine else platform
    installed = install(functions / "requirements.txt", site, wanted)
    used = services(functions)
    own = dict(_own_files(functions))
    artifacts = []
    for function, (handler, _) in handlers.items():
        module = functions / f"{handler.partition('.')[0]}.py"
        if not module.is_file():
            raise BuildError(f"{function} has the handler {handler}, and {module} is not there.")
        needed = libraries(module, installed, platform.markers)
        files = own | {name: path for each in needed for name, path in _files(each, site, used)}
        artifacts.append(_artifact(function, files, needed, folder))
    return artifacts


def _handlers(sam: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, Platform]]]:
    defaults = sam.get("Globals", {}).get("Function", {})
    for name, resource in sam["Resources"].items():
        if resource["Type"] == FUNCTION:
            properties = defaults | resource["Properties"]
            (architecture,) = properties.get("Architectures", ["x86_64"])
            platform = Platform.of(properties["Runtime"], architecture)
            yield name, (properties["Handler"], platform)


def _own_files(functions: Path) -> Iterator[tuple[str, Path]]:
    for path in functions.rglob("*"):
        name = path.relative_to(functions)
        hidden = any(part.startswith(".") for part in name.parts)
        if (
            path.is_file()
            and not hidden
            and not _left_out(name)
            and name.name != "requirements.txt"
        ):
            yield name.as_posix(), path


def _files(library: Distribution, site: Path, used: set[str]) -> Iterator[tuple[str, Path]]:
    for file in library.files or []:
        if ".." in file.parts or _left_out(Path(file)) or _is_unused_service(file.parts, used):
            continue
        if file.name not in _LEFT_OUT_RECORDS or not file.parts[0].endswith(".dist-info"):
            yield file.as_posix(), site / file


def _left_out(name: Path) -> bool:
    return bool(_LEFT_OUT_FOLDERS & set(name.parts)) or name.suffix == ".pyc"


def _is_unused_service(parts: tuple[str, ...], used: set[str]) -> bool:
    """botocore describes every service of AWS, which is two thirds of its size."""
    return parts[:2] == ("botocore", "data") and len(parts) > 3 and parts[2] not in used


def _artifact(function: str, files: Files, needed: list[Distribution], folder: Path) -> Artifact:
    contents = {name: path.read_bytes() for name, path in sorted(files.items())}
    size = sum(map(len, contents.values()))
    if size > MOST_BYTES:
        limit = MOST_BYTES // 1_000_000
        raise BuildError(f"{function} is {size / 1e6:.1f} MB unzipped; {limit} MB is the limit.")
    digest = _digest(contents)
    path = folder / f"{digest}.zip"
    if not path.exists():  # functions that import the same share one
        _zip(contents, path)
    return Artifact(function, path, digest, size, tuple(map(_wheel, needed)))


def _digest(contents: Mapping[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, content in contents.items():
        whole.update(f"{hashlib.sha256(content).hexdigest()} {name}\n".encode())
    return whole.hexdigest()


def _zip(contents: Mapping[str, bytes], path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system, entry.external_attr = 3, _MODE  # a Unix file, readable by all
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _wheel(library: Distribution) -> Wheel:
    lines = (library.read_text("WHEEL") or "").splitlines()
    tags = (line.removeprefix("Tag: ") for line in lines if line.startswith("Tag: "))
    return Wheel(library.name, library.version, tuple(tags))
