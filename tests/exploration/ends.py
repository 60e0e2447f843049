"""What must hold where a schedule ends, and after a last delivery that comes late."""

import json
from typing import Any

from exploration.booking import CLAIM_KEY, EMAIL_KEY, identity_of
from exploration.choices import TICKET_DELETED
from exploration.moves import Rules, fresh
from exploration.oracle import epoch, require
from exploration.world import REFUSED, RUNNING, SUCCEEDED, Delivery, World


def at_end(rules: Rules, world: World) -> None:
    """Raises oracle.Violation."""
    require(not rules.system.leaks, "G9", "a secret left the table and the image")
    settled(rules, world)
    if TICKET_DELETED not in rules.scenario.events:
        every_seat_is_made(world)
    healed = late_delivery(rules, world)
    settled(rules, healed)
    every_seat_is_made(healed)
    if healed.store.content != world.store.content:
        nothing_but_what_was_missing(world, healed)


def settled(rules: Rules, world: World) -> None:
    claim = world.store.jobs[CLAIM_KEY]
    for delivery in world.deliveries:
        mine = identity_of(json.loads(json.loads(delivery.message)[0]["body"])) == identity_of(
            claim
        )
        expected = SUCCEEDED if mine else REFUSED
        require(delivery.status == expected, "G4", f"{delivery.name} ended {delivery.status}")
    if rules.scenario.follow("email"):
        require(world.store.emails, "G5", "the email is lost")


def every_seat_is_made(world: World) -> None:
    for ticket in world.store.tickets.values():
        require(ticket["status"] == "ready", "G7", "a seat was left half made")


def late_delivery(rules: Rules, world: World) -> World:
    """Once more the message that was accepted first, alone and without a fault."""
    first = next(d for d in world.deliveries if d.status == SUCCEEDED)
    late = fresh(Delivery("Z", first.message, RUNNING, ()))
    world = world._replace(deliveries=(*world.deliveries, late), budget=0)
    while world.deliveries[-1].status == RUNNING:
        world = rules.take(world, rules.choices.at(world)[0])
    require(
        world.deliveries[-1].status == SUCCEEDED, "G7", "a fresh execution alone cannot end well"
    )
    return world


def nothing_but_what_was_missing(world: World, healed: World) -> None:
    before, after = world.store, healed.store
    if before.tickets and all(ticket["status"] == "ready" for ticket in before.tickets.values()):
        require(before.tickets == after.tickets, "G3", "a late delivery changed a ready ticket")
        require(before.objects == after.objects, "G3", "a late delivery wrote an image again")
    job: Any = before.jobs.get(EMAIL_KEY)
    if job and job["status"] == "done" and job["expiresAt"] > epoch(world.clock):
        require(before.emails == after.emails, "G5", "a late delivery sent the email again")
