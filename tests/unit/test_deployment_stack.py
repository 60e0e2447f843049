"""A change set from its creation to its end, also where CloudFormation refuses or fails."""

import pytest

from deployment.change_set import ChangeSet, create_change_set, execute
from deployment.stack import StackError, look_up
from fixtures.deployment import STACK_ID, CloudFormation, change, event

REQUEST = {"ChangeSetName": "deploy-1", "TemplateURL": "https://t", "Parameters": []}
CHANGE_SET = ChangeSet("change-set-1", STACK_ID, creates=False, changes=[])


def no_sleep(_: float) -> None:
    pass


@pytest.fixture
def client() -> CloudFormation:
    return CloudFormation()


def ask(client):
    before = look_up(client, "minitickets-dev")
    return create_change_set(client, "minitickets-dev", before, REQUEST, no_sleep)


def test_a_stack_that_is_not_there_is_created(client):
    assert ask(client).creates
    assert client.asked["ChangeSetType"] == "CREATE"


def test_a_stack_that_is_there_is_updated(client):
    client.deployed()
    assert not ask(client).creates
    assert client.asked["ChangeSetType"] == "UPDATE"


def test_all_pages_of_the_changes_are_read(client):
    client.pages = [
        {"Status": "CREATE_IN_PROGRESS"},
        {"Status": "CREATE_COMPLETE", "Changes": [change("Add", "A", "T")], "NextToken": "2"},
        {"Status": "CREATE_COMPLETE", "Changes": [change("Add", "B", "T")]},
    ]
    assert [each.resource for each in ask(client).changes] == ["A", "B"]


@pytest.mark.parametrize("reason", [
    "The submitted information didn't contain changes. Submit different information to create …",
    "No updates are to be performed.",
])  # fmt: skip
def test_without_changes_there_is_no_change_set_and_none_is_left(client, reason):
    client.deployed()
    client.pages = [{"Status": "FAILED", "StatusReason": reason}]
    assert ask(client) is None
    assert client.calls == ["CreateChangeSet", "DeleteChangeSet"]


def test_a_change_set_that_cloudformation_refuses_says_why_and_is_not_left(client):
    client.pages = [{"Status": "FAILED", "StatusReason": "Template error: no resource Queue"}]
    with pytest.raises(StackError, match="no resource Queue"):
        ask(client)
    assert client.calls == ["CreateChangeSet", "DeleteChangeSet", "DeleteStack"]


def test_one_that_never_comes_is_given_up_and_not_left(client):
    client.pages = [{"Status": "CREATE_IN_PROGRESS"}]
    with pytest.raises(StackError, match="five minutes"):
        ask(client)
    assert client.calls[-2:] == ["DeleteChangeSet", "DeleteStack"]


@pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "ROLLBACK_COMPLETE", "CREATE_FAILED",
                                    "UPDATE_ROLLBACK_FAILED", "DELETE_FAILED"])  # fmt: skip
def test_a_stack_that_cannot_be_changed_is_refused_with_a_sentence(client, status):
    client.deployed(status)
    with pytest.raises(StackError, match=status):
        look_up(client, "minitickets-dev")


def test_the_end_is_the_stacks_own_event_not_its_status_from_before(client):
    client.deployed()
    client.outcome = [
        event(2, "UPDATE_IN_PROGRESS"),
        event(3, "UPDATE_COMPLETE", "Queue"),
        event(4, "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        event(5, "UPDATE_COMPLETE"),
    ]
    seen = []
    status, failures = execute(client, CHANGE_SET, "token", seen.append, no_sleep)
    assert (status, failures) == ("UPDATE_COMPLETE", [])
    assert [(each.resource, each.status) for each in seen] == [
        ("minitickets-dev", "UPDATE_IN_PROGRESS"),
        ("Queue", "UPDATE_COMPLETE"),
        ("minitickets-dev", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
        ("minitickets-dev", "UPDATE_COMPLETE"),
    ]


def test_of_a_failure_the_causes_are_told_and_not_what_was_cancelled_for_them(client):
    client.deployed()
    cancelled = "Resource update cancelled"
    client.outcome = [
        event(2, "UPDATE_FAILED", "Table", ResourceStatusReason="Table name is taken"),
        event(3, "UPDATE_FAILED", "Queue", ResourceStatusReason=cancelled),
        event(4, "UPDATE_ROLLBACK_IN_PROGRESS"),
        event(5, "UPDATE_ROLLBACK_COMPLETE"),
    ]
    status, failures = execute(client, CHANGE_SET, "token", lambda _: None, no_sleep)
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert [(each.resource, each.reason) for each in failures] == [("Table", "Table name is taken")]


def test_a_stack_that_never_ends_is_given_up_after_an_hour(client):
    client.deployed()
    client.outcome = []
    slept = []
    with pytest.raises(StackError, match="an hour"):
        execute(client, CHANGE_SET, "token", lambda _: None, slept.append)
    assert sum(slept) == 3600
