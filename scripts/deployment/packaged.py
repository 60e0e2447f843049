"""The template as it is deployed: translated here, so that what was checked is what is deployed."""

import copy
import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from deployment.artifact import Artifact
from sam_template import translate

_KEPT = ("Retain", "RetainExceptOnCreate")


@dataclass(frozen=True)
class Packaged:
    """``text`` is the CloudFormation template in JSON; ``retained`` outlives the stack."""

    text: str
    retained: frozenset[str]
    resources: int

    @property
    def key(self) -> str:
        return f"templates/{hashlib.sha256(self.text.encode()).hexdigest()}.json"


def package(
    sam: Mapping[str, Any], artifacts: Iterable[Artifact], bucket: str, region: str
) -> Packaged:
    """The template with each function's artifact in that bucket. Raises BadTemplate."""
    document: dict[str, Any] = copy.deepcopy(dict(sam))
    for artifact in artifacts:
        properties = document["Resources"][artifact.function]["Properties"]
        properties["CodeUri"] = f"s3://{bucket}/{artifact.key}"
    # It would say on stderr that it has not published how it was used.
    logging.getLogger("samtranslator.metrics").setLevel(logging.ERROR)
    translated = translate(document, region)
    resources = translated["Resources"]
    kept = {name for name, each in resources.items() if each.get("DeletionPolicy") in _KEPT}
    text = json.dumps(translated, separators=(",", ":"))
    return Packaged(text, frozenset(kept), len(resources))
