"""Handlers that run straight through, each in a thread, and wait at every call to be told.

No memory and no second run: a schedule replayed here meets moto as it is, call after call.
"""

import queue
import threading

from botocore.awsrequest import AWSResponse

from exploration.aws import Store
from exploration.calls import Answer, Call, Reply
from exploration.steps import Invocation, Pending, Start, Story, Told
from exploration.system import System

_PATIENCE = 20  # seconds, after which a handler that neither calls nor ends fails the test


class LiveSystem(System):
    def begin(self, start: Start) -> Invocation:
        return LiveInvocation(self, start)

    def start_again(self) -> None:
        """An AWS with nothing in it."""
        self.aws.restore(self.aws.empty)
        self.aws.apply = self._apply_once  # type: ignore[method-assign]

    def _apply_once(self, store: Store, call: Call) -> tuple[Store, Reply]:
        return self.aws.send(store, call)


class LiveInvocation(Invocation):
    def __init__(self, system: LiveSystem, start: Start) -> None:
        super().__init__(system.run, start, (), None)
        self._story = LiveStory(start)
        self._system = system
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()
        self._listen()

    def told(self, answer: Answer, clock: int) -> Invocation:
        self._story.told.put(Told(answer, clock))
        self._listen()
        return self

    def die(self) -> None:
        self._story.told.put(None)
        self._thread.join(_PATIENCE)

    def _play(self) -> None:
        self._story.said.put(self._system.play(self._story))

    def _listen(self) -> None:
        said = self._story.said.get(timeout=_PATIENCE)
        self.asks, self.result, self.error = said


class LiveStory(Story):
    def __init__(self, start: Start) -> None:
        super().__init__(start, ())
        self.said: queue.Queue[tuple[Call | None, str | None, str | None]] = queue.Queue()
        self.told: queue.Queue[Told | None] = queue.Queue()

    def answer(self, call: Call) -> AWSResponse:
        self.said.put((call, None, None))
        told = self.told.get(timeout=_PATIENCE)
        if told is None:
            raise Pending(call)
        self.clock = told.clock
        return told.answer.reach(call)
