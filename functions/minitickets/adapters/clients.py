"""boto3 clients as the steps need them: short waits, since Step Functions does the long ones."""

from typing import Any

import boto3
from botocore.config import Config


def client(service: str, *, attempts: int = 2, read_seconds: float = 3, **settings: Any) -> Any:
    """One client with its waits bounded well below the functions' timeouts.

    ``settings`` are further ones of botocore's Config.
    Credentials, region and endpoint come from the Lambda environment.
    """
    return boto3.client(  # type: ignore[call-overload]
        service,
        config=Config(
            connect_timeout=2,
            read_timeout=read_seconds,
            retries={"mode": "standard", "total_max_attempts": attempts},
            **settings,
        ),
    )
