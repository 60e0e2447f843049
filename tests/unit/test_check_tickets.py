"""Check: which event begins a reconciliation, and which goes on with one."""

import importlib
import json
from types import SimpleNamespace

import pytest

from minitickets.domain.reconcile_plan import Plan
from minitickets.domain.reconciliation import begin
from minitickets.errors import InvalidOptions

CONTEXT = SimpleNamespace(aws_request_id="r-1")
STARTED = "2026-11-30T03:00:00.123Z"
PLAN = Plan("2026-12-24", "2026-12-25", allow_missing=10)
BEGUN = {
    "next": "check", "then": "check", "seats": [],
    "plan": PLAN.to_json(), "progress": begin(PLAN).to_json(),
}  # fmt: skip


class NoTickets:
    def page(self, date, cursor, size):
        return [], None


@pytest.fixture
def check(monkeypatch):
    """The handler, called as the definition does; no date has a ticket."""
    for name, value in {
        "TICKETS_TABLE": "t", "TICKETS_BUCKET": "b", "RECONCILE_HORIZON_DAYS": "3",
        "RECONCILE_ALLOW_MISSING_PERCENT": "10", "AWS_DEFAULT_REGION": "eu-west-1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    module = importlib.import_module("check_tickets")
    monkeypatch.setattr(module, "TICKETS", NoTickets())

    def call(state, options, **more):
        event = {"state": state, "options": options, "startedAt": STARTED, "execution": "arn:e"}
        event["redriveCount"] = 0
        answer = module.handler(json.loads(json.dumps(event | more)), CONTEXT)
        return json.loads(json.dumps(answer))

    return call


@pytest.mark.parametrize(
    "given",
    [
        {"progress": {}, "plan": {}},
        {"progress": {}},
        BEGUN,
        {"failure": {"Error": "x"}},
        {"from": "9999-12-31"},
        5,
        None,
        True,
        "progress",
        ["progress"],
    ],
)
def test_an_input_that_asks_for_what_there_is_not_is_refused_by_name_whatever_it_looks_like(
    check, given
):
    with pytest.raises(InvalidOptions):
        check(given, given)


def test_the_first_step_plans_and_the_later_ones_go_on_with_its_plan(check):
    options = {"from": "2026-12-24"}
    first = check(options, options)
    assert (first["plan"]["last"], first["progress"]["date"]) == ("2026-12-27", "2026-12-25")
    second = check(first, options)
    assert (second["plan"], second["progress"]["date"]) == (first["plan"], "2026-12-26")


def test_a_first_page_that_failed_is_set_aside_and_a_later_one_too(check):
    options = {"from": "2026-12-24"}
    failed = {"failure": {"Error": "Lambda.Unknown", "Cause": "x"}}
    first = check(options | failed, options, failure="Lambda.Unknown")
    assert (first["progress"]["aside"], first["progress"]["date"]) == (["2026-12-24"], "2026-12-25")
    second = check(first | failed, options, failure="Lambda.Unknown")
    assert second["progress"]["aside"] == ["2026-12-24", "2026-12-25"]
