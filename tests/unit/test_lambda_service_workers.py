"""Many calls at once, workers that are killed, and that none of them is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

import local_stack.lambda_service
from fixtures.lambda_service import FUNCTIONS, PATIENCE, call, error_of, failure, meeting, spec
from local_stack.lambda_service import LambdaService, LambdaServiceClosedError
from local_stack.lambda_service.function_log import FunctionLog
from local_stack.lambda_service.runtime_api import RuntimeApi
from local_stack.lambda_service.worker import Worker

SCRIPTS = Path(local_stack.lambda_service.__file__).parents[2]


@pytest.fixture(params=["awslambdaric", "own loop"])
def loop(request):
    if request.param == "awslambdaric":
        pytest.importorskip("runtime_client", reason="AWS's client has wheels for Linux only")
    return "own" if request.param == "own loop" else "auto"


@pytest.fixture
def callers():
    with ThreadPoolExecutor(32) as executor:
        yield executor


@pytest.fixture
def service_of(loop, callers, tmp_path):  # closed before the callers are waited for
    services = []

    def start(*specs, workers):
        service = LambdaService(
            specs, log_dir=tmp_path, workers_per_function=workers, force_own_loop=loop == "own"
        )
        services.append(service)
        return service

    yield start
    for service in services:
        service.close()


@pytest.fixture
def place():
    with meeting() as place:
        yield place


def test_calls_from_many_threads_each_get_their_own_answer_from_few_workers(service_of, callers):
    service = service_of(spec("well_behaved.echo"), workers=3)
    answers = list(callers.map(lambda n: call(service, n), range(300), timeout=PATIENCE))
    assert [answer["event"] for answer in answers] == list(range(300))
    assert len({answer["pid"] for answer in answers}) <= 3
    assert service.counts() == {"f": 300}


def test_calls_run_at_once_up_to_the_limit_and_the_others_wait(service_of, callers, place):
    service = service_of(spec("well_behaved.meet"), workers=2)
    calls = [callers.submit(call, service, {"port": place.port, "name": name}) for name in range(3)]

    first, second = place.accept(), place.accept()  # both are running now

    assert first.pid != second.pid
    place.expect_nobody()
    first.let_go()
    third = place.accept()
    assert third.pid == first.pid
    second.let_go()
    third.let_go()
    assert sorted(future.result(PATIENCE) for future in calls) == [0, 1, 2]


def test_the_wait_for_a_free_worker_does_not_count_as_the_functions_time(
    service_of, callers, place
):
    """Five calls that take 0.3 s each, one after the other: 1.5 s, with a timeout of 1 s."""
    service = service_of(spec("well_behaved.meet", timeout_seconds=1), workers=1)
    calls = [callers.submit(call, service, {"port": place.port, "name": n}) for n in range(5)]
    for _ in calls:
        guest = place.accept()
        assert wait(calls, 0.3).not_done  # for that long it is at work
        guest.let_go()
    assert sorted(future.result(PATIENCE) for future in calls) == list(range(5))


def test_a_worker_killed_from_outside_fails_its_call_and_the_next_one_works(
    service_of, callers, place
):
    service = service_of(spec("well_behaved.meet"), workers=1)
    event = {"port": place.port, "name": "again"}
    doomed = callers.submit(failure, service, event)
    guest = place.accept()
    os.kill(guest.pid, signal.SIGKILL)
    guest.wait_for_its_end()

    error = doomed.result(PATIENCE)

    assert error["errorType"] == "Runtime.ExitError"
    assert error["errorMessage"].endswith(" Error: Runtime exited with error: signal: killed")
    again = callers.submit(call, service, event)
    place.accept().let_go()
    assert again.result(PATIENCE) == "again"


def test_an_idle_worker_killed_from_outside_is_replaced(service_of):
    service = service_of(spec("well_behaved.echo"), workers=1)
    pid = call(service)["pid"]
    os.kill(pid, signal.SIGKILL)
    answers = [service.invoke("f", b"1") for _ in range(2)]
    # The first call may still meet the dying worker, never the second.
    assert answers[-1].function_error is None


def test_no_worker_is_started_while_the_one_that_has_answered_will_be_free(service_of, tmp_path):
    service = service_of(spec("says_that_it_starts.handler"), workers=4)
    for _ in range(500):
        call(service)
    service.close()
    assert (tmp_path / "f.log").read_text().splitlines() == ["a worker starts"]


def test_an_event_for_a_worker_that_has_ended_fails_at_once(tmp_path):
    api, log = RuntimeApi(), FunctionLog(tmp_path / "f.log")
    worker = Worker(spec("well_behaved.echo"), api, log, lambda *_: None, force_own_loop=True)
    worker.kill()
    worker.start()
    assert error_of(worker.run("1", b"{}"))["errorType"] == "Runtime.ExitError"
    api.close()
    log.close()


def test_a_failing_start_does_not_strand_the_callers_behind_it(service_of, callers):
    service = service_of(spec("fails_to_import.handler"), workers=2)
    errors = list(callers.map(lambda n: failure(service, n), range(6), timeout=PATIENCE))
    assert {error["errorType"] for error in errors} == {"Runtime.ImportModuleError"}


def test_all_output_is_in_the_functions_log_and_no_line_is_torn(service_of, callers, tmp_path):
    service = service_of(spec("well_behaved.say", name="talks"), workers=3)
    list(
        callers.map(
            lambda n: call(service, {"name": f"call{n}", "lines": 40}, "talks"),
            range(12),
            timeout=PATIENCE,
        )
    )
    service.close()

    lines = (tmp_path / "talks.log").read_text(encoding="utf-8").splitlines()

    said = [line for line in lines if "line" in line]
    expected = [f"call{n} line {m} žluťoučký" for n in range(12) for m in range(40)]
    assert sorted(said) == sorted(expected)
    assert sum("logged by call" in line and "[WARNING]" in line for line in lines) == 12


def test_a_function_that_may_not_log_works_and_its_lines_are_lost(tmp_path):
    function = spec("well_behaved.say", name="talks")
    log = tmp_path / "talks.log"
    for may in (False, True):
        with LambdaService(
            [function],
            log_dir=tmp_path,
            workers_per_function=1,
            may_log=lambda asked, may=may: asked == function and may,
        ) as service:
            call(service, {"name": f"may {may}", "lines": 2}, "talks")
        assert ("may True line 1" in log.read_text(encoding="utf-8")) == may
    assert "may False" not in log.read_text(encoding="utf-8")


def test_a_stack_trace_stands_in_the_log_line_by_line(service_of, tmp_path):
    service = service_of(spec("misbehaved.raise_error"), workers=1)
    failure(service)
    service.close()
    log = (tmp_path / "f.log").read_bytes()
    assert b"[ERROR] SeatTaken: seat 2 is taken\n" in log
    assert b"\r" not in log


def test_close_ends_running_waiting_and_idle_workers(service_of, callers, place):
    service = service_of(
        spec("misbehaved.connect_and_hang", name="hangs"), spec("well_behaved.echo"), workers=1
    )
    call(service)
    running = callers.submit(service.invoke, "hangs", b'{"port": %d}' % place.port)
    guest = place.accept()
    waiting = callers.submit(service.invoke, "hangs", b"{}")

    service.close()

    guest.wait_for_its_end()
    assert error_of(running.result(PATIENCE))["errorType"] == "Runtime.ExitError"
    with pytest.raises(LambdaServiceClosedError):
        waiting.result(PATIENCE)


@pytest.mark.parametrize(
    "handler",
    [
        "connect_and_hang",
        "connect_and_close_standard_input",
        "hang_with_a_child",
        pytest.param(
            "connect_and_hold_the_interpreter",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="needs F_SETSIG"),
        ),
    ],
)
def test_no_worker_outlives_a_service_that_is_killed(loop, place, tmp_path, handler):
    parent = subprocess.Popen(
        [
            sys.executable,
            FUNCTIONS / "parent.py",
            f"misbehaved.{handler}",
            str(place.port),
            str(tmp_path),
            loop,
        ],
        env={"PYTHONPATH": str(SCRIPTS)},
    )
    try:
        guest = place.accept()
        assert guest.pid != parent.pid
    finally:
        parent.kill()
        parent.wait(PATIENCE)
    guest.wait_for_its_end()


def test_a_worker_ends_with_its_parent_also_where_the_kernel_does_not_see_to_it():
    code = (
        "import threading\n"
        "from local_stack.lambda_service import bootstrap\n"
        "bootstrap._let_kernel_kill = lambda lifeline: None\n"
        "bootstrap._end_with_parent()\n"
        "print('armed', flush=True)\n"
        "threading.Event().wait()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SCRIPTS)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as worker:
        try:
            assert worker.stdout.readline() == b"armed\n"
            worker.stdin.close()
            assert worker.wait(PATIENCE) == -signal.SIGKILL
        finally:
            worker.kill()


def test_a_function_past_its_timeout_is_killed_with_its_children_and_the_next_call_works(
    service_of, callers, place
):
    service = service_of(spec("misbehaved.hang_with_a_child", timeout_seconds=1), workers=1)
    doomed = callers.submit(failure, service, {"port": place.port})
    guest = place.accept()

    error = doomed.result(PATIENCE)

    assert error["errorType"] == "Sandbox.Timedout"
    assert error["errorMessage"].endswith(" Error: Task timed out after 1.00 seconds")
    guest.wait_for_its_end()
    assert call(service, {}) == "no port, no hang"


def test_an_import_that_never_finishes_times_out(service_of, callers, monkeypatch):
    monkeypatch.setattr(local_stack.lambda_service.worker, "INIT_SECONDS", 0)
    service = service_of(spec("hangs_at_import.handler", timeout_seconds=1), workers=1)
    error = callers.submit(failure, service).result(PATIENCE)
    assert error["errorType"] == "Sandbox.Timedout"


def test_our_own_loop_steps_in_where_awss_client_cannot_be_imported(tmp_path):
    (tmp_path / "runtime_client.py").write_text("raise ImportError('no wheel for this platform')")
    (tmp_path / "loop.py").write_text(
        "import sys\ndef used(event, context): return '_runtime_loop' in sys.modules\n"
    )
    function = spec("loop.used", code_dir=tmp_path)
    with LambdaService([function], log_dir=tmp_path, workers_per_function=1) as service:
        assert call(service) is True


def test_awss_client_is_used_where_it_can_be_imported(tmp_path):
    pytest.importorskip("runtime_client", reason="AWS's client has wheels for Linux only")
    (tmp_path / "loop.py").write_text(
        "import sys\ndef used(event, context): return 'awslambdaric' in sys.modules\n"
    )
    function = spec("loop.used", code_dir=tmp_path)
    with LambdaService([function], log_dir=tmp_path, workers_per_function=1) as service:
        assert call(service) is True
