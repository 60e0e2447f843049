"""What a choice leads to: Step Functions' and Lambda's part in it."""

import json
from typing import Final

from exploration import answers, oracle, workflow
from exploration.aws import Item
from exploration.booking import delivered
from exploration.calls import Answer, Reply
from exploration.choices import GIVES_UP, REDRIVE, START_AGAIN, Choices, costs, email_and_time
from exploration.events import SOMEBODY, TIME, Events
from exploration.fates import DIES_BEFORE, DONE, NO_CALL, REACH_AWS, heard
from exploration.steps import Invocation
from exploration.system import System
from exploration.world import (
    FAILED,
    REFUSED,
    RUNNING,
    SUCCEEDED,
    Branch,
    Choice,
    Delivery,
    Scenario,
    World,
)

_NO_RETRIES: Final = (0, 0, 0, 0)


class Rules:
    def __init__(self, scenario: Scenario, system: System) -> None:
        self.scenario, self.system, self.aws = scenario, system, system.aws
        self.events = Events(scenario, system)
        self.choices = Choices(scenario, system, self.events)

    def begin(self) -> World:
        deliveries = tuple(
            fresh(Delivery(name, delivered(message), RUNNING, ()))
            for name, message in zip("ABC", self.scenario.messages, strict=False)
        )
        world = World(self.aws.empty, deliveries, self.scenario.budget)
        if self.scenario.accepted:
            for delivery in deliveries:
                world = self.take(world, Choice(f"{delivery.name} accept", "", DONE))
        return world._replace(untouched=True)

    def take(self, world: World, choice: Choice) -> World:
        """The next moment. Raises oracle.Violation if it breaks a guarantee."""
        after = self._taken(world._replace(untouched=False), choice)
        oracle.require(not self.system.leaks, "G9", "a secret left the table and the image")
        return after

    def spent(self, world: World) -> int:
        return self.scenario.budget - world.budget

    def _taken(self, world: World, choice: Choice) -> World:
        if choice.actor in (TIME, SOMEBODY):
            return self.events.take(world, choice)
        name, _, part = choice.actor.partition(" ")
        (delivery,) = (d for d in world.deliveries if d.name == name)
        if not part:
            return self._operated(world, delivery, choice.move)
        if part.startswith("zombie"):
            return self._zombie(world, delivery, int(part.split()[1]), choice.move)
        (branch,) = (b for b in delivery.branches if b.name == part)
        if choice.move == GIVES_UP:
            return self._gives_up(world, delivery, branch)
        return self._goes_on(world, delivery, branch, choice.move)

    def _operated(self, world: World, delivery: Delivery, move: str) -> World:
        if move == REDRIVE:
            running = delivery._replace(status=RUNNING, redrives=delivery.redrives + 1)
            return world.with_delivery(running)
        if move == START_AGAIN:
            again = delivery._replace(executions=delivery.executions + 1, redrives=0)
            return world.with_delivery(fresh(again))
        stopped = self._halted(delivery, world.clock)
        return world.with_delivery(stopped)._replace(budget=world.budget - 1)

    def _goes_on(self, world: World, delivery: Delivery, branch: Branch, move: str) -> World:
        branch = self.choices.attempt(delivery, branch, world.clock)
        invocation = branch.invocation
        assert invocation
        if move != NO_CALL:
            world, answer = self._called(world, delivery.arn, invocation, move)
            if answer is None:
                invocation.die()
                died = branch._replace(invocation=None, error="Runtime.ExitError")
                return world.with_delivery(delivery.with_branch(died))
            invocation = invocation.told(answer, world.clock)
            branch = branch._replace(invocation=invocation)
        if invocation.asks:
            return world.with_delivery(delivery.with_branch(branch))
        if invocation.error:
            return _attempt_failed(world, delivery, branch, invocation.error)
        assert invocation.result is not None
        return world.with_delivery(self._state_done(world, delivery, branch, invocation.result))

    def _called(
        self, world: World, arn: str, invocation: Invocation, move: str
    ) -> tuple[World, Answer | None]:
        """What the call does, and what its caller hears: None if it is dead."""
        assert invocation.asks
        reply, world = None, world._replace(budget=world.budget - (move != DONE))
        if move in REACH_AWS:
            world, reply = self._reaches_aws(world, arn, invocation, unheard=move != DONE)
        return world, heard(reply, move)

    def _reaches_aws(
        self, world: World, arn: str, invocation: Invocation, *, unheard: bool
    ) -> tuple[World, Reply]:
        call = invocation.asks
        assert call
        oracle.no_token_in(call, world.store, self.aws.tickets)
        store, reply = self.aws.apply(world.store, call)
        after, spent = world._replace(store=store), self.spent(world)
        return oracle.called(world, after, arn, invocation, unheard=unheard, spent=spent), reply

    def _state_done(
        self, world: World, delivery: Delivery, branch: Branch, result: str
    ) -> Delivery:
        state, data = workflow.after(branch.state, branch.data, delivery.arn, result)
        answers.answered(world, branch, result, state)
        if state != workflow.ENDED and workflow.STATES[state]["Type"] == "Parallel":
            branches = tuple(
                Branch(name, *start, retries=_NO_RETRIES)
                for name, start in workflow.branches(state, data, delivery.arn).items()
                if self.scenario.follow(name)
            )
            if branches:
                return delivery._replace(branches=branches)
            state = workflow.ENDED
        delivery = delivery.with_branch(Branch(branch.name, state, data, retries=_NO_RETRIES))
        ended = all(b.state == workflow.ENDED for b in delivery.branches)
        return delivery._replace(status=SUCCEEDED) if ended else delivery

    def _gives_up(self, world: World, delivery: Delivery, branch: Branch) -> World:
        error = branch.error
        assert error
        answers.failed(delivery, error)
        world = world._replace(budget=world.budget - costs(branch.state, error))
        halted = self._halted(delivery, world.clock)
        if error == "BookingConflict":  # the one refusal of a message that is valid
            return world.with_delivery(halted._replace(status=REFUSED))
        # What a deletion broke fails at its redrive once more; a fresh execution mends it.
        expected = delivery.executions + delivery.redrives <= 2 * self.spent(world)
        oracle.require(expected, "G7", f"it fails by {error}, though nothing befell it")
        return world.with_delivery(halted)

    def _halted(self, delivery: Delivery, clock: int) -> Delivery:
        """The execution has ended; its functions in flight have not."""
        zombies, branches = list(delivery.zombies), []
        for branch in delivery.branches:
            if branch.state != workflow.ENDED and branch.error is None:
                invocation = self.choices.attempt(delivery, branch, clock).invocation
                if invocation and invocation.asks:
                    zombies.append((branch.state, invocation))
            branches.append(Branch(branch.name, branch.state, branch.data, retries=_NO_RETRIES))
        return delivery._replace(status=FAILED, branches=tuple(branches), zombies=tuple(zombies))

    def _zombie(self, world: World, delivery: Delivery, number: int, move: str) -> World:
        state, invocation = delivery.zombies[number]
        rest = list(delivery.zombies)
        del rest[number]
        if move == DIES_BEFORE:
            invocation.die()
        else:
            world, reply = self._reaches_aws(world, "a zombie", invocation, unheard=True)
            invocation = invocation.told(reply, world.clock)
            if invocation.asks:
                rest.insert(number, (state, invocation))
        return world.with_delivery(delivery._replace(zombies=tuple(rest)))


def fresh(delivery: Delivery) -> Delivery:
    first = Branch("accept", workflow.DEFINITION["StartAt"], delivery.message, retries=_NO_RETRIES)
    return delivery._replace(status=RUNNING, branches=(first,))


def repairing(ticket: Item) -> Delivery:
    """A reconciliation's run of Written and Ready for one ticket."""
    data = {"booking": ticket, "seatNumber": ticket["seatNumber"], "execution": "a reconciliation"}
    written = Branch(
        f"seat {ticket['seatNumber']}", "Written", json.dumps(data), retries=_NO_RETRIES
    )
    return Delivery("R", "", RUNNING, (written,))


def _attempt_failed(world: World, delivery: Delivery, branch: Branch, error: str) -> World:
    seen = email_and_time(world) if error == "EmailInProgress" else None
    failed = branch._replace(invocation=None, error=error, waits_for=seen)
    return world.with_delivery(delivery.with_branch(failed))
