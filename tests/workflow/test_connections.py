"""The local endpoint answers however many keep their connections to it."""

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import boto3
from botocore.config import Config


def test_a_newcomer_is_answered_beside_300_idle_connections(endpoint):
    where, _ = endpoint
    address = urlsplit(where.url)
    with ExitStack() as idle:
        for _ in range(300):
            idle.enter_context(socket.create_connection((address.hostname, address.port)))

        newcomer = boto3.client(
            "sqs",
            endpoint_url=where.url,
            region_name="eu-west-1",
            aws_access_key_id="local",
            aws_secret_access_key="local",
            config=Config(read_timeout=10, retries={"total_max_attempts": 1}, proxies={}),
        )
        assert newcomer.list_queues()["ResponseMetadata"]["HTTPStatusCode"] == 200
