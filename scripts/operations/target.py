"""Where the command works: a stage on the local stack, or on AWS."""

import functools
from dataclasses import dataclass
from typing import Any

from local_stack.aws import ACCOUNT, DEFAULT_PORT, REGION, forget_aws_configuration

LOCAL_ENDPOINT = f"http://127.0.0.1:{DEFAULT_PORT}"
BOOKINGS, RECONCILIATIONS = "fulfil-booking", "reconcile-tickets"
_CONSOLES = {
    "aws": "console.aws.amazon.com",
    "aws-cn": "console.amazonaws.cn",
    "aws-us-gov": "console.amazonaws-us-gov.com",
}


@dataclass(frozen=True)
class Target:
    """A stage's clients and names. The names are those that template.yaml gives.

    ``endpoint`` is None on AWS. Making one calls nothing; the first use of a client or of the
    account may raise any of boto3's errors.
    """

    session: Any
    stage: str
    endpoint: str | None = None

    @classmethod
    def local(cls, endpoint: str, stage: str) -> "Target":
        import boto3

        forget_aws_configuration()
        session = boto3.Session("local", "local", region_name=REGION)
        return cls(session, stage, endpoint.rstrip("/"))

    @classmethod
    def aws(cls, profile: str | None, region: str | None, stage: str) -> "Target":
        import boto3

        return cls(boto3.Session(profile_name=profile, region_name=region), stage)

    @functools.cache  # noqa: B019 - one Target lives as long as the command
    def client(self, service: str) -> Any:
        from botocore.config import Config

        if self.endpoint is None:
            patient = Config(retries={"mode": "standard", "total_max_attempts": 8})
            return self.session.client(service, config=patient)
        # An empty dict, not None, keeps the proxies of the shell out.
        direct = Config(proxies={}, connect_timeout=5, retries={"total_max_attempts": 1})
        return self.session.client(service, endpoint_url=self.endpoint, config=direct)

    @property
    def where(self) -> str:
        place = self.endpoint or f"{self.region} on AWS"
        return f"stage {self.stage} at {place}"

    @property
    def region(self) -> str:
        return str(self.client("stepfunctions").meta.region_name)

    @functools.cached_property
    def account(self) -> str:
        if self.endpoint is not None:
            return ACCOUNT
        return str(self.client("sts").get_caller_identity()["Account"])

    @property
    def partition(self) -> str:
        return str(self.client("stepfunctions").meta.partition)

    @property
    def state_machine_arn(self) -> str:
        return self.machine_arn(BOOKINGS)

    def machine_arn(self, machine: str) -> str:
        """``machine`` is BOOKINGS or RECONCILIATIONS."""
        return self._states_arn("stateMachine", machine)

    def execution_arn(self, name: str, machine: str = BOOKINGS) -> str:
        return f"{self._states_arn('execution', machine)}:{name}"

    def named(self, what: str) -> str:
        """A resource's name, such as ``named("processed-jobs")``."""
        return f"minitickets-{self.stage}-{what}"

    @property
    def image_bucket(self) -> str:
        """The bucket's name holds account and region, since all of AWS shares bucket names."""
        return f"{self.named('tickets')}-{self.account}-{self.region}"

    def console_link(self, execution_arn: str) -> str | None:
        """The execution's page in the AWS console; None on the local stack."""
        if self.endpoint is not None:
            return None
        console = f"https://{self.region}.{_CONSOLES.get(self.partition, _CONSOLES['aws'])}"
        page = f"/states/home?region={self.region}#/v2/executions/details/{execution_arn}"
        return console + page

    def _states_arn(self, kind: str, machine: str) -> str:
        named = self.named(machine)
        return f"arn:{self.partition}:states:{self.region}:{self.account}:{kind}:{named}"
