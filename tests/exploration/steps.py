"""Invocations of the real handlers, asked for their next AWS call instead of being let loose.

A handler depends on its event, on the time it reads, on the token bytes it draws and on what AWS
answers, and on nothing else. So an invocation is known by what it was told so far; told one more
answer, it is run again from its beginning up to its next call, and never twice for the same story.
:mod:`exploration.live` runs handlers straight through instead, to show that this is the same.
"""

from typing import NamedTuple, Protocol

from botocore.awsrequest import AWSResponse

from exploration.calls import Answer, Call

TIMELESS = 0  # the number of all invocations of a handler that reads no clock and draws no token


class Pending(BaseException):
    """Leaves a handler at a call of which it was not told what comes of it."""

    def __init__(self, call: Call) -> None:
        self.call = call


class Start(NamedTuple):
    """``function`` is a module of functions/, ``payload`` JSON. ``number`` tells invocations apart:
    no two read the same microsecond, or draw the same token."""

    function: str
    payload: str
    number: int
    clock: int


class Told(NamedTuple):
    answer: Answer
    clock: int


class Run(Protocol):
    def __call__(self, start: Start, told: tuple[Told, ...]) -> "Invocation":
        """Run the handler from its beginning to the call of which it is not told."""


class Invocation:
    """A handler that waits for an answer to ``asks``, or has ended with ``result`` or ``error``."""

    def __init__(
        self, run: "Run", start: Start, told: tuple[Told, ...], asks: Call | None,
        result: str | None = None, error: str | None = None,
    ) -> None:  # fmt: skip
        self.start, self.asks, self.result, self.error = start, asks, result, error
        self._run, self._told = run, told
        self._next: dict[Told, Invocation] = {}

    def told(self, answer: Answer, clock: int) -> "Invocation":
        told = Told(answer, 0 if self.start.number == TIMELESS else clock)
        if told not in self._next:
            self._next[told] = self._run(self.start, (*self._told, told))
        return self._next[told]

    def die(self) -> None:
        """The process is no more: nothing is left of it here."""


class Story:
    """What a running handler is told."""

    def __init__(self, start: Start, told: tuple[Told, ...]) -> None:
        self.start, self.clock, self._left = start, start.clock, list(told)

    def answer(self, call: Call) -> AWSResponse:
        if not self._left:
            raise Pending(call)
        told = self._left.pop(0)
        self.clock = told.clock
        return told.answer.reach(call)
