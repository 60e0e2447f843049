"""Pages that follow executions ask AWS for what is new, and for that only once."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from botocore.exceptions import EndpointConnectionError

from execution_history import Status
from fixtures.aws_account import NOW, Account, machine_arn, refusal
from fixtures.histories import REDRIVEN, failing_map, history
from operations.context import Options
from operations.executions import Executions
from operations.finding import NotFound
from operations.following import Follower
from operations.rates import Bucket
from operations.target import RECONCILIATIONS

LOCAL = Options(None, None, None, "dev", False)
DEFINITION = '{"StartAt": "Seats", "States": {}}'
LATER = NOW + timedelta(days=30)
SUCCEEDED = json.dumps({"tickets": {"ready": 4}, "bookingId": "bk", "email": "sent"})


class Stage:
    """An account and a follower whose readings are fresh for a second of ``clock``."""

    def __init__(self, page: int = 10) -> None:
        self.account = Account(page)
        self.stepfunctions, self.tables = self.account.stepfunctions, self.account.tables
        self.clock = 0.0
        self.follower = Follower(self.account.connect(LOCAL), clock=lambda: self.clock)

    def calls_of(self, what):
        """What it asked AWS for, a second after whatever it knows was read."""
        self.clock += 1
        before = self.stepfunctions.calls + self.tables.calls
        what()
        return dict(self.stepfunctions.calls + self.tables.calls - before)

    def row(self, booking):
        self.clock += 1
        return next(row for row in self.follower.rows() if row.name == f"run-of-{booking}")


@pytest.fixture
def stage():
    return Stage()


# One execution


def running(stage, events):
    arn = stage.stepfunctions.add("bk", "RUNNING", stopDate=None)
    stage.stepfunctions.histories[arn] = events
    stage.stepfunctions.definitions[arn] = DEFINITION
    return arn


def test_a_re_read_asks_only_for_what_is_new(stage):
    events = history(*failing_map())
    arn = running(stage, events[:22])
    assert stage.calls_of(lambda: stage.follower.view(arn)) == {
        "DescribeExecution": 1,
        "GetExecutionHistory": 3,
        "DescribeStateMachineForExecution": 1,
    }
    stage.stepfunctions.histories[arn] = events[:24]
    again = stage.calls_of(lambda: stage.follower.view(arn))
    assert again == {"DescribeExecution": 1, "GetExecutionHistory": 1}
    view = stage.follower.view(arn)
    assert [event["id"] for event in view.events] == list(range(1, 25))
    assert [entry.id for entry in view.timeline] == list(range(1, 25))
    assert [run.label for run in view.history.failures] == ["Seats[1]/B"]
    assert (view.transitions, view.definition["StartAt"]) == (6, "Seats")


def test_a_re_read_takes_as_many_pages_as_what_is_new_fills(stage):
    events = history(*failing_map())
    arn = running(stage, events[:2])
    stage.follower.view(arn)
    stage.stepfunctions.histories[arn] = events
    assert stage.calls_of(lambda: stage.follower.view(arn))["GetExecutionHistory"] == 3
    assert stage.follower.view(arn).events == events


def test_a_view_that_a_page_holds_does_not_change_under_it(stage):
    events = history(*failing_map())
    arn = running(stage, events[:16])
    held = stage.follower.view(arn)
    stage.stepfunctions.histories[arn] = events
    stage.clock += 1
    assert len(stage.follower.view(arn).events) == 25
    assert (len(held.events), held.history.events, held.history.failures) == (16, 16, [])


def test_a_finished_history_is_read_once(stage):
    arn = stage.stepfunctions.add("bk")
    stage.stepfunctions.histories[arn] = history(*failing_map())
    stage.follower.view(arn)
    assert stage.calls_of(lambda: stage.follower.view(arn)) == {"DescribeExecution": 1}


def test_a_history_that_lags_behind_the_executions_end_is_read_on(stage):
    arn = stage.stepfunctions.add("bk")
    events = history(*failing_map())
    stage.stepfunctions.histories[arn] = events[:24]
    assert stage.follower.view(arn).history.status == "RUNNING"
    stage.stepfunctions.histories[arn] = events
    stage.clock += 1
    assert stage.follower.view(arn).history.status == "FAILED"


@pytest.mark.parametrize("shape", REDRIVEN.values(), ids=REDRIVEN)
def test_a_redrive_is_seen(stage, shape):
    arn = stage.stepfunctions.add("bk")
    stage.stepfunctions.definitions[arn] = DEFINITION
    stage.stepfunctions.histories[arn] = history(*failing_map())
    assert stage.follower.view(arn).history.status == "FAILED"
    stage.stepfunctions.executions[arn].update(status="RUNNING", redriveCount=1)
    stage.stepfunctions.histories[arn] = history(*failing_map(redriven=True), *shape)
    assert stage.calls_of(lambda: stage.follower.view(arn)) == {
        "DescribeExecution": 1,
        "GetExecutionHistory": 1,
    }
    view = stage.follower.view(arn)
    assert (view.execution.status, view.history.redrives) == ("RUNNING", 1)
    assert {run.label: run.status for run in view.history.current}["Seats[1]/B"] is Status.SUCCEEDED


def test_a_redrive_that_failed_again_before_anyone_looked_is_seen(stage):
    arn = stage.stepfunctions.add("bk")
    stage.stepfunctions.histories[arn] = history(*failing_map())
    stage.follower.view(arn)
    stage.stepfunctions.executions[arn].update(redriveCount=1)
    again = [("TaskStateEntered", 4, {"name": "B"}), ("ExecutionFailed", 27, {"error": "Worse"})]
    stage.stepfunctions.histories[arn] = history(*failing_map(redriven=True), *again)
    stage.clock += 1
    assert stage.follower.view(arn).history.error == "Worse"


def test_a_new_stacks_execution_of_the_same_name_is_read_anew(stage):
    events = history(*failing_map())
    arn = running(stage, events)
    stage.follower.view(arn)
    stage.stepfunctions.executions[arn]["startDate"] = NOW
    stage.stepfunctions.histories[arn] = events[:5]
    stage.clock += 1
    assert stage.follower.view(arn).events == events[:5]


def test_an_event_that_comes_late_is_not_missed(stage):
    events = history(*failing_map())
    arn = running(stage, events[:5])
    stage.follower.view(arn)
    stage.stepfunctions.histories[arn] = [*events[:5], *events[8:]]  # 6 to 8 come late
    stage.clock += 1
    assert len(stage.follower.view(arn).events) == 22
    stage.stepfunctions.histories[arn] = events
    stage.clock += 1
    assert stage.follower.view(arn).events == events


def test_two_pages_at_once_share_one_read(stage):
    arn = running(stage, history(*failing_map()))
    asked, answer = threading.Event(), threading.Event()

    def hold(operation):
        if operation == "DescribeExecution":
            asked.set()
            assert answer.wait(10)

    stage.stepfunctions.on_call = hold
    with ThreadPoolExecutor(4) as pages:
        first = pages.submit(stage.follower.view, arn)
        assert asked.wait(10)
        others = [pages.submit(stage.follower.view, arn) for _ in range(3)]
        answer.set()
        views = {id(page.result(10)) for page in [first, *others]}
    assert len(views) == 1
    assert stage.stepfunctions.calls["DescribeExecution"] == 1


def test_a_page_that_waits_for_one_execution_does_not_hold_up_another(stage):
    slow, quick = running(stage, []), stage.stepfunctions.add("other", "RUNNING")
    stage.stepfunctions.histories[quick] = []
    asked, answer = threading.Event(), threading.Event()

    def hold(operation):
        if operation == "DescribeExecution" and not asked.is_set():
            asked.set()
            assert answer.wait(10)

    stage.stepfunctions.on_call = hold
    with ThreadPoolExecutor(1) as pages:
        waiting = pages.submit(stage.follower.view, slow)
        assert asked.wait(10)
        assert stage.follower.view(quick).execution.arn == quick
        answer.set()
        assert waiting.result(10).execution.arn == slow


def test_a_stack_that_is_down_is_asked_once_a_second_and_then_read_on(stage):
    arn = running(stage, history(*failing_map()))
    stage.follower.view(arn)

    def refuse(_):
        raise EndpointConnectionError(endpoint_url="http://127.0.0.1:4510")

    stage.stepfunctions.on_call = refuse
    stage.clock += 1
    for _ in range(3):
        with pytest.raises(EndpointConnectionError):
            stage.follower.view(arn)
    assert stage.stepfunctions.calls["DescribeExecution"] == 2
    stage.stepfunctions.on_call = lambda _: None
    assert stage.calls_of(lambda: stage.follower.view(arn))["GetExecutionHistory"] == 1


def test_only_the_twenty_latest_histories_are_kept_and_no_definition_is_read_twice(stage):
    for number in range(21):
        arn = stage.stepfunctions.add(f"bk_{number}")
        stage.stepfunctions.histories[arn] = history(*failing_map())
        stage.stepfunctions.definitions[arn] = DEFINITION
        stage.follower.view(arn)
    last, first = arn, next(iter(stage.stepfunctions.executions))
    assert stage.calls_of(lambda: stage.follower.view(last)) == {"DescribeExecution": 1}
    again = stage.calls_of(lambda: stage.follower.view(first))
    assert again == {"DescribeExecution": 1, "GetExecutionHistory": 3}


def test_a_definition_that_may_be_read_at_last_is_read(stage):
    arn = running(stage, history(*failing_map())[:4])
    forbidden = stage.stepfunctions.definitions.pop(arn)
    assert stage.follower.view(arn).definition is None
    stage.stepfunctions.definitions[arn] = forbidden
    stage.stepfunctions.histories[arn] = history(*failing_map())[:6]
    stage.clock += 1
    assert stage.follower.view(arn).definition == json.loads(DEFINITION)


def test_tables_that_may_not_be_read_hide_neither_their_row_nor_the_others(stage, monkeypatch):
    def forbidden(**_):
        raise refusal("GetItem", "AccessDeniedException")

    stage.stepfunctions.add("bk_1", error="Timeout")
    monkeypatch.setattr(stage.tables, "get_item", forbidden)
    row = stage.row("bk_1")
    assert (row.error, row.seats, row.email) == ("Timeout", None, "not permitted to read")


@pytest.mark.parametrize("booking", ["L" * 2100, "\ud800x", "a b"])
def test_no_table_is_asked_for_what_is_no_booking_id(stage, booking):
    """DynamoDB takes keys of 2048 bytes: one such message would take the whole list down."""
    stage.stepfunctions.add(booking, error="InvalidBooking")
    assert stage.calls_of(stage.follower.rows) == {"ListExecutions": 1, "DescribeExecution": 1}
    (row,) = stage.follower.rows()
    assert row.booking == booking.replace("\ud800", "\ufffd")
    assert row.booking.encode()  # as a page's socket does


def test_on_aws_a_reading_is_fresh_for_three_seconds():
    account, clock = Account(), [0.0]
    account.endpoint = None
    follower = Follower(account.connect(LOCAL), clock=lambda: clock[0])
    for seconds, calls in ((0, 1), (2.9, 1), (3, 2)):
        clock[0] = seconds
        follower.rows()
        assert account.stepfunctions.calls["ListExecutions"] == calls


# The list


def test_a_finished_execution_is_described_and_looked_up_once(stage):
    for number in range(3):
        stage.stepfunctions.add(f"bk_{number}", "SUCCEEDED", output=SUCCEEDED)
    stage.stepfunctions.add("failed")
    first = stage.calls_of(stage.follower.rows)
    assert first == {"ListExecutions": 1, "DescribeExecution": 4, "GetItem": 2}
    assert stage.calls_of(stage.follower.rows) == {"ListExecutions": 1}


def test_reconciliations_are_listed_of_their_own_machine_and_no_table_is_asked_about_them(stage):
    stage.stepfunctions.add("bk_1")
    machine = machine_arn(RECONCILIATIONS)
    ended = stage.stepfunctions.add("x", "SUCCEEDED", machine=machine, input="{}", output="{}")
    first = stage.calls_of(stage.follower.reconciliations)
    assert first == {"ListExecutions": 1, "DescribeExecution": 1}
    assert stage.calls_of(stage.follower.reconciliations) == {"ListExecutions": 1}
    assert [run.arn for run in stage.follower.reconciliations()] == [ended]


def test_an_open_execution_is_described_once_and_its_seats_are_counted_each_time(stage):
    arn = stage.stepfunctions.add("bk", "RUNNING", stopDate=None)
    stage.tables.claim("bk", arn)
    stage.follower.rows()
    stage.tables.ready["bk"] = 2
    again = stage.calls_of(stage.follower.rows)
    assert again == {"ListExecutions": 1, "GetItem": 1, "Query": 1}
    [row] = stage.follower.rows()
    assert (row.seats_ready, row.seats, row.email, row.why) == (2, 5, "not yet", None)


def test_a_redriven_execution_is_described_again_and_its_new_end_is_shown(stage):
    arn = stage.stepfunctions.add("bk")
    assert (stage.row("bk").error, stage.row("bk").redrives) == ("InjectedError", 0)
    stage.stepfunctions.executions[arn].update(status="RUNNING", redriveCount=1)
    assert (stage.row("bk").status, stage.row("bk").redrives) == ("RUNNING", 1)
    stage.stepfunctions.executions[arn].update(status="SUCCEEDED", output=SUCCEEDED)
    row = stage.row("bk")
    assert (row.status, row.seats_ready, row.seats, row.email) == ("SUCCEEDED", 4, 4, "sent")


def test_a_list_that_is_ahead_of_the_description_is_not_kept(stage):
    """DescribeExecution is eventually consistent: it may still say RUNNING."""
    arn = stage.stepfunctions.add("bk", "FAILED")
    ended = dict(stage.stepfunctions.executions[arn])

    def lag(operation):
        now_running = operation == "DescribeExecution"
        stage.stepfunctions.executions[arn]["status"] = "RUNNING" if now_running else "FAILED"

    stage.stepfunctions.on_call = lag
    assert stage.row("bk").status == "RUNNING"
    stage.stepfunctions.on_call = lambda _: None
    stage.stepfunctions.executions[arn] = ended
    assert (stage.row("bk").status, stage.row("bk").error) == ("FAILED", "InjectedError")


def test_what_was_under_way_when_an_execution_failed_is_looked_for_until_it_has_ended(stage):
    arn = stage.stepfunctions.add("bk", stopDate=NOW - timedelta(seconds=29))
    stage.tables.claim("bk", arn)
    stage.tables.ready["bk"] = 3
    assert stage.row("bk").seats_ready == 3
    stage.tables.ready["bk"] = 4  # its function ran on
    assert stage.row("bk").seats_ready == 4


def test_an_execution_that_failed_before_any_claim_has_no_seats(stage):
    stage.stepfunctions.add("bk", error="InvalidBooking", cause="seat count is 0")
    row = stage.row("bk")
    assert (row.booking, row.seats_ready, row.seats, row.email) == ("bk", None, None, "not sent")
    assert (row.error, row.why) == ("InvalidBooking", "seat count is 0")


def test_an_input_that_is_no_booking_has_a_row_too(stage):
    stage.stepfunctions.add("bk", input="not JSON")
    row = stage.row("bk")
    assert (row.booking, row.seats, row.email) == (None, None, "not sent")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("TIMED_OUT", "it took longer than its timeout allows"),
        ("ABORTED", "it was stopped from outside"),
    ],
)
def test_an_end_without_an_error_says_why_too(stage, status, words):
    stage.stepfunctions.add("bk", status)
    assert stage.row("bk").why == words


OWN = "arn:aws:states:eu-west-1:123456789012:execution:minitickets-dev-fulfil-booking:run-of-bk"
SOON, BEFORE = NOW + timedelta(seconds=60), NOW - timedelta(seconds=60)


@pytest.mark.parametrize(
    ("execution", "record", "words"),
    [
        ({}, None, "not sent"),
        ({}, {"owner": OWN}, "sent"),
        ({}, {"owner": "another"}, "already sent"),
        ({}, {"owner": OWN, "expires": BEFORE}, "not sent"),  # TTL has not come to it yet
        ({}, {"owner": OWN, "status": "sending", "lease": SOON}, "being sent"),
        ({}, {"owner": OWN, "status": "sending", "lease": BEFORE}, "perhaps sent"),
        ({}, {"owner": "another", "status": "sending", "lease": BEFORE}, "not sent"),
        (
            {"error": "EmailRejected"},
            {"owner": OWN, "status": "sending", "lease": BEFORE},
            "not sent",
        ),
        ({"status": "RUNNING"}, None, "not yet"),
        ({"status": "RUNNING"}, {"owner": OWN, "status": "sending", "lease": BEFORE}, "not yet"),
        ({"status": "SUCCEEDED", "output": SUCCEEDED}, None, "sent"),
        (
            {"status": "SUCCEEDED", "output": SUCCEEDED.replace("sent", "already-sent")},
            None,
            "already sent",
        ),
        ({"status": "SUCCEEDED", "output": "{}"}, {"owner": OWN}, "sent"),
    ],
)
def test_the_email_is_told_from_the_output_or_from_its_record(stage, execution, record, words):
    stage.stepfunctions.add("bk", **execution)
    if record:
        stage.tables.email("bk", **{"expires": LATER, **record})
    assert stage.row("bk").email == words


def test_an_email_that_is_being_sent_is_looked_up_until_its_lease_ends(stage):
    stage.stepfunctions.add("bk")
    stage.tables.email("bk", OWN, LATER, status="sending", lease=SOON)
    assert stage.row("bk").email == "being sent"
    stage.tables.email("bk", OWN, LATER)
    assert stage.row("bk").email == "sent"


def test_rows_are_the_newest_first_as_many_as_asked_for_and_of_one_status(stage):
    for number in range(30):
        stage.stepfunctions.add(f"bk_{number}", "FAILED" if number % 2 else "RUNNING")
    assert [row.booking for row in stage.follower.rows(3)] == ["bk_0", "bk_1", "bk_2"]
    failed = stage.follower.rows(4, "FAILED")
    assert [row.booking for row in failed] == ["bk_1", "bk_3", "bk_5", "bk_7"]
    assert len(stage.follower.rows()) == 30


def test_a_bookings_rows_are_found_by_it(stage):
    arn = stage.stepfunctions.add("bk")
    stage.stepfunctions.add("other")
    stage.tables.claim("bk", arn)
    assert [row.arn for row in stage.follower.rows_of("bk")] == [arn]
    with pytest.raises(NotFound):
        stage.follower.rows_of("unheard of")


def test_many_pages_at_once_keep_to_aws_rates():
    """Eight threads that take from one bucket are made to wait as one would be."""
    waited: list[float] = []
    bucket = Bucket(burst=10, per_second=5, clock=lambda: 0.0, sleep=waited.append)
    account = Account(page=100)
    for number in range(50):
        account.stepfunctions.add(f"bk_{number}", "SUCCEEDED", output=SUCCEEDED)
    operator = account.connect(LOCAL)
    limited = Executions(
        account.stepfunctions, operator.executions.machine, {"DescribeExecution": bucket}
    )
    Follower(type(operator)(operator.target, operator.screen, limited, operator.bookings)).rows()
    assert sorted(waited) == pytest.approx([number / 5 for number in range(1, 41)])
