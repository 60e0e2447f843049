"""``scripts/book``: send bookings to the local stack that ``scripts/run`` started."""

import argparse
import ipaddress
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

from local_stack.aws import ACCOUNT, DEFAULT_PORT, Endpoint, forget_aws_configuration

QUEUE = "minitickets-dev-bookings"
_USAGE_ERROR = 2
_INTERRUPTED = 130
_EXIT_CODES = "exit codes: 0 all lines sent; 1 some line refused; 2 bad usage, or no stack there"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(_USAGE_ERROR, f"scripts/book: {message}. See scripts/book --help.\n")


def main(argv: list[str] | None = None) -> int:
    parser = _Parser(
        prog="scripts/book",
        description="Send each line of FILE, one JSON body per line, to the local stack's queue.",
        epilog=_EXIT_CODES,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", help="one JSON body per line; - is stdin")
    parser.add_argument(
        "--endpoint",
        type=_loopback,
        default=f"http://127.0.0.1:{DEFAULT_PORT}",
        metavar="URL",
        help="where scripts/run says it listens (default: %(default)s); only on this machine",
    )
    arguments = parser.parse_args(argv)
    try:
        content = _read(arguments.file)
    except OSError as error:
        parser.error(f"cannot read the file {arguments.file}: {error.strerror}")
    except KeyboardInterrupt:
        return _INTERRUPTED
    return _book(content, arguments.endpoint, parser)


def _loopback(url: str) -> str:
    """The endpoint, built anew from its host and port: nothing else of ``url`` is used."""
    endpoint = None
    with suppress(ValueError):
        parts = urlsplit(url)
        host = "127.0.0.1" if parts.hostname == "localhost" else parts.hostname or ""
        if parts.scheme == "http" and ipaddress.IPv4Address(host).is_loopback:
            endpoint = f"http://{host}:{parts.port or DEFAULT_PORT}"
    if endpoint is None:
        raise argparse.ArgumentTypeError(
            f"{url!r} is not an address of this machine such as http://127.0.0.1:{DEFAULT_PORT}"
        )
    return endpoint


def _read(file: str) -> bytes:
    return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()


def _book(content: bytes, url: str, parser: _Parser) -> int:
    # Imported late: --help and a typing mistake should not wait for the AWS libraries.
    from botocore.exceptions import BotoCoreError
    from botocore.parsers import ResponseParserError

    from local_stack.publish import RefusedError, lines, publish

    forget_aws_configuration()
    sqs = Endpoint(url).client("sqs", attempts=1)
    bodies = lines(content)
    if not bodies:
        print("Nothing was sent: there is no line in it.", file=sys.stderr)
    refused = 0
    for number, body in enumerate(bodies, start=1):
        try:
            message_id = publish(sqs, f"{url}/{ACCOUNT}/{QUEUE}", body)
            print(f"line {number} sent: message {message_id}", flush=True)
        except RefusedError as refusal:
            refused += 1
            print(f"line {number} refused by SQS: {refusal}", file=sys.stderr)
        except (BotoCoreError, ResponseParserError):
            parser.error(
                f"no local stack answers at {url} (line {number} of the file was not sent)"
            )
        except KeyboardInterrupt:
            return _INTERRUPTED
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
