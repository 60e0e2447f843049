"""The template's own parameters: as options of the command, and as CloudFormation wants them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

SWITCH = {"on": "true", "off": "false"}
# Reserved for examples by https://www.rfc-editor.org/rfc/rfc2606: nobody's mail arrives there.
_PLACEHOLDER = re.compile(r"\.example\b")


@dataclass(frozen=True)
class Parameter:
    """``default`` None: it has to be given. ``values`` empty: whatever fits ``pattern``."""

    name: str
    description: str
    default: str | None
    pattern: str
    values: tuple[str, ...]

    @classmethod
    def read(cls, name: str, declared: Mapping[str, Any]) -> Self:
        return cls(
            name,
            " ".join(str(declared.get("Description", "")).split()),
            None if "Default" not in declared else str(declared["Default"]),
            str(declared.get("AllowedPattern", ".*")),
            tuple(map(str, declared.get("AllowedValues", ()))),
        )

    @property
    def is_switch(self) -> bool:
        return set(self.values) == set(SWITCH.values())

    @property
    def option(self) -> str:
        """``EmailFrom`` is ``--email-from``; the switch ``ComputeEnabled`` is ``--compute``."""
        name = self.name.removesuffix("Enabled") if self.is_switch else self.name
        return "--" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()

    @property
    def is_placeholder(self) -> bool:
        """Whether its default is only an example, which no deployment should keep."""
        return bool(_PLACEHOLDER.search(self.default or ""))

    def refusal(self, value: str) -> str | None:
        """Why CloudFormation would not take the value, if it would not."""
        if self.values and value not in self.values:
            return f"{value!r} is none of {', '.join(self.values)}"
        if not re.fullmatch(self.pattern, value):
            return f"{value!r} does not fit {self.pattern}"
        return None


def read_parameters(sam: Mapping[str, Any]) -> list[Parameter]:
    return [Parameter.read(name, declared) for name, declared in sam["Parameters"].items()]


def missing(
    parameters: list[Parameter], given: Mapping[str, str], before: Mapping[str, str]
) -> list[Parameter]:
    """Those that still have to be given: the stack has none, and neither has the template."""
    return [
        each
        for each in parameters
        if each.name not in given
        and each.name not in before
        and (each.default is None or each.is_placeholder)
    ]


def half_a_sign_in(values: Mapping[str, str]) -> bool:
    """Whether customers' tokens have an issuer and no audience, or the other way round."""
    return bool(values.get("JwtIssuer")) != bool(values.get("JwtAudience"))


def in_force(
    parameters: list[Parameter], given: Mapping[str, str], before: Mapping[str, str]
) -> dict[str, str]:
    """What the deployment will have: what is given, else what the stack has, else the default."""
    return {
        each.name: given.get(each.name, before.get(each.name, each.default or ""))
        for each in parameters
    }
