"""What can happen next.

A run's retries may be used up at any fault: an attempt that does not reach AWS leaves nothing
behind, so eight of those before this one would have changed nothing. Where no fault is behind an
error, using up its retries costs one.
"""

from collections.abc import Iterator
from typing import Final

from exploration import workflow
from exploration.booking import EMAIL_KEY
from exploration.calls import Call
from exploration.steps import Start
from exploration.system import LEASE, System
from exploration.world import FAILED, RUNNING, Branch, Choice, Delivery, Scenario, World

DONE: Final = "done"
NO_CALL: Final = "runs to its end"
NOT_SENT: Final = "never reaches AWS"
REPLY_LOST: Final = "done, reply lost"
DIES_BEFORE: Final = "worker dies before"
DIES_AFTER: Final = "done, worker dies"
SES_REFUSALS: Final = {
    "refused: sending rate": ("TooManyRequestsException", 429),
    "refused: rejected": ("MessageRejected", 400),
}
GIVES_UP: Final = "retries used up"
REDRIVE: Final = "redrive"
START_AGAIN: Final = "fresh execution"
STOP: Final = "StopExecution"

SOMEBODY: Final = "somebody"
TICKET_DELETED: Final = "deletes the ticket's record"
TIME: Final = "time"
LEASE_ENDS: Final = "passes the lease"
STANDS_STILL: Final = "passes the lease, the workers stand still"
ALL_WAIT: Final = "passes the lease, for which all wait"  # free: it comes by itself
THIRTY_DAYS: Final = "passes 30 days"
CLOCK: Final = {
    LEASE_ENDS: LEASE + 60,
    STANDS_STILL: LEASE + 60,
    ALL_WAIT: LEASE + 60,
    THIRTY_DAYS: 31 * 24 * 3600,
}

REDRIVES: Final = 1  # of one execution; after it, a fresh one
_UNPAID: Final = ("EmailInProgress", "ClientError")
_TASKS: Final = [name for name, state in workflow.STATES.items() if state["Type"] == "Task"]


class Choices:
    def __init__(self, scenario: Scenario, system: System) -> None:
        self._scenario, self._system = scenario, system

    def at(self, world: World) -> list[Choice]:
        """Empty where the schedule ends."""
        deliveries = world.deliveries
        for delivery in deliveries:
            if delivery.status == FAILED:
                return list(_recoveries(delivery))  # they touch nothing that others see
        if world.untouched and len({delivery.message for delivery in deliveries}) == 1:
            deliveries = deliveries[:1]  # all are alike: let A be the first that moves
        found = [choice for delivery in deliveries for choice in self._of(world, delivery)]
        if all(choice.move == GIVES_UP for choice in found) and _somebody_waits(world):
            found.append(Choice(TIME, "", ALL_WAIT))
        if found and world.budget:
            found += self._events(world)
        return found

    def attempt(self, delivery: Delivery, branch: Branch, clock: int) -> Branch:
        """The branch with an invocation in flight: the one there is, a first or a repeated one."""
        if branch.invocation:
            return branch
        retries = list(branch.retries)
        if branch.error and branch.error != "EmailInProgress":
            retries[workflow.retrier(branch.state, branch.error).index] += 1
        number = "ABCZ".index(delivery.name) * 8 + delivery.executions
        number = (number * 4 + delivery.redrives) * 16 + sum(retries)
        number = number * 8 + _TASKS.index(branch.state)
        text = workflow.payload(branch.state, branch.data, delivery.arn, delivery.redrives)
        start = Start(workflow.function(branch.state), text, number, clock)
        invocation = self._system.begin(start)
        return branch._replace(invocation=invocation, error=None, retries=tuple(retries))

    def _of(self, world: World, delivery: Delivery) -> Iterator[Choice]:
        for number, (state, zombie) in enumerate(delivery.zombies):
            for move in (DONE, DIES_BEFORE):
                yield Choice(f"{delivery.name} zombie {number}", f"{state} {zombie.asks}", move)
        if delivery.status == RUNNING:
            for branch in delivery.branches:
                if branch.state != workflow.ENDED:
                    yield from self._of_branch(world, delivery, branch)
            stops = STOP in self._scenario.events and not self._spared(delivery.branches[0])
            if world.budget and stops:
                yield Choice(delivery.name, "", STOP)

    def _of_branch(self, world: World, delivery: Delivery, branch: Branch) -> Iterator[Choice]:
        actor = f"{delivery.name} {branch.name}"
        if may_go_on(world, branch):
            invocation = self.attempt(delivery, branch, world.clock).invocation
            assert invocation
            at = f"{branch.state} {invocation.asks or ''}".strip()
            faults = world.budget > 0 and not self._spared(branch)
            for move in _fates(invocation.asks, faults):
                yield Choice(actor, at, move)
        if branch.error and _may_give_up(world, branch, branch.error):
            yield Choice(actor, f"{branch.state} {branch.error}", GIVES_UP)

    def _events(self, world: World) -> Iterator[Choice]:
        if TICKET_DELETED in self._scenario.events and world.store.tickets:
            yield Choice(SOMEBODY, "", TICKET_DELETED)
        for step in CLOCK:
            if step in self._scenario.events:
                yield Choice(TIME, "", step)

    def _spared(self, branch: Branch) -> bool:
        return self._scenario.accepted and branch.name == "accept"


def _recoveries(delivery: Delivery) -> Iterator[Choice]:
    """Neither begins anything: whatever comes first after them is the next choice."""
    if delivery.redrives < REDRIVES:
        yield Choice(delivery.name, "", REDRIVE)
    yield Choice(delivery.name, "", START_AGAIN)


def email_and_time(world: World) -> object:
    """What a run that found the email in progress would look at again."""
    return tuple(sorted(world.store.jobs.get(EMAIL_KEY, {}).items())), world.clock


def costs(error: str) -> int:
    """What it takes of the budget to use up an error's retries."""
    return int(error in _UNPAID)


def may_go_on(world: World, branch: Branch) -> bool:
    if branch.error is None:
        return True
    retrier = workflow.retrier(branch.state, branch.error)
    if branch.retries[retrier.index] >= retrier.attempts:
        return False
    return branch.error != "EmailInProgress" or branch.waits_for != email_and_time(world)


def _somebody_waits(world: World) -> bool:
    branches = (b for d in world.deliveries if d.status == RUNNING for b in d.branches)
    return any(b.error and b.waits_for == email_and_time(world) for b in branches)


def _may_give_up(world: World, branch: Branch, error: str) -> bool:
    retrier = workflow.retrier(branch.state, error)
    if branch.retries[retrier.index] >= retrier.attempts:
        return True
    return retrier.attempts > 1 and world.budget >= costs(error)


def _fates(call: Call | None, faults: bool) -> list[str]:
    if call is None:
        return [NO_CALL]
    if not faults:
        return [DONE]
    if call.reads:  # nothing is done that a lost reply or a later death could hide
        return [DONE, NOT_SENT, DIES_BEFORE]
    refusals = list(SES_REFUSALS) if call.operation == "SendEmail" else []
    return [DONE, NOT_SENT, REPLY_LOST, DIES_BEFORE, DIES_AFTER, *refusals]
