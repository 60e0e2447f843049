"""What must hold where a schedule ends, and after a last delivery that comes late."""

from typing import Any

from exploration import oracle, workflow
from exploration.answers import body_of
from exploration.booking import CLAIM_KEY, identity_of
from exploration.events import EMAIL_JOB_DELETED, IMAGE_DELETED, THIRTY_DAYS, TICKET_DELETED
from exploration.moves import Rules, fresh, repairing
from exploration.oracle import is_recorded, require
from exploration.world import REFUSED, RUNNING, SUCCEEDED, Delivery, World


def at_end(rules: Rules, world: World) -> None:
    """Raises oracle.Violation."""
    settled(rules, world)
    if IMAGE_DELETED in rules.scenario.events:
        world = repaired(rules, world)
    if TICKET_DELETED not in rules.scenario.events:
        every_seat_is_made(rules, world)
    healed = late_delivery(rules, world)
    settled(rules, healed)
    every_seat_is_made(rules, healed)
    if healed.store.content != world.store.content:
        nothing_but_what_was_missing(rules, world, healed)


def settled(rules: Rules, world: World) -> None:
    for delivery in world.deliveries:
        expected = SUCCEEDED if is_accepted(world, delivery) else REFUSED
        require(delivery.status == expected, "G4", f"{delivery.name} ended {delivery.status}")
        if delivery.status == SUCCEEDED:
            output_says_what_was_done(delivery)
    if rules.scenario.follow("email"):
        require(world.store.emails, "G5", "the email is lost")
        if not {THIRTY_DAYS, EMAIL_JOB_DELETED} & set(rules.scenario.events):
            require(is_recorded(world.store, world.clock), "G5", "the email is not remembered")


def is_accepted(world: World, delivery: Delivery) -> bool:
    claim = world.store.jobs.get(CLAIM_KEY)
    return claim is None or identity_of(claim) == identity_of(body_of(delivery.message))


def output_says_what_was_done(delivery: Delivery) -> None:
    quantity = body_of(delivery.message)["quantity"]
    if len(delivery.branches) < quantity + 1:
        return  # not all of it was followed
    outputs = {branch.name: branch.data for branch in delivery.branches}
    output = workflow.output("FulfilBooking", outputs)
    made = {"bookingId": "bk", "tickets": {"ready": quantity}}
    expected = [made | {"email": email} for email in ("sent", "already-sent")]
    require(output in expected, "output", f"{output}, not one of {expected}")


def every_seat_is_made(rules: Rules, world: World) -> None:
    """Those of the booking, and no other."""
    made, expected = statuses(world), all_ready(rules)
    require(made == expected, "G7", f"there is {made}, not {expected}")
    oracle.every_ready_ticket_can_be_scanned(world.store)


def statuses(world: World) -> dict[str, Any]:
    return {key: ticket["status"] for key, ticket in world.store.tickets.items()}


def all_ready(rules: Rules) -> dict[str, Any]:
    seats = range(1, rules.scenario.messages[0]["quantity"] + 1)
    followed = [seat for seat in seats if rules.scenario.follow(f"seat {seat}")]
    return {f"bk-{seat:05}": "ready" for seat in followed}


def repaired(rules: Rules, world: World) -> World:
    """What a reconciliation does for a ready ticket whose image is missing: Written, Ready."""
    for ticket in world.store.tickets.values():
        if ticket["status"] == "ready" and ticket["imageKey"] not in world.store.objects:
            done = alone(rules, world, repairing(ticket))
            world = done._replace(deliveries=world.deliveries)
    return world


def late_delivery(rules: Rules, world: World) -> World:
    """Once more the message that was accepted first, alone and without a fault."""
    first = next(d for d in world.deliveries if d.status == SUCCEEDED)
    return alone(rules, world, fresh(Delivery("Z", first.message, RUNNING, ())))


def alone(rules: Rules, world: World, delivery: Delivery) -> World:
    world = world._replace(deliveries=(*world.deliveries, delivery), budget=0)
    while world.deliveries[-1].status == RUNNING:
        world = rules.take(world, rules.choices.at(world)[0])
    ended = world.deliveries[-1].status
    require(ended == SUCCEEDED, "G7", "a fresh execution alone cannot end well")
    return world


def nothing_but_what_was_missing(rules: Rules, world: World, healed: World) -> None:
    before, after = world.store, healed.store
    if statuses(world) == all_ready(rules):
        require(before.tickets == after.tickets, "G3", "a late delivery changed a ready ticket")
        require(before.objects == after.objects, "G3", "a late delivery wrote an image again")
    if is_recorded(before, world.clock):
        require(before.emails == after.emails, "G5", "a late delivery sent the email again")
