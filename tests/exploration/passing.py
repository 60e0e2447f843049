"""Time passes.

That kills what is in flight, since a function's timeout is seconds and the step is longer than the
lease. That the workers stand still meanwhile is the one step that AWS rules out: it is there for
the handler's own last look at the clock.
"""

from exploration import oracle
from exploration.choices import ALL_WAIT, CLOCK, STANDS_STILL, THIRTY_DAYS
from exploration.world import Branch, Delivery, World


def time_passes(world: World, step: str) -> World:
    deliveries, ledger = world.deliveries, world.ledger
    if step != STANDS_STILL:
        deliveries = tuple(_timed_out(delivery) for delivery in deliveries)
    if step == THIRTY_DAYS:
        ledger = oracle.forgotten(ledger)
    clock, budget = world.clock + CLOCK[step], world.budget - (step != ALL_WAIT)
    return world._replace(deliveries=deliveries, clock=clock, budget=budget, ledger=ledger)


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
