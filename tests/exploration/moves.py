"""What a choice leads to: Step Functions' and Lambda's part in it."""

from typing import Final

from exploration import oracle, workflow
from exploration.booking import TICKET, delivered
from exploration.calls import Answer, Call, NotSent, Reply, ReplyLost, refused
from exploration.choices import (
    DIES_AFTER,
    DIES_BEFORE,
    DONE,
    GIVES_UP,
    NO_CALL,
    NOT_SENT,
    REDRIVE,
    REPLY_LOST,
    SES_REFUSALS,
    SOMEBODY,
    START_AGAIN,
    TIME,
    Choices,
    costs,
    email_and_time,
)
from exploration.passing import time_passes
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
        self.choices = Choices(scenario, system)
        self._deletion = system.operator(
            "dynamodb", "delete_item", TableName=self.aws.tickets, Key=TICKET
        )

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
        world = world._replace(untouched=False)
        if choice.actor == TIME:
            return time_passes(world, choice.move)
        if choice.actor == SOMEBODY:
            store, _ = self.aws.apply(world.store, self._deletion)
            # Later by more than what tells invocations apart: a record made anew is a later one.
            return world._replace(store=store, budget=world.budget - 1, clock=world.clock + 1)
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
        return world.with_delivery(self._state_done(delivery, branch, invocation.result))

    def _called(
        self, world: World, arn: str, invocation: Invocation, move: str
    ) -> tuple[World, Answer | None]:
        """What the call does, and what its caller hears: None if it is dead."""
        call, reply = invocation.asks, None
        assert call
        if move in (DONE, REPLY_LOST, DIES_AFTER):
            store, reply = self.aws.apply(world.store, call)
            after = world._replace(store=store)
            unheard = move != DONE
            world = oracle.called(world, after, arn, invocation.start, unheard=unheard)
        answer = _answer(call, reply, move)
        return world._replace(budget=world.budget - (move != DONE)), answer

    def _state_done(self, delivery: Delivery, branch: Branch, result: str) -> Delivery:
        state, data = workflow.after(branch.state, branch.data, delivery.arn, result)
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
        stopped = self._halted(delivery, world.clock)
        if error in ("BookingConflict", "InvalidBooking"):
            stopped = stopped._replace(status=REFUSED)
        return world.with_delivery(stopped)._replace(budget=world.budget - costs(error))

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
            assert invocation.asks
            store, reply = self.aws.apply(world.store, invocation.asks)
            after = world._replace(store=store)
            world = oracle.called(world, after, "a zombie", invocation.start, unheard=True)
            invocation = invocation.told(reply, world.clock)
            if invocation.asks:
                rest.insert(number, (state, invocation))
        return world.with_delivery(delivery._replace(zombies=tuple(rest)))


def fresh(delivery: Delivery) -> Delivery:
    first = Branch("accept", workflow.DEFINITION["StartAt"], delivery.message, retries=_NO_RETRIES)
    return delivery._replace(status=RUNNING, branches=(first,))


def _answer(call: Call, reply: Reply | None, move: str) -> Answer | None:
    if move in (DIES_BEFORE, DIES_AFTER):
        return None
    if move in SES_REFUSALS:
        return refused(*SES_REFUSALS[move])
    return {NOT_SENT: NotSent(), REPLY_LOST: ReplyLost()}.get(move, reply)


def _attempt_failed(world: World, delivery: Delivery, branch: Branch, error: str) -> World:
    seen = email_and_time(world) if error == "EmailInProgress" else None
    failed = branch._replace(invocation=None, error=error, waits_for=seen)
    return world.with_delivery(delivery.with_branch(failed))
