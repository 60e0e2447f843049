"""Whose account a deployment goes to, and what was asked for."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from operations.context import Operator, operator
from operations.screen import Screen
from operations.target import Target


@dataclass(frozen=True)
class Request:
    """What the command was asked for. ``given`` are the template's parameters, by name."""

    given: Mapping[str, str]
    stage: str
    profile: str | None = None
    region: str | None = None
    bucket: str | None = None
    allowed: tuple[str, ...] = ()
    yes: bool = False
    adopt: bool = False

    @property
    def stack(self) -> str:
        return f"minitickets-{self.stage}"


@dataclass(frozen=True)
class Account:
    """The clients, and the operator of the stage. ``ask`` puts a question to a person."""

    operator: Operator
    screen: Screen
    ask: Callable[[str], bool]
    sleep: Callable[[float], None] = time.sleep

    @property
    def cloudformation(self) -> Any:
        return self.operator.target.client("cloudformation")

    @property
    def s3(self) -> Any:
        return self.operator.target.client("s3")

    @property
    def id(self) -> str:
        return self.operator.target.account

    @property
    def pseudo_parameters(self) -> dict[str, str]:
        """What a template refers to without declaring it."""
        return {
            "AWS::AccountId": self.id,
            "AWS::Partition": self.operator.target.partition,
            "AWS::Region": self.region,
        }

    @property
    def region(self) -> str:
        return self.operator.target.region


def connect(request: Request, screen: Screen, ask: Callable[[str], bool]) -> Account:
    target = Target.aws(request.profile, request.region, request.stage)
    options = f" --region {target.region} --stage {request.stage}"
    return Account(operator(target, screen, options=options), screen, ask)
