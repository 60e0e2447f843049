"""What a storm is made of, from its seed alone."""

import json
from collections import Counter

import pytest

from local_stack.endpoint import message_refusal
from local_stack.lambda_service import FaultKind
from minitickets.domain.message import read_message
from minitickets.errors import InvalidBooking
from storming.drawing_lots import draw
from storming.plan import Abort, Identity, KillWorker, Kind, Outage, Publish

STATES = {"AcceptBooking", "Creating", "Written", "Ready", "SendEmail", "RecordEmailJob"}
SEEDS = (0, 7, 2_026)


def accepted(body):
    return read_message([{"messageId": "m", "body": body}])


def test_a_seed_repeats_its_plan_and_another_one_makes_another():
    assert draw(60, 5) == draw(60, 5)
    assert draw(60, 5) != draw(60, 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_small_storm_holds_every_sort_of_trouble(seed):
    plan = draw(60, seed)
    kinds = Counter(publication.kind for publication in plan.publications)
    assert kinds[Kind.FIRST] == 60
    assert all(kinds[kind] for kind in Kind)
    assert {type(step) for step in plan.steps} == {Publish, KillWorker, Abort, Outage}
    deliveries = [publication.delivery for publication in plan.publications]
    assert any(delivery.twice for delivery in deliveries)
    assert any(delivery.again_after for delivery in deliveries)
    assert any(delivery.kills_pipe for delivery in deliveries)
    assert plan.deleted
    assert plan.occupied
    assert plan.encore


@pytest.mark.parametrize("seed", SEEDS)
def test_every_kind_of_fault_strikes_and_every_step_is_struck(seed):
    faults = list(draw(200, seed).faults)
    assert {fault.kind for fault in faults} == set(FaultKind)
    assert {fault.state for fault in faults} == STATES
    assert any(fault.times is None for fault in faults)
    assert all(fault.booking for fault in faults)


def test_a_large_storm_has_every_kind_of_passing_fault_at_every_step():
    everywhere = {FaultKind.ERROR, FaultKind.LOST_REPLY, FaultKind.CRASH, FaultKind.THROTTLE}
    struck = {(fault.state, fault.kind) for fault in draw(1000, 1).faults if fault.times}
    assert {(state, kind) for state in STATES for kind in everywhere} <= struck


def test_a_thousand_bookings_have_about_three_and_a_half_thousand_seats():
    plan = draw(1000, 1)
    firsts = [p for p in plan.publications if p.kind is Kind.FIRST]
    quantities = [p.identity.quantity for p in firsts]
    assert 3_300 < sum(quantities) < 4_500
    assert max(quantities) > 10
    assert len({p.booking for p in firsts}) == 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_meant_to_be_right_is_accepted_and_what_is_not_is_invalid(seed):
    for publication in draw(300, seed).publications:
        assert message_refusal(publication.body) is None
        if publication.kind is Kind.INVALID:
            with pytest.raises(InvalidBooking):
                accepted(publication.body)
        else:
            assert accepted(publication.body).booking.booking_id == publication.booking


@pytest.mark.parametrize("seed", SEEDS)
def test_only_a_conflict_has_another_identity_than_the_first_message(seed):
    plan = draw(300, seed)
    firsts = {p.booking: p for p in plan.publications if p.kind is Kind.FIRST}
    changed = Counter()
    for publication in plan.publications:
        if publication.kind in (Kind.FIRST, Kind.INVALID):
            continue
        first = firsts[publication.booking]
        assert publication.identity == Identity.of(json.loads(publication.body))
        assert (publication.identity != first.identity) == (publication.kind is Kind.CONFLICT)
        if publication.kind is Kind.CONFLICT:
            pairs = zip(
                publication.identity._fields, publication.identity, first.identity, strict=True
            )
            changed.update(name for name, theirs, own in pairs if theirs != own)
        if publication.kind is Kind.CORRECTION:
            assert publication.email != first.email
    assert set(changed) == set(Identity._fields)
