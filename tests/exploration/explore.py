"""Every schedule of a scenario, the shortest first; or some of many, drawn by a seed.

Two schedules that come to the same moment (what lasts, where each run stands and what it was told,
clock, budget, account) go on alike, so each moment is gone on from once. The number of schedules is
that of the ways through all moments from the beginning to an end.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from exploration.moves import Rules
from exploration.oracle import Violation
from exploration.world import Choice, World

Schedule = list[Choice]
AtEnd = Callable[[Rules, World], None]


@dataclass
class Found:
    guarantee: str
    words: str
    schedule: Schedule


@dataclass
class Exploration:
    moments: dict[World, int] = field(default_factory=dict)
    came_from: list[tuple[int, Choice] | None] = field(default_factory=list)
    leads_to: list[list[int]] = field(default_factory=list)
    ends: int = 0
    steps: int = 0
    found: Found | None = None

    def add(self, world: World, origin: tuple[int, Choice] | None) -> bool:
        if world in self.moments:
            return False
        self.moments[world] = len(self.came_from)
        self.came_from.append(origin)
        self.leads_to.append([])
        return True

    def schedule(self, moment: int) -> Schedule:
        choices = []
        while origin := self.came_from[moment]:
            moment = origin[0]
            choices.append(origin[1])
        return choices[::-1]

    @property
    def schedules(self) -> int:
        ways: list[int | None] = [None] * len(self.leads_to)
        stack = [0]
        while stack:
            moment = stack[-1]
            unknown = [n for n in self.leads_to[moment] if ways[n] is None]
            if unknown:
                stack += unknown
                continue
            stack.pop()
            ways[moment] = sum(ways[n] or 0 for n in self.leads_to[moment]) or 1
        return ways[0] or 0


def explore(rules: Rules, at_end: AtEnd) -> Exploration:
    """Go through all moments, breadth first; stop at the first that breaks a guarantee."""
    seen = Exploration()
    worlds = [rules.begin()]
    seen.add(worlds[0], None)
    for moment, world in enumerate(worlds):
        choice = None
        try:
            choices = rules.choices.at(world)
            for choice in choices:
                after = rules.take(world, choice)
                seen.steps += 1
                if seen.add(after, (moment, choice)):
                    worlds.append(after)
                seen.leads_to[moment].append(seen.moments[after])
            if not choices:
                choice = None
                seen.ends += 1
                at_end(rules, world)
        except Violation as broken:
            schedule = seen.schedule(moment) + ([choice] if choice else [])
            seen.found = Found(broken.guarantee, str(broken), schedule)
            break
    return seen


def sample(rules: Rules, at_end: AtEnd, count: int, seed: int) -> Iterator[tuple[Schedule, World]]:
    """``count`` schedules, each choice drawn by chance, and their ends.

    Raises AssertionError with the first that breaks a guarantee.
    """
    chance = random.Random(seed)
    for _ in range(count):
        world, schedule = rules.begin(), []
        try:
            while choices := rules.choices.at(world):
                schedule.append(chance.choice(choices))
                world = rules.take(world, schedule[-1])
            at_end(rules, world)
        except Violation as broken:
            raise AssertionError(f"{broken}, seed {seed}\n{text(schedule)}") from broken
        yield schedule, world


def text(schedule: Schedule) -> str:
    """A numbered list, to be read and to be given to :func:`read`."""
    return "\n".join(
        f"{number:3}. {choice.actor:12} | {choice.at:45} | {choice.move}"
        for number, choice in enumerate(schedule, 1)
    )


def read(lines: str) -> Schedule:
    steps = (line.partition(".")[2].split("|") for line in lines.strip().splitlines())
    return [Choice(actor.strip(), at.strip(), move.strip()) for actor, at, move in steps]


def replay(rules: Rules, schedule: Schedule) -> Iterator[World]:
    """The moments of one schedule, from the beginning."""
    world = rules.begin()
    yield world
    for choice in schedule:
        world = rules.take(world, choice)
        yield world
