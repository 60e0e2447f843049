"""What the Break it page says will happen is what happens."""

import json
from collections import Counter

import pytest

from console.breaking.faults import FaultSwitches
from console.breaking.scenarios import grace_seconds, scenarios
from workflow.conftest import TIME_SCALE
from workflow.harness import booking
from workflow.tools import image_is_the_tickets, object_keys, tokens

pytestmark = pytest.mark.slow  # retries to their end, a grace and a timeout

SCENARIOS = {scenario.key: scenario for scenario in scenarios(TIME_SCALE)}


@pytest.fixture
def switches(fulfilment):
    return FaultSwitches(fulfilment.stack.endpoint.url)


@pytest.fixture
def broken(switches):
    """Breaks for one booking as the page does for all, and heals it after the test."""
    added = []

    def break_(key, message, seat=None):
        fault, id_ = SCENARIOS[key].fault_at(seat), message["bookingId"]
        switches.add(fault, id_)
        added.append((fault, id_))

    yield break_
    for fault, id_ in added:
        switches.remove(fault, id_)


def heal(switches, key, message, seat=None):
    before = len(switches.active())
    after = switches.remove(SCENARIOS[key].fault_at(seat), message["bookingId"])
    assert len(after.active) == before - 1


def redriven(fulfilment, execution):
    arn = execution["executionArn"]
    client = fulfilment.stack.client("stepfunctions")
    client.redrive_execution(executionArn=arn)
    fulfilment.wait_for(lambda: client.describe_execution(executionArn=arn)["status"] != "RUNNING")
    return client.describe_execution(executionArn=arn)


def errors(fulfilment, execution):
    """How often each error was an attempt's, in the whole history."""
    return Counter(
        event["taskFailedEventDetails"]["error"]
        for event in fulfilment.history(execution["executionArn"])
        if event["type"] == "TaskFailed"
    )


def states(fulfilment, message):
    return {seat: t["status"] for seat, t in fulfilment.tickets(message["bookingId"]).items()}


def test_storage_down_for_one_seat_fails_it_alone_and_a_redrive_completes_it(
    fulfilment, switches, broken
):
    message = booking(quantity=2)
    broken("storage-down", message, seat=2)
    (failed,) = fulfilment.fulfil(message)
    assert (failed["status"], failed["error"]) == ("FAILED", "InjectedError")
    assert errors(fulfilment, failed) == {"InjectedError": 9}
    assert states(fulfilment, message) == {1: "ready", 2: "creating"}
    assert len(fulfilment.emails(message["bookingId"])) == 1
    before = object_keys(fulfilment, message["bookingId"])
    heal(switches, "storage-down", message, seat=2)

    assert redriven(fulfilment, failed)["status"] == "SUCCEEDED"
    assert states(fulfilment, message) == {1: "ready", 2: "ready"}
    after = object_keys(fulfilment, message["bookingId"])
    assert before.items() <= after.items()
    assert len(fulfilment.emails(message["bookingId"])) == 1


def test_storage_down_for_all_fails_and_a_redrive_completes_it(fulfilment, switches, broken):
    message = booking(quantity=2)
    broken("storage-down", message)
    (failed,) = fulfilment.fulfil(message)
    assert (failed["status"], failed["error"]) == ("FAILED", "InjectedError")
    assert object_keys(fulfilment, message["bookingId"]) == {}
    heal(switches, "storage-down", message)
    assert redriven(fulfilment, failed)["status"] == "SUCCEEDED"
    assert states(fulfilment, message) == {1: "ready", 2: "ready"}


def test_a_throttled_email_waits_while_the_tickets_become_ready_and_needs_no_redrive(
    fulfilment, switches, broken
):
    message = booking()
    broken("email-throttled", message)
    fulfilment.publish(message)
    fulfilment.wait_for(lambda: states(fulfilment, message) == {1: "ready", 2: "ready"})
    (running,) = fulfilment.executions(message["bookingId"])
    assert running["status"] == "RUNNING"
    fulfilment.wait_for(lambda: errors(fulfilment, running)["EmailThrottled"] >= 2)
    assert fulfilment.emails(message["bookingId"]) == []
    heal(switches, "email-throttled", message)

    fulfilment.wait_for(lambda: fulfilment.finished(message["bookingId"]))
    (ended,) = fulfilment.executions(message["bookingId"])
    assert (ended["status"], ended["redriveCount"]) == ("SUCCEEDED", 0)
    assert set(errors(fulfilment, ended)) == {"EmailThrottled"}
    assert len(fulfilment.emails(message["bookingId"])) == 1


