"""Step Functions is read whole, page by page, at its rates."""

import pytest

from execution_history import read_history
from fixtures.aws_account import MACHINE, StepFunctions
from fixtures.histories import failing_map, history
from operations.executions import Executions
from operations.rates import Bucket, aws_buckets
from operations.redriving import failed


class Clock:
    """Time passes only while someone sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_history_is_read_through_every_page_of_ten_events():
    client = StepFunctions(page=10)
    arn = client.add("bk")
    client.histories[arn] = history(*failing_map())
    events = list(Executions(client, MACHINE).history(arn))
    assert [event["id"] for event in events] == list(range(1, 26))
    assert client.calls["GetExecutionHistory"] == 3
    assert [run.label for run in read_history(events).failures] == ["Seats[1]/B"]


def test_a_listing_is_read_through_every_page_and_each_failed_execution_is_found_once():
    client = StepFunctions(page=10)
    for number in range(25):
        client.add(f"bk_f{number}")
        client.add(f"bk_t{number}", "TIMED_OUT")
        client.add(f"bk_a{number}", "ABORTED")
        client.add(f"bk_s{number}", "SUCCEEDED")
        client.add(f"bk_r{number}", "RUNNING")
    found = failed(Executions(client, MACHINE), None)
    assert len({each.arn for each in found}) == len(found) == 75
    assert {each.status for each in found} == {"FAILED", "TIMED_OUT", "ABORTED"}


def test_a_listing_stops_at_the_first_execution_that_is_too_old():
    client = StepFunctions(page=10)
    for number in range(50):
        client.add(f"bk_{number}")
    starts = [each["startDate"] for each in client.executions.values()]
    found = list(Executions(client, MACHINE).list(since=starts[4]))
    assert len(found) == 5
    assert client.calls["ListExecutions"] == 1


@pytest.mark.parametrize(
    ("api", "per_second"),
    [
        # https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
        ("ListExecutions", 5),
        ("DescribeExecution", 15),
        ("GetExecutionHistory", 20),
    ],
)
def test_calls_keep_to_the_rate_at_which_aws_refills(api, per_second):
    clock = Clock()
    bucket = aws_buckets(clock, clock.sleep)[api]
    for _ in range(1000):
        bucket.take()
    assert clock.now == pytest.approx((1000 - bucket.burst) / per_second)
    assert bucket.burst <= 100  # AWS's smallest burst of the three is 200


def test_a_bucket_fills_no_further_than_its_burst():
    clock = Clock()
    bucket = Bucket(2, 1, clock, clock.sleep)
    clock.now = 1000
    for _ in range(3):
        bucket.take()
    assert clock.now == 1001


def test_every_call_takes_from_the_bucket_of_its_api():
    client = StepFunctions()
    arn = client.add("bk")
    client.histories[arn] = history(*failing_map())
    clock = Clock()
    names = ("ListExecutions", "DescribeExecution", "GetExecutionHistory", "RedriveExecution")
    buckets = {name: Bucket(1000, 1, clock, clock.sleep) for name in names}
    executions = Executions(client, MACHINE, buckets)
    [listed] = executions.list()
    executions.describe(arn)
    list(executions.history(arn))
    executions.redrive(listed)
    assert {name: 1000 - bucket._tokens for name, bucket in buckets.items()} == {
        "ListExecutions": 1,
        "DescribeExecution": 1,
        "GetExecutionHistory": 3,
        "RedriveExecution": 1,
    }


def test_a_redrive_whose_answer_was_lost_redrives_once_when_it_is_asked_for_again():
    client = StepFunctions()
    client.add("bk")
    executions = Executions(client, MACHINE)
    [listed] = executions.list()
    executions.redrive(listed)
    executions.redrive(listed)
    assert sum(client.redriven.values()) == 1
