"""From a number of bookings and a seed to a plan: what is published, when, and what strikes."""

import json
from dataclasses import replace
from functools import partial
from random import Random

from local_stack.lambda_service import Fault
from storming import bodies
from storming.bodies import Body
from storming.decks import Deck
from storming.drawing_faults import FaultLots
from storming.plan import (
    Abort,
    Delivery,
    Identity,
    KillWorker,
    Kind,
    Outage,
    Plan,
    Publication,
    Publish,
    Step,
)

_LARGE_EVERY = 50  # bookings: that one has 10 to 40 seats, the others 1 to 6
_AT_ONCE = 0.4  # of the repetitions; the others come late


def draw(bookings: int, seed: int) -> Plan:
    return _Lots(bookings, seed).plan()


class _Lots:
    def __init__(self, bookings: int, seed: int) -> None:
        self.bookings, self.seed = bookings, seed
        self.rng = Random(seed)  # noqa: S311 - a storm repeats by its seed
        self._faults = FaultLots(self.rng)
        self._breaks = Deck(self.rng, tuple(bodies.BROKEN))
        self._conflicts = Deck(self.rng, bodies.CONFLICTS)
        one_in = partial(Deck.one_in, self.rng)
        # Of the bookings, so many have each kind of further message.
        self._has_again, self._has_correction, self._has_conflict = (
            one_in(3),
            one_in(10),
            one_in(12),
        )
        self._has_broken, self._has_encore = one_in(8), one_in(10)
        # Of the messages, so many meet each trouble on their way.
        self._is_twice, self._is_late, self._is_refused = one_in(16), one_in(16), one_in(32)
        self._loses_start, self._loses_deletion = one_in(50), one_in(50)
        self._encores = Deck(self.rng, (Kind.AGAIN, Kind.CORRECTION, Kind.CONFLICT))
        self._timed: list[tuple[float, Step]] = []
        self._encore: list[Publication] = []
        self._numbers = 0

    def plan(self) -> Plan:
        for index in range(self.bookings):
            self._booking(index)
        self._events()
        self._timed.sort(key=lambda timed: timed[0])
        return Plan(
            self.bookings,
            self.seed,
            steps=tuple(step for _, step in self._timed),
            encore=tuple(self._encore),
            deleted=frozenset(self._faults.deleted),
            occupied=self._faults.occupied,
        )

    def _chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def _booking(self, index: int) -> None:
        rng, id_ = self.rng, f"bk_{index + 1:05d}"
        quantity = rng.randint(10, 40) if index % _LARGE_EVERY == 7 else rng.randint(1, 6)
        body = bodies.valid(rng, id_, quantity)
        faults = self._faults.of(index, body)
        if any(id_ == deleted for deleted, _ in self._faults.deleted):
            # Alone: another run of it, at once, could reserve the seat anew and nothing would fail.
            self._publish(index, Kind.FIRST, body, Delivery(), faults)
            return
        self._publish(index, Kind.FIRST, body, self._delivery(), faults)
        if self._has_again.draw():
            for _ in range(rng.randint(1, 3)):
                self._repeat(index, Kind.AGAIN, body)
        if self._has_correction.draw():
            self._repeat(index, Kind.CORRECTION, body)
        if self._has_conflict.draw():
            self._repeat(index, Kind.CONFLICT, body)
        if self._has_broken.draw():
            self._broken(self._when(index), id_)
        if self._has_encore.draw():
            self._repeat_when_all_is_done(body)

    def _when(self, index: int) -> float:
        """At once, within the next few, or late."""
        if self._chance(_AT_ONCE):
            return index + self.rng.random()
        return self.rng.uniform(index + 1, self.bookings + index / 4)

    def _repeat(self, index: int, kind: Kind, body: Body) -> None:
        self._publish(self._when(index), kind, self._changed(kind, body), self._delivery())

    def _repeat_when_all_is_done(self, body: Body) -> None:
        kind = self._encores.draw()
        delivery = Delivery(twice=self._chance(0.3))
        self._encore.append(self._publication(kind, self._changed(kind, body), delivery))

    def _changed(self, kind: Kind, body: Body) -> Body:
        if kind is Kind.CONFLICT:
            return bodies.conflicting(self.rng, self._conflicts.draw(), body)
        if kind is Kind.CORRECTION:
            return {**body, "email": bodies.address(self.rng)}
        return bodies.same_again(self.rng, body)

    def _publish(
        self,
        at: float,
        kind: Kind,
        body: Body,
        delivery: Delivery,
        faults: tuple[Fault, ...] = (),
    ) -> None:
        publication = self._publication(kind, body, delivery)
        self._timed.append((at, Publish(publication, faults)))

    def _publication(self, kind: Kind, body: Body, delivery: Delivery) -> Publication:
        text = json.dumps(body, ensure_ascii=self._chance(0.5))
        return Publication(
            self._number(), kind, text, body["bookingId"], Identity.of(body), body["email"],
            delivery,
        )  # fmt: skip

    def _broken(self, at: float, id_: str) -> None:
        """Of a booking of its own, or of a good one."""
        kind = self._breaks.draw()
        named = self.rng.choice((id_, f"bk_broken_{self._numbers}"))
        body = bodies.broken(self.rng, kind, named)
        publication = Publication(
            self._number(), Kind.INVALID, body, named, delivery=self._delivery()
        )
        self._timed.append((at, Publish(publication)))

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _delivery(self) -> Delivery:
        return Delivery(
            twice=self._is_twice.draw(),
            again_after=self.rng.randint(5, 60) if self._is_late.draw() else 0,
            refusals=self.rng.randint(1, 2) if self._is_refused.draw() else 0,
            start_reply_lost=self._loses_start.draw(),
            delete_lost=self._loses_deletion.draw(),
        )

    def _events(self) -> None:
        """What strikes whatever is there: worker kills, aborts, outages, the pipe's deaths."""
        rng, end = self.rng, float(self.bookings)
        for _ in range(max(3, self.bookings // 8)):
            self._at(rng.uniform(0, end), KillWorker(rng.randrange(6), rng.randrange(8)))
        for _ in range(max(2, self.bookings // 40)):
            self._at(rng.uniform(0.2, 0.9) * end, Abort(rng.randrange(1000)))
        for turn in range(1 + self.bookings // 500):
            share = end / (1 + self.bookings // 500)
            self._at(rng.uniform(turn + 0.3, turn + 0.7) * share, Outage())
        self._kill_pipe(1 + self.bookings // 200)

    def _at(self, when: float, step: Step) -> None:
        self._timed.append((when, step))

    def _kill_pipe(self, times: int) -> None:
        """Right after an execution was started, for some message of the storm."""
        published = [n for n, (_, step) in enumerate(self._timed) if isinstance(step, Publish)]
        for index in self.rng.sample(published, min(times, len(published))):
            at, step = self._timed[index]
            if isinstance(step, Publish):
                killing = replace(step.publication, delivery=Delivery(kills_pipe=True))
                self._timed[index] = (at, replace(step, publication=killing))
