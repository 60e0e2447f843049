"""What comes from outside: somebody deletes something, or time passes.

Time kills what is in flight, since a function's timeout is seconds and the step is longer than the
lease. That the workers stand still meanwhile is the one step that AWS rules out: it is there for
the handler's own last look at the clock.
"""

from collections.abc import Iterator
from typing import Any, Final

from exploration import oracle
from exploration.aws import Aws, Store
from exploration.booking import CLAIM_KEY, EMAIL_KEY, IMAGE_KEY, TICKET
from exploration.system import LEASE, System
from exploration.world import Branch, Choice, Delivery, Scenario, World

SOMEBODY: Final = "somebody"
TICKET_DELETED: Final = "deletes the ticket's record"
IMAGE_DELETED: Final = "deletes the ticket's image"
CLAIM_DELETED: Final = "deletes the booking's claim"
EMAIL_JOB_DELETED: Final = "deletes the email's record"

TIME: Final = "time"
LEASE_ENDS: Final = "passes the lease"
STANDS_STILL: Final = "passes the lease, the workers stand still"
ALL_WAIT: Final = "passes the lease, for which all wait"  # free: it comes by itself
THIRTY_DAYS: Final = "passes 30 days"
_CLOCK: Final = {
    LEASE_ENDS: LEASE + 60,
    STANDS_STILL: LEASE + 60,
    ALL_WAIT: LEASE + 60,
    THIRTY_DAYS: 31 * 24 * 3600,
}


class Events:
    """Those of a scenario."""

    def __init__(self, scenario: Scenario, system: System) -> None:
        self._of_scenario, self._aws = scenario.events, system.aws
        self._deletions = {
            name: system.operator(*request) for name, request in _deletions(system.aws).items()
        }

    def at(self, world: World) -> Iterator[Choice]:
        for event in self._of_scenario:
            if event in self._deletions and self._deleted(world.store, event) is not world.store:
                yield Choice(SOMEBODY, "", event)
            if event in _CLOCK:
                yield Choice(TIME, "", event)

    def take(self, world: World, choice: Choice) -> World:
        if choice.actor == TIME:
            return time_passes(world, choice.move)
        store = self._deleted(world.store, choice.move)
        ledger = world.ledger
        if choice.move == IMAGE_DELETED:
            ledger = ledger._replace(image_lost=True)
        if choice.move == EMAIL_JOB_DELETED:
            ledger = oracle.record_lost(ledger)
        # Later by more than what tells invocations apart: a record made anew is a later one.
        return world._replace(
            store=store, ledger=ledger, budget=world.budget - 1, clock=world.clock + 1
        )

    def _deleted(self, store: Store, event: str) -> Store:
        return self._aws.apply(store, self._deletions[event])[0]


def time_passes(world: World, step: str) -> World:
    deliveries, ledger = world.deliveries, world.ledger
    if step != STANDS_STILL:
        deliveries = tuple(_timed_out(delivery) for delivery in deliveries)
    if step == THIRTY_DAYS:
        ledger = oracle.forgotten(ledger)
    clock, budget = world.clock + _CLOCK[step], world.budget - (step != ALL_WAIT)
    return world._replace(deliveries=deliveries, clock=clock, budget=budget, ledger=ledger)


def _deletions(aws: Aws) -> dict[str, tuple[str, str, dict[str, Any]]]:
    def job(key: str) -> tuple[str, str, dict[str, Any]]:
        return "dynamodb", "delete_item", {"TableName": aws.jobs, "Key": {"jobKey": {"S": key}}}

    return {
        TICKET_DELETED: ("dynamodb", "delete_item", {"TableName": aws.tickets, "Key": TICKET}),
        IMAGE_DELETED: ("s3", "delete_object", {"Bucket": aws.bucket, "Key": IMAGE_KEY}),
        CLAIM_DELETED: job(CLAIM_KEY),
        EMAIL_JOB_DELETED: job(EMAIL_KEY),
    }


def _timed_out(delivery: Delivery) -> Delivery:
    for _, zombie in delivery.zombies:
        zombie.die()
    branches = tuple(
        _killed(branch) if branch.invocation else branch for branch in delivery.branches
    )
    return delivery._replace(branches=branches, zombies=())


def _killed(branch: Branch) -> Branch:
    if branch.invocation:
        branch.invocation.die()
    return branch._replace(invocation=None, error="Sandbox.Timedout")
