"""YAML and JSON as this project writes them: a key given twice is an error, a date is a string."""

import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml


class DuplicateKey(ValueError):
    """A mapping gives one key twice; YAML and JSON readers would silently keep the last."""


class StrictLoader(yaml.SafeLoader):
    """PyYAML's safe loader, without its silence about duplicates and its guessing of dates."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build the mapping after a look at its keys as they stand in the file."""
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise DuplicateKey(f"line {key_node.start_mark.line + 1}: key {key!r} given twice")
            seen.add(key)
        return super().construct_mapping(node, deep)


StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(path: Path, loader: type[StrictLoader] = StrictLoader) -> Any:
    """Read a .json file as JSON and any other as YAML.

    Raises DuplicateKey, yaml.YAMLError or json.JSONDecodeError; OSError if it cannot be read.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.loads(text, object_pairs_hook=_unique)
    return yaml.load(text, Loader=loader)  # noqa: S506 - StrictLoader is a SafeLoader


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise DuplicateKey(f"key {key!r} given twice in one object")
        result[key] = value
    return result
