"""Schedules of whole bookings, drawn by chance, and what the explorer takes for granted."""

import os
import random

import pytest

from exploration.conftest import broken_by
from exploration.ends import at_end
from exploration.explore import read, replay, sample, text
from exploration.live import LiveSystem
from exploration.moves import Rules
from exploration.scenarios import BOOKING, THREE
from exploration.summary import EXPLORED, row
from exploration.system import System
from minitickets.domain.booking import Booking
from minitickets.domain.seats import Ticket
from minitickets.drawing.ticket_image import draw_ticket

pytestmark = pytest.mark.slow

# EXPLORATION_SEED=… repeats a run; without one each run draws other schedules.
SEED = int(os.environ.get("EXPLORATION_SEED") or random.randrange(10**6))
SAMPLED, REPLAYED = 80, 12


def test_seats_and_email_of_two_deliveries_do_not_disturb_each_other(explored):
    seen = explored(BOOKING)
    assert broken_by(seen) == ""
    assert seen.schedules > 10**8


def test_three_deliveries_under_four_faults_keep_every_guarantee(record_property):
    """A schedule that breaks one is printed, to be replayed."""
    system = System()
    seen = set()
    with system.switched_on():
        rules = Rules(THREE, system)
        for schedule, _ in sample(rules, at_end, SAMPLED, SEED):
            seen.add(tuple(schedule))
    record_property(EXPLORED, row(f"{THREE.name}, seed {SEED}", len(seen)))
    assert len(seen) > SAMPLED * 0.9


def test_a_handler_run_straight_through_does_as_one_that_is_told_call_by_call():
    system, live = System(), LiveSystem()
    with system.switched_on():
        known = Rules(THREE, system)
        schedules = [schedule for schedule, _ in sample(known, at_end, REPLAYED, SEED)]
        expected = [[as_seen(w) for w in replay(known, schedule)] for schedule in schedules]
    with live.switched_on():
        rules = Rules(THREE, live)
        for schedule, moments in zip(schedules, expected, strict=True):
            live.start_again()
            replayed = [as_seen(world) for world in replay(rules, read(text(schedule)))]
            assert replayed == moments, text(schedule)
    assert live.leaks == system.leaks == []


def as_seen(world):
    """A moment without what only its own process knows."""
    places = [
        (
            d.name,
            d.status,
            d.executions,
            d.redrives,
            [(b.state, b.data, b.error) for b in d.branches],
        )
        for d in world.deliveries
    ]
    return world.store.content, places, world.clock, world.budget, world.ledger


def test_the_images_are_those_that_the_drawing_gives_anew():
    """The explorer draws each ticket once."""
    system = System()
    write = system.modules["write_ticket_image"]
    with system.switched_on():
        ((_, world),) = sample(Rules(BOOKING, system), at_end, 1, SEED)
    (record,), (image,) = world.store.tickets.values(), world.store.objects.values()
    facts = (record[name] for name in ("seatNumber", "token", "status", "createdAt"))
    ticket = Ticket(Booking.from_json(record), *facts)
    assert draw_ticket(write.face(ticket)).png == image
