"""One invocation: what the function gets, and what its caller gets back."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import local_stack.lambda_service
from fixtures.lambda_service import FUNCTIONS, call, error_of, failure, spec
from local_stack.lambda_service import LambdaService, LambdaServiceClosedError, RequestTooLargeError

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


@pytest.fixture(params=["awslambdaric", "own loop"])
def service_of(request, tmp_path):
    """Starts a service of one or more functions, under each of the two runtimes."""
    if request.param == "awslambdaric":
        pytest.importorskip("runtime_client", reason="AWS's client has wheels for Linux only")
    services = []

    def start(*specs, workers=1, **options):
        service = LambdaService(
            specs,
            log_dir=tmp_path / "logs",
            workers_per_function=workers,
            force_own_loop=request.param == "own loop",
            **options,
        )
        services.append(service)
        return service

    yield start
    for service in services:
        service.close()


def test_a_function_gets_the_event_and_its_result_comes_back(service_of):
    service = service_of(spec("well_behaved.echo"))
    event = {"text": "Ωmega ✓", "nested": [1, 2.5, None, True], "empty": {}}
    assert call(service, event)["event"] == event


def test_a_warm_worker_is_used_again(service_of):
    service = service_of(spec("well_behaved.echo"), workers=4)
    pids = {call(service)["pid"] for _ in range(20)}
    assert len(pids) == 1


def test_the_context_tells_what_aws_tells(service_of):
    service = service_of(spec("well_behaved.describe_context", timeout_seconds=7))
    first, second = call(service), call(service)
    assert first["function_name"] == "f"
    assert first["function_version"] == "$LATEST"
    assert first["memory_limit_in_mb"] == "256"
    assert first["invoked_function_arn"] == "arn:aws:lambda:eu-central-1:123456789012:function:f"
    assert first["log_group_name"] == "/aws/lambda/f"
    assert 5_000 < first["remaining_ms"] <= 7_000
    assert first["aws_request_id"] != second["aws_request_id"]
    assert first["trace_id"] != second["trace_id"]


def test_an_exception_comes_back_by_its_class_name(service_of):
    service = service_of(spec("misbehaved.raise_error"))
    error = failure(service)
    assert error["errorType"] == "SeatTaken"
    assert error["errorMessage"] == "seat 2 is taken"
    assert "raise_error" in error["stackTrace"][0]
    assert len(error["stackTrace"]) == 1
    assert len(error["requestId"]) == 36


def test_an_exception_leaves_the_worker_warm(service_of):
    service = service_of(spec("misbehaved.raise_error"))
    assert [failure(service)["errorType"] for _ in range(3)] == ["SeatTaken"] * 3


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (1, "Runtime exited with error: exit status 1"),
        (0, "Runtime exited without providing a reason"),
    ],
)
def test_a_function_that_ends_its_process_is_an_exit_error(service_of, status, words):
    service = service_of(spec("misbehaved.exit_process"))
    for _ in range(2):  # the second call finds a fresh worker
        error = failure(service, {"status": status})
        assert error["errorType"] == "Runtime.ExitError"
        prefix, _, message = error["errorMessage"].partition(" Error: ")
        assert prefix.startswith("RequestId: ")
        assert message == words


@pytest.mark.parametrize(
    ("handler", "error_type", "words"),
    [
        ("fails_to_import.handler", "Runtime.ImportModuleError", "a_module_that_does_not_exist"),
        ("well_behaved.nothing", "Runtime.HandlerNotFound", "nothing"),
        ("no_dot", "Runtime.MalformedHandlerName", "no_dot"),
        ("exits_at_import.handler", "Runtime.ExitError", "exit status 3"),
    ],
)
def test_a_function_that_cannot_start_fails_the_call(service_of, handler, error_type, words):
    error = failure(service_of(spec(handler)))
    assert error["errorType"] == error_type
    assert words in error["errorMessage"]


def test_a_syntax_error_is_named(service_of, tmp_path):
    (tmp_path / "wrong.py").write_text("def handler(:\n")
    error = failure(service_of(spec("wrong.handler", code_dir=tmp_path)))
    assert error["errorType"] == "Runtime.UserCodeSyntaxError"


def test_code_that_is_not_there_fails_the_call(service_of, tmp_path):
    error = failure(service_of(spec("a.b", code_dir=tmp_path / "missing")))
    assert error["errorType"] == "Runtime.InvalidEntrypoint"


def test_a_result_that_is_not_json_fails_the_call(service_of):
    error = failure(service_of(spec("misbehaved.return_unserialisable")))
    assert error["errorType"] == "Runtime.MarshalError"
    assert "set" in error["errorMessage"]


def test_an_event_that_is_not_json_fails_the_call(service_of):
    service = service_of(spec("well_behaved.echo"))
    assert error_of(service.invoke("f", b"{nope"))["errorType"] == "Runtime.UnmarshalError"


def test_a_response_at_the_quota_passes_and_one_over_it_fails(service_of):
    # 6 MB and 100 bytes: what AWS's own message names as its limit.
    service = service_of(spec("well_behaved.return_bytes"))
    assert len(call(service, {"bytes": 6_291_556})) == 6_291_554
    error = failure(service, {"bytes": 6_291_557})
    assert error["errorType"] == "Function.ResponseSizeTooLarge"
    assert "6291556 bytes" in error["errorMessage"]
    assert len(call(service, {"bytes": 10})) == 8


def test_a_request_over_the_quota_is_refused(service_of):
    service = service_of(spec("well_behaved.echo"))
    with pytest.raises(RequestTooLargeError, match="6291456 bytes"):
        service.invoke("f", b'"' + b"x" * 6_291_455 + b'"')
    assert service.counts() == {}


def test_a_function_finds_lambdas_environment_and_none_of_the_callers(service_of, monkeypatch):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in (
        "AWS_PROFILE",
        "AWS_ACCESS_KEY_ID",
        "AWS_SESSION_TOKEN",
        "MY_SECRET",
        "PYTHONPATH",
    ):
        monkeypatch.setenv(name, "the developer's own")
    own = {"TABLE": "tickets", "AWS_SECRET_ACCESS_KEY": "of the role", "_HANDLER": "overridden"}
    service = service_of(spec("well_behaved.describe_process", environment=own))

    seen = call(service)
    environment = seen["environment"]

    assert "the developer's own" not in environment.values()
    assert environment["TABLE"] == "tickets"
    assert environment["AWS_SECRET_ACCESS_KEY"] == "of the role"
    assert environment["_HANDLER"] == "well_behaved.describe_process"
    assert environment["AWS_LAMBDA_FUNCTION_NAME"] == "f"
    assert environment["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"] == "256"
    assert environment["LAMBDA_TASK_ROOT"] == str(FUNCTIONS) == seen["working_directory"]
    assert environment["TZ"] == ":UTC"
    assert environment["AWS_CONFIG_FILE"] == os.devnull
    assert environment["AWS_SHARED_CREDENTIALS_FILE"] == os.devnull
    assert environment["AWS_EC2_METADATA_DISABLED"] == "true"
    assert str(Path.home()) not in environment.values()
    leaks = set(environment) & set(os.environ) - {"PATH", "LANG", "TZ", "HOME", "LC_CTYPE"}
    assert leaks == set()


def test_a_function_imports_its_own_code_and_nothing_of_the_stack(service_of):
    seen = call(service_of(spec("well_behaved.describe_process")))
    assert seen["sys_path"][0] == str(FUNCTIONS)
    scripts = Path(local_stack.lambda_service.__file__).parents[2]
    assert not [path for path in seen["sys_path"] if Path(path).is_relative_to(scripts)]


def test_the_terminals_interrupt_does_not_reach_a_worker(service_of):
    seen = call(service_of(spec("well_behaved.describe_process")))
    assert seen["session"] == seen["pid"] != os.getsid(0)


def test_calls_are_counted_and_observed_before_they_run(service_of):
    service = service_of(spec("misbehaved.raise_error"))
    seen = []
    service.on_invoke(lambda name, payload: seen.append((name, json.loads(payload))))
    failure(service, {"n": 1})
    failure(service, {"n": 2})
    assert seen == [("f", {"n": 1}), ("f", {"n": 2})]
    assert service.counts() == {"f": 2}


def test_an_unknown_function_is_a_key_error(service_of):
    with pytest.raises(KeyError):
        service_of(spec("well_behaved.echo")).invoke("g", b"{}")


def test_a_closed_service_takes_no_call(service_of):
    service = service_of(spec("well_behaved.echo"))
    service.close()
    with pytest.raises(LambdaServiceClosedError):
        service.invoke("f", b"{}")


def test_prewarm_leaves_a_worker_for_the_first_call_and_forgives_a_broken_function(service_of):
    service = service_of(
        spec("well_behaved.echo"), spec("fails_to_import.handler", name="broken"), workers=2
    )
    service.prewarm()
    service.prewarm()
    assert service.counts() == {}
    assert call(service, 1)["event"] == 1
    assert failure(service, name="broken")["errorType"] == "Runtime.ImportModuleError"
