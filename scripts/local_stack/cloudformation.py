"""Some resources as moto's CloudFormation should make them.

moto skips pipes and SES configuration sets, creates state machines where they are never executed
and without their substitutions, and cuts a log group's ARN short. Importing this module mends it
in moto. An update of a stack forgets what it deleted, so that a later one makes it anew: moto
would not.
"""

import json
from typing import Any, ClassVar, Self

from moto.cloudformation.parsing import ResourceMap
from moto.core.common_models import CloudFormationModel
from moto.logs.models import LogGroup
from moto.stepfunctions.models import StateMachine
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local_stack.pipe import PipeSettings


class PipeResource(CloudFormationModel):
    """``AWS::Pipes::Pipe``: noted, for the stack to run."""

    made: ClassVar[dict[str, PipeSettings]] = {}

    def __init__(self, settings: PipeSettings) -> None:
        self.settings = settings
        self.made[settings.name] = settings

    @property
    def physical_resource_id(self) -> str:
        return self.settings.name

    @staticmethod
    def cloudformation_name_type() -> str:
        return "Name"

    @staticmethod
    def cloudformation_type() -> str:
        return "AWS::Pipes::Pipe"

    @classmethod
    def create_from_cloudformation_json(
        cls, resource_name: str, cloudformation_json: dict[str, Any], *_: Any, **__: Any
    ) -> Self:
        properties = cloudformation_json["Properties"]
        return cls(
            PipeSettings(
                name=resource_name,
                source=properties["Source"],
                target=properties["Target"],
                role=properties["RoleArn"],
                runs=properties.get("DesiredState") != "STOPPED",
            )
        )

    @classmethod
    def update_from_cloudformation_json(
        cls,
        original_resource: Self,
        new_resource_name: str,
        cloudformation_json: dict[str, Any],
        account_id: str,
        region_name: str,
    ) -> Self:
        return cls.create_from_cloudformation_json(new_resource_name, cloudformation_json)


class ConfigurationSetResource(CloudFormationModel):
    """``AWS::SES::ConfigurationSet``: its name, which is all that an email says of it."""

    def __init__(self, name: str) -> None:
        self.physical_resource_id = name

    @staticmethod
    def cloudformation_name_type() -> str:
        return "Name"

    @staticmethod
    def cloudformation_type() -> str:
        return "AWS::SES::ConfigurationSet"

    @classmethod
    def create_from_cloudformation_json(cls, resource_name: str, *_: Any, **__: Any) -> Self:
        return cls(resource_name)


def _create_state_machine(
    _cls: type[StateMachine],
    resource_name: str,
    cloudformation_json: dict[str, Any],
    account_id: str,
    region_name: str,
    **_: Any,
) -> StateMachine:
    properties = cloudformation_json["Properties"]
    name = properties.get("StateMachineName", resource_name)
    definition = properties["DefinitionString"]
    for key, value in properties.get("DefinitionSubstitutions", {}).items():
        definition = definition.replace(f"${{{key}}}", json.dumps(str(value))[1:-1])
    machine: StateMachine = stepfunctions_parser_backends[account_id][
        region_name
    ].create_state_machine(name, definition, properties["RoleArn"])
    return machine


_create: Any = _create_state_machine
_machine_class: Any = StateMachine
_machine_class.create_from_cloudformation_json = classmethod(_create)


def _update_and_forget(
    resources: ResourceMap, template: dict[str, Any], parameters: dict[str, Any] | None = None
) -> None:
    before = set(resources.resources)
    _update(resources, template, parameters)
    for name in before - template["Resources"].keys():
        resources._parsed_resources.pop(name, None)  # noqa: SLF001


_map_class: Any = ResourceMap
_update: Any = ResourceMap.update
_map_class.update = _update_and_forget


def _log_group_attribute(group: LogGroup, attribute: str) -> str:
    """Its ARN ends in ``:*``, so that it stands for the group's streams as well.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-loggroup.html
    """
    value: str = _log_group_attribute_of_moto(group, attribute)
    return f"{value}:*" if attribute == "Arn" else value


_group_class: Any = LogGroup
_log_group_attribute_of_moto: Any = LogGroup.get_cfn_attribute
_group_class.get_cfn_attribute = _log_group_attribute