def test_a_rejected_email_fails_after_the_grace_and_a_redrive_sends_it(
    fulfilment, switches, broken
):
    message = booking()
    broken("email-rejected", message)
    (failed,) = fulfilment.fulfil(message)
    assert (failed["status"], failed["error"]) == ("FAILED", "EmailRejected")
    assert errors(fulfilment, failed) == {"EmailRejected": 2}
    took = (failed["stopDate"] - failed["startDate"]).total_seconds()
    assert took >= grace_seconds(TIME_SCALE) == 10
    assert states(fulfilment, message) == {1: "ready", 2: "ready"}
    tickets = (
        tokens(fulfilment, message["bookingId"]),
        object_keys(fulfilment, message["bookingId"]),
    )
    heal(switches, "email-rejected", message)

    assert redriven(fulfilment, failed)["status"] == "SUCCEEDED"
    assert len(fulfilment.emails(message["bookingId"])) == 1
    assert tickets == (
        tokens(fulfilment, message["bookingId"]),
        object_keys(fulfilment, message["bookingId"]),
    )


@pytest.mark.parametrize("seat", [None, 1])
def test_a_crash_after_the_write_heals_by_itself(fulfilment, switches, seat):
    message = booking(quantity=1)
    switches.add(SCENARIOS["worker-crashes"].fault_at(seat), message["bookingId"])
    (ended,) = fulfilment.fulfil(message)
    assert ended["status"] == "SUCCEEDED"
    assert errors(fulfilment, ended) == {"Runtime.ExitError": 1}
    (ticket,) = fulfilment.tickets(message["bookingId"]).values()
    assert image_is_the_tickets(fulfilment, ticket)
    assert message["bookingId"] not in {each.booking for each in switches.active()}


def test_a_hanging_step_ends_by_its_timeout_of_8_seconds_and_heals_by_itself(fulfilment, switches):
    message = booking(quantity=1)
    switches.add(SCENARIOS["hanging-step"].fault, message["bookingId"])
    (ended,) = fulfilment.fulfil(message)
    assert ended["status"] == "SUCCEEDED"
    assert errors(fulfilment, ended) == {"Sandbox.Timedout": 1}
    assert 8 <= (ended["stopDate"] - ended["startDate"]).total_seconds() < 20
    assert len(fulfilment.emails(message["bookingId"])) == 1


def test_the_step_that_hangs_is_the_one_with_the_shortest_timeout(fulfilment):
    functions = fulfilment.stack.deployment.functions
    shortest = min(functions, key=lambda function: function.timeout_seconds)
    state = fulfilment.stack.deployment.states[shortest.name]
    assert SCENARIOS["hanging-step"].fault.startswith(f"{state}:")
    assert f"{shortest.timeout_seconds:.0f} s" in SCENARIOS["hanging-step"].expect


def test_a_bad_message_is_refused_at_once_and_mended_by_a_good_one(fulfilment):
    sent = json.loads(SCENARIOS["bad-message"].body) | {"bookingId": booking()["bookingId"]}
    (failed,) = fulfilment.fulfil(sent)
    assert (failed["status"], failed["error"]) == ("FAILED", "InvalidBooking")
    assert "quantity" in json.loads(failed["cause"])["errorMessage"]
    assert errors(fulfilment, failed) == {"InvalidBooking": 1}
    assert redriven(fulfilment, failed)["status"] == "FAILED"
    assert fulfilment.tickets(sent["bookingId"]) == {}
    assert fulfilment.emails(sent["bookingId"]) == []
    _, good = fulfilment.fulfil(sent | {"quantity": 1})
    assert good["status"] == "SUCCEEDED"
