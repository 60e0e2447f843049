"""AWS's API rates, kept by this process so that the pipe and the console get their share too."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Bucket:
    """A token bucket: ``burst`` calls at once, then ``per_second``. Safe from many threads."""

    burst: float
    per_second: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], object] = time.sleep
    _tokens: float = field(init=False)
    _counted_at: float = field(init=False)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._tokens, self._counted_at = self.burst, self.clock()

    def take(self) -> None:
        """Wait for a token if there is none."""
        with self._lock:
            now = self.clock()
            refilled = self._tokens + (now - self._counted_at) * self.per_second
            self._tokens, self._counted_at = min(self.burst, refilled) - 1, now
            short = -self._tokens
        if short > 0:
            self.sleep(short / self.per_second)


def aws_buckets(
    clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep
) -> dict[str, Bucket]:
    """AWS's refill rates, and a quarter of its bursts at most; its quotas differ by region.

    https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
    """
    limits = {
        "ListExecutions": (50, 5),
        "DescribeExecution": (75, 15),
        "GetExecutionHistory": (100, 20),
        "DescribeStateMachineForExecution": (50, 1),
        "RedriveExecution": (200, 150),
        "StartExecution": (200, 150),
    }
    return {name: Bucket(burst, rate, clock, sleep) for name, (burst, rate) in limits.items()}
