"""Faults: how they are written, how they are counted, and what each kind does to a call."""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from fixtures.lambda_service import PATIENCE, call, failure, spec
from local_stack.lambda_service import (
    Fault,
    FaultError,
    FaultKind,
    FaultPlan,
    LambdaService,
    Subject,
    TooManyRequests,
    parse_fault,
)

STATES = ("AcceptBooking", "Creating", "Written", "Ready", "SendEmail", "RecordEmailJob")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Written[2]:error:always", Fault("Written", 2, FaultKind.ERROR, None)),
        ("Creating:lost-reply:1", Fault("Creating", None, FaultKind.LOST_REPLY, 1)),
        ("Ready[500]:crash:12", Fault("Ready", 500, FaultKind.CRASH, 12)),
        ("AcceptBooking:hang:2", Fault("AcceptBooking", None, FaultKind.HANG, 2)),
        ("RecordEmailJob:throttle:3", Fault("RecordEmailJob", None, FaultKind.THROTTLE, 3)),
        ("SendEmail:ses-throttle:1", Fault("SendEmail", None, FaultKind.SES_THROTTLE, 1)),
        ("SendEmail:ses-reject:always", Fault("SendEmail", None, FaultKind.SES_REJECT, None)),
        ("SendEmail:ses-pause:2", Fault("SendEmail", None, FaultKind.SES_PAUSE, 2)),
    ],
)
def test_a_fault_is_read_and_written_back_as_it_was(text, fault):
    assert parse_fault(text, STATES) == fault
    assert str(fault) == text


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", "STATE[SEAT]:KIND:TIMES"),
        ("Written", "STATE[SEAT]:KIND:TIMES"),
        ("Written:error", "STATE[SEAT]:KIND:TIMES"),
        ("Written:error:1:2", "STATE[SEAT]:KIND:TIMES"),
        ("Written[2:error:1", "STATE[SEAT]:KIND:TIMES"),
        ("Written[2]x:error:1", "STATE[SEAT]:KIND:TIMES"),
        ("Wrtten:error:1", "Written"),
        ("written:error:1", "Written"),
        (" Written:error:1", "Written"),
        ("Written[]:error:1", "whole number from 1"),
        ("Written[0]:error:1", "whole number from 1"),
        ("Written[-1]:error:1", "whole number from 1"),
        ("Written[two]:error:1", "whole number from 1"),
        ("Written[٢]:error:1", "whole number from 1"),
        ("SendEmail[1]:error:1", "Creating, Written, Ready"),
        ("AcceptBooking[1]:error:1", "Creating, Written, Ready"),
        ("Written:explode:1", "lost-reply"),
        ("Written::1", "lost-reply"),
        ("Written:ses-reject:1", "SendEmail"),
        ("Written:error:0", "always"),
        ("Written:error:-1", "always"),
        ("Written:error:1.5", "always"),
        ("Written:error:", "always"),
        ("Written:error:never", "always"),
        ("Written:error:1\n", "always"),
    ],
)
def test_a_mistaken_fault_is_one_sentence_that_names_it_and_what_is_allowed(text, allowed):
    with pytest.raises(FaultError) as raised:
        parse_fault(text, STATES)
    sentence = str(raised.value)
    assert repr(text) in sentence
    assert allowed in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def plan(*texts):
    return FaultPlan(parse_fault(text, STATES) for text in texts)


def test_a_fault_strikes_as_often_as_it_says_and_only_at_its_seat():
    faults = plan("Written[2]:error:2")
    seats = [faults.take("Written", Subject(seat=seat)) for seat in (1, 2, 2, 2, 3, None)]
    assert seats == [None, "error", "error", None, None, None]


def test_a_fault_of_one_booking_strikes_no_other():
    faults = FaultPlan([Fault("Written", None, FaultKind.ERROR, None, booking="b1")])
    faults.add(Fault("SendEmail", None, FaultKind.SES_REJECT, None, booking="b1"))
    bookings = ("b2", "b1", None)
    assert [faults.take("Written", Subject(b, 1)) for b in bookings] == [None, "error", None]
    assert [faults.take_ses(b) for b in bookings] == [None, "ses-reject", None]


def test_a_fault_without_a_seat_counts_over_all_seats():
    faults = plan("Written:crash:2")
    assert [faults.take("Written", Subject(seat=seat)) for seat in (7, 8, 9)] == [
        "crash",
        "crash",
        None,
    ]


def test_faults_of_one_state_strike_in_their_order():
    faults = plan("Ready:error:1", "Ready:hang:1")
    assert [faults.take("Ready", Subject(seat=1)) for _ in range(3)] == ["error", "hang", None]


