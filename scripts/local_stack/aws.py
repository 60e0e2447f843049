"""How this process, and the workers, reach the local endpoint: never AWS, never through a proxy."""

import functools
import os
from dataclasses import dataclass
from typing import Any

ACCOUNT = "123456789012"  # moto's own
REGION = "eu-west-1"
DEFAULT_PORT = 4510
CONSOLE_PORT = 4511


@dataclass(frozen=True)
class Credentials:
    """A caller as AWS knows it; a role's have a session token."""

    access_key_id: str = "local"
    secret_access_key: str = "local"  # noqa: S105 - the local endpoint checks no signature
    session_token: str | None = None


_ANYONE = Credentials()


@dataclass(frozen=True)
class Endpoint:
    url: str

    @functools.cache  # noqa: B019 - loading a service's model takes longer than most calls
    def client(self, service: str, caller: Credentials = _ANYONE, attempts: int = 5) -> Any:
        import boto3
        from botocore.config import Config

        return boto3.client(  # type: ignore[call-overload]
            service,
            endpoint_url=self.url,
            region_name=REGION,
            aws_access_key_id=caller.access_key_id,
            aws_secret_access_key=caller.secret_access_key,
            aws_session_token=caller.session_token,
            # An empty dict, not None, keeps the proxies of the shell out. The stack's own threads
            # share these clients: as many connections as the pipe allows executions.
            config=Config(
                proxies={}, max_pool_connections=50, retries={"total_max_attempts": attempts}
            ),
        )


def role_credentials(endpoint: Endpoint, role_arn: str, session: str) -> Credentials:
    """A session of the role, as the service that assumes it would have."""
    answer = endpoint.client("sts").assume_role(RoleArn=role_arn, RoleSessionName=session)
    keys = answer["Credentials"]
    return Credentials(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])


def forget_aws_configuration() -> None:
    """Keep the developer's profiles, regions and endpoints out of this process."""
    for name in list(os.environ):
        if name.startswith("AWS_"):
            del os.environ[name]
    os.environ["AWS_CONFIG_FILE"] = os.environ["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
