"""The pool alone, with workers that the test moves by hand."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fixtures.lambda_service import PATIENCE
from local_stack.lambda_service.pool import WorkerFailedError, WorkerPool
from local_stack.lambda_service.worker import State


class FakeWorker:
    def __init__(self, change):
        self._change = change
        self.started = False

    def start(self):
        self.started = True

    def kill(self):
        self.become(State.ENDED)

    def become(self, state):
        self._change(self, state)


class Callers:
    """Callers that queue up one behind the other."""

    def __init__(self, pool, threads):
        self._pool = pool
        self._threads = threads

    def join(self):
        waiting = len(self._pool._waiting)
        place = self._threads.submit(self._pool.acquire)
        deadline = time.monotonic() + PATIENCE
        while len(self._pool._waiting) == waiting and not place.done():
            assert time.monotonic() < deadline
        return place


@pytest.fixture
def workers():
    return []


@pytest.fixture
def threads():
    with ThreadPoolExecutor(8) as threads:
        yield threads


@pytest.fixture
def pool_of(workers, threads):  # closed before the threads are waited for
    pools = []

    def new_worker(change):
        workers.append(FakeWorker(change))
        return workers[-1]

    def make(limit):
        pools.append(WorkerPool(new_worker, limit))
        return pools[-1], Callers(pools[-1], threads)

    yield make
    for pool in pools:
        pool.close()


def test_a_free_worker_goes_to_the_caller_who_has_waited_longest(pool_of, workers):
    _, callers = pool_of(1)
    first, second, third = callers.join(), callers.join(), callers.join()
    for place, others in ((first, (second, third)), (second, (third,)), (third, ())):
        workers[0].become(State.IDLE)
        assert place.result(PATIENCE) is workers[0]
        assert not any(other.done() for other in others)
    assert len(workers) == 1


def test_an_idle_worker_that_has_ended_is_given_to_nobody(pool_of, workers):
    pool, callers = pool_of(1)
    place = callers.join()
    workers[0].become(State.IDLE)
    pool.release(place.result(PATIENCE))
    workers[0].become(State.ENDED)

    place = callers.join()

    workers[1].become(State.IDLE)
    assert place.result(PATIENCE) is workers[1]


def test_a_worker_that_ends_before_its_first_event_fails_one_caller_and_is_replaced(
    pool_of, workers
):
    _, callers = pool_of(1)
    first, second = callers.join(), callers.join()
    workers[0].become(State.ENDED)
    with pytest.raises(WorkerFailedError):
        first.result(PATIENCE)
    assert workers[1].started
    workers[1].become(State.IDLE)
    assert second.result(PATIENCE) is workers[1]


def test_a_caller_takes_a_worker_that_gets_free_before_its_own_has_started(pool_of, workers):
    _, callers = pool_of(2)
    first = callers.join()
    workers[0].become(State.IDLE)
    first.result(PATIENCE)
    second = callers.join()
    assert workers[1].started
    workers[0].become(State.ANSWERED)
    workers[0].become(State.IDLE)
    assert second.result(PATIENCE) is workers[0]


def test_a_worker_that_ends_after_its_answer_leaves_no_caller_without_one(pool_of, workers):
    _, callers = pool_of(1)
    first = callers.join()
    workers[0].become(State.IDLE)
    first.result(PATIENCE)
    workers[0].become(State.ANSWERED)
    second = callers.join()
    workers[0].become(State.ENDED)
    workers[1].become(State.IDLE)
    assert second.result(PATIENCE) is workers[1]