def test_a_fault_of_ses_strikes_ses_and_not_the_function():
    faults = plan("SendEmail:ses-throttle:1", "SendEmail:error:1")
    assert faults.take("SendEmail", Subject()) == "error"
    assert faults.take("SendEmail", Subject()) is None
    assert [faults.take_ses(None), faults.take_ses(None)] == ["ses-throttle", None]


def test_faults_can_be_added_cleared_and_lifted_while_running():
    faults = plan("Written:error:always", "Ready:error:2")
    faults.take("Ready", Subject(seat=1))
    assert [str(fault) for fault in faults.active()] == ["Written:error:always", "Ready:error:1"]
    faults.clear("Written")
    assert faults.take("Written", Subject(seat=1)) is None
    faults.add(parse_fault("Creating:hang:1", STATES))
    assert faults.take("Creating", Subject(seat=1)) == "hang"
    faults.lift()
    assert faults.active() == ()
    assert faults.take("Ready", Subject(seat=1)) is None


@pytest.fixture
def restless_threads():
    """Threads that give way to each other at every chance."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless_threads")
def test_a_fault_is_counted_once_per_strike_under_many_threads():
    faults = plan("Written:error:500")
    gate = threading.Barrier(8)

    def strike(_):
        gate.wait(PATIENCE)
        return sum(faults.take("Written", Subject(seat=1)) == "error" for _ in range(200))

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(strike, range(8), timeout=PATIENCE)) == 500


@pytest.fixture
def service_of(tmp_path):
    services = []

    def start(*faults, timeout_seconds=PATIENCE):
        service = LambdaService(
            [spec("well_behaved.write_file", timeout_seconds=timeout_seconds)],
            log_dir=tmp_path / "logs",
            workers_per_function=1,
            faults=plan(*faults),
            states={"f": "Written"},
            subject_of=lambda payload: Subject(seat=json.loads(payload).get("seatNumber")),
        )
        services.append(service)
        return service

    yield start
    for service in services:
        service.close()


@pytest.fixture
def work(tmp_path):
    """The file to which the function appends a line with its pid whenever it works."""
    return tmp_path / "work"


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_error_fails_before_the_work(service_of, work):
    service = service_of("Written:error:1")
    assert failure(service, {"file": str(work)})["errorType"] == "InjectedError"
    assert lines(work) == []
    assert call(service, {"file": str(work)}) == "done"
    assert service.counts() == {"f": 2}


def test_lost_reply_fails_after_the_work(service_of, work):
    service = service_of("Written:lost-reply:1")
    assert failure(service, {"file": str(work)})["errorType"] == "InjectedError"
    assert len(lines(work)) == 1
    assert call(service, {"file": str(work)}) == "done"
    assert len(set(lines(work))) == 1  # the same worker, twice
    assert len(lines(work)) == 2


def test_crash_kills_the_worker_after_the_work(service_of, work):
    service = service_of("Written:crash:1")
    error = failure(service, {"file": str(work)})
    assert error["errorType"] == "Runtime.ExitError"
    assert error["errorMessage"].endswith("Runtime exited with error: signal: killed")
    assert len(lines(work)) == 1
    assert call(service, {"file": str(work)}) == "done"
    assert len(set(lines(work))) == 2  # another worker


def test_hang_times_out_before_the_work_and_costs_the_worker(service_of, work):
    service = service_of("Written:hang:1", timeout_seconds=1)
    error = failure(service, {"file": str(work)})
    assert error["errorType"] == "Sandbox.Timedout"
    assert error["errorMessage"].endswith("Task timed out after 1.00 seconds")
    assert lines(work) == []
    assert call(service, {"file": str(work)}) == "done"


def test_throttle_refuses_the_call_and_counts_no_invocation(service_of, work):
    service = service_of("Written:throttle:1")
    seen = []
    service.on_invoke(lambda *facts: seen.append(facts))
    with pytest.raises(TooManyRequests):
        call(service, {"file": str(work)})
    assert lines(work) == []
    assert service.counts() == {}
    assert seen == []
    assert call(service, {"file": str(work)}) == "done"


def test_a_fault_of_one_seat_is_found_by_the_events_seat_number(service_of, work):
    service = service_of("Written[2]:error:always")
    assert call(service, {"file": str(work), "seatNumber": 1}) == "done"
    assert failure(service, {"file": str(work), "seatNumber": 2})["errorType"] == "InjectedError"
    assert call(service, {"file": str(work)}) == "done"


def test_closing_does_not_wait_for_a_hang(service_of):
    service = service_of("Written:hang:1", timeout_seconds=2 * PATIENCE)
    with ThreadPoolExecutor(1) as caller:
        started = threading.Event()
        service.on_invoke(lambda *_: started.set())
        hanging = caller.submit(service.invoke, "f", b"{}")
        assert started.wait(PATIENCE)
        service.close()
        assert hanging in wait([hanging], PATIENCE).done
