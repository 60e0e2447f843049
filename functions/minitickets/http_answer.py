"""Answers to an HTTP request as a Lambda function gives them to API Gateway.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import json
from typing import Any


def answer(content: dict[str, Any], status: int = 200) -> dict[str, Any]:
    """JSON that nobody on the way keeps: it is one person's, and its links end."""
    return {
        "statusCode": status,
        "headers": {"content-type": "application/json", "cache-control": "no-store"},
        "body": json.dumps(content, ensure_ascii=False, separators=(",", ":")),
    }


def refuse(status: int, code: str, message: str) -> dict[str, Any]:
    return answer({"error": {"code": code, "message": message}}, status)
