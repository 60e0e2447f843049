"""What a function imports: libraries by its source, and what those libraries need in turn."""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deployment.wheels import BuildError


def libraries(
    handler: Path, installed: Iterable[Distribution], markers: Mapping[str, str]
) -> list[Distribution]:
    """The distributions that the module and everything it imports need, by name.

    ``markers`` describe where it will run. Raises BuildError for an import that nothing gives.
    """
    by_name = {str(canonicalize_name(each.name)): each for each in installed}
    providers = {top: each for each in by_name.values() for top in _top_levels(each)}
    needed: dict[str, Distribution] = {}
    for name in sorted(_third_party(handler)):
        if name not in providers:
            raise BuildError(
                f"{handler.name} imports {name}, which functions/requirements.txt lacks."
            )
        _add(providers[name], by_name, markers, needed)
    return [needed[name] for name in sorted(needed)]


def services(folder: Path) -> set[str]:
    """The AWS services that the code below the folder has clients of: ``client("s3")``."""
    return {
        call.args[0].value
        for path in folder.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", getattr(call.func, "attr", "")) == "client"
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }


def _third_party(handler: Path) -> set[str]:
    """The top-level names that the handler's modules import from outside its folder."""
    found: set[str] = set()
    seen: set[Path] = set()
    waiting = [handler]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in _imported(path):
            own = list(_own_modules(handler.parent, name))
            waiting += own
            if not own:
                found.add(name.partition(".")[0])
    return found - sys.stdlib_module_names


def _imported(path: Path) -> Iterator[str]:
    """Dotted names; of ``from a import b`` both ``a`` and ``a.b``, which may be a module."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _own_modules(folder: Path, name: str) -> Iterator[Path]:
    """The files of the folder that importing the name would run, as far as there are any."""
    path = folder
    for part in name.split("."):
        path /= part
        if path.with_suffix(".py").is_file():
            yield path.with_suffix(".py")
        if (path / "__init__.py").is_file():
            yield path / "__init__.py"


def _top_levels(distribution: Distribution) -> set[str]:
    files = distribution.files or []
    return {file.parts[0].removesuffix(".py") for file in files if file.suffix == ".py"}


def _add(
    distribution: Distribution,
    by_name: Mapping[str, Distribution],
    markers: Mapping[str, str],
    needed: dict[str, Distribution],
) -> None:
    name = canonicalize_name(distribution.name)
    if name in needed:
        return
    needed[name] = distribution
    for line in distribution.requires or []:
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate({**markers, "extra": ""}):
            continue
        wanted = canonicalize_name(requirement.name)
        if wanted not in by_name:
            raise BuildError(f"{name} needs {wanted}, which functions/requirements.txt lacks.")
        _add(by_name[wanted], by_name, markers, needed)
