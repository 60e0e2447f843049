"""The handlers of functions/, loaded for the explorer: with its clock, its tokens and its AWS."""

import functools
import hashlib
import importlib.util
import io
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import boto3
import botocore.endpoint
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.retries.quota import RetryQuota

from exploration.aws import REGION, SENDER, Aws
from exploration.calls import Call
from exploration.steps import TIMELESS, Invocation, Pending, Start, Story, Told
from minitickets.observability import logger
from sam_template import load_sam

PROJECT = Path(__file__).parents[2]
FUNCTIONS = PROJECT / "functions"
HANDLERS = (
    "accept_booking",
    "reserve_ticket",
    "write_ticket_image",
    "mark_ticket_ready",
    "send_email",
    "record_email_job",
)
_SEND_EMAIL = load_sam(PROJECT / "template.yaml")["Resources"]["SendEmailFunction"]["Properties"]
LEASE = int(_SEND_EMAIL["Environment"]["Variables"]["EMAIL_LEASE_SECONDS"])
DAWN = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)
_ADDRESS = re.compile(r"[\w.]+@[\w.]+")


class System:
    """The handlers and the AWS they know. ``plant`` changes them: a test's fault."""

    def __init__(self, plant: Callable[["System"], None] = lambda _: None) -> None:
        self._here = threading.local()  # the story of the handler that runs in this thread
        self.runs = 0
        self.tokens: set[str] = set()
        self._leaks: list[str] = []
        self._output = io.StringIO()
        self._started: dict[Start, Invocation] = {}
        self.aws = Aws(self._direct_client)
        with (
            patch.object(boto3, "client", self._client),
            patch.dict("os.environ", self._settings()),
        ):
            self.modules = {name: self._load(name) for name in HANDLERS}
        plant(self)

    def begin(self, start: Start) -> Invocation:
        if not hasattr(self.modules[start.function], "utc_now"):
            start = start._replace(number=TIMELESS, clock=0)
        if start not in self._started:
            self._started[start] = self.run(start, ())
        return self._started[start]

    def run(self, start: Start, told: tuple[Told, ...]) -> Invocation:
        self.runs += 1
        asks, result, error = self.play(Story(start, told))
        return Invocation(self.run, start, told, asks, result, error)

    def play(self, story: Story) -> tuple[Call | None, str | None, str | None]:
        """Run a handler to the call it is not told of, its result or the name of its error."""
        self._here.story, start = story, story.start
        try:
            handler = self.modules[start.function].handler
            answer = handler(json.loads(start.payload), SimpleNamespace())
        except Pending as pending:
            return pending.call, None, None
        except Exception as error:  # noqa: BLE001 - as Lambda does, whatever it is
            self._look_for_secrets(str(error))
            return None, None, type(error).__name__
        result = json.dumps(answer, sort_keys=True)
        self._look_for_tokens(result)
        return None, result, None

    @contextmanager
    def switched_on(self) -> Iterator["System"]:
        """While handlers run: no waits, no quota of SDK retries, and their output is searched."""
        before = logger.registered_handler.setStream(self._output)
        try:
            with (
                redirect_stdout(self._output),
                redirect_stderr(self._output),
                patch.object(logger._logger, "propagate", new=False),
                patch.object(botocore.endpoint, "time", SimpleNamespace(sleep=lambda _: None)),
                # A worker's quota allows 50 timeouts in a row: here one client lives for ever.
                patch.object(RetryQuota, "acquire", lambda *_: True),
            ):
                yield self
        finally:
            logger.registered_handler.setStream(before)
            self.aws.restore(self.aws.empty)

    @property
    def leaks(self) -> list[str]:
        """Tokens and addresses in what handlers wrote, raised or (tokens only) returned so far."""
        self._look_for_secrets(self._output.getvalue())
        self._output.seek(0)
        self._output.truncate()
        return self._leaks

    def operator(self, service: str, operation: str, request: dict[str, Any]) -> Call:
        """The call that somebody else's client would make."""
        self._here.story = Story(Start("", "", 0, 0), ())
        try:
            getattr(self._client(service), operation)(**request)
        except Pending as pending:
            return pending.call
        raise AssertionError(f"{operation} makes no call")

    def _look_for_secrets(self, text: str) -> None:
        self._leaks += _ADDRESS.findall(text)
        self._look_for_tokens(text)

    def _look_for_tokens(self, text: str) -> None:
        self._leaks += [token for token in self.tokens if token in text]

    def _load(self, name: str) -> ModuleType:
        spec: Any = importlib.util.spec_from_file_location(
            f"explored_{name}", FUNCTIONS / f"{name}.py"
        )
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        replaced = {
            "utc_now": self._now,
            "secrets": SimpleNamespace(token_bytes=self._token_bytes),
            "draw_ticket": functools.cache(getattr(module, "draw_ticket", str)),
        }
        for what, replacement in replaced.items():
            if hasattr(module, what):
                setattr(module, what, replacement)
        if hasattr(module, "new_token"):
            module.new_token = self._noted(module.new_token)
        return module

    def _noted(self, new_token: Callable[[], str]) -> Callable[[], str]:
        def noted() -> str:
            token = new_token()
            self.tokens.add(token)
            return token

        return noted

    def _now(self) -> datetime:
        return DAWN + timedelta(
            seconds=self._here.story.clock, microseconds=self._here.story.start.number
        )

    def _token_bytes(self, size: int) -> bytes:
        return hashlib.sha256(str(self._here.story.start.number).encode()).digest()[:size]

    def _settings(self) -> dict[str, str]:
        return {
            "TICKETS_TABLE": self.aws.tickets,
            "PROCESSED_JOBS_TABLE": self.aws.jobs,
            "TICKETS_BUCKET": self.aws.bucket,
            "EMAIL_FROM": SENDER,
            "EMAIL_CONFIGURATION_SET": "exploration",
            "EMAIL_LEASE_SECONDS": str(LEASE),
            "MY_TICKETS_URL": "https://example.org/my-tickets",
        }

    def _client(self, service: str, **options: Any) -> Any:
        client = _session().client(service, **options)
        client.meta.events.register_first("before-send.*.*", self._before_send)
        return client

    def _before_send(self, event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
        return self._here.story.answer(Call.of(event_name.rsplit(".", 1)[-1], request))

    def _direct_client(self, service: str) -> Any:
        """For what is there before the first handler runs."""
        client = _session().client(service)
        client.meta.events.register_first("before-send.*.*", _straight_to_moto)
        return client


@functools.cache
def _session() -> Any:
    """One for all: it reads the services' descriptions."""
    return boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=REGION)


def _straight_to_moto(event_name: str, request: AWSPreparedRequest, **_: Any) -> AWSResponse:
    call = Call.of(event_name.rsplit(".", 1)[-1], request)
    return call.send().reach(call)
