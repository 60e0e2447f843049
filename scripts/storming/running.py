"""From a plan to a report: the storm, the healing, the encore and the verdicts."""

import time
from collections import Counter
from pathlib import Path

from local_stack.stack import LocalStack, Options
from storming.collecting import collect
from storming.evidence import keep
from storming.healing import Healing
from storming.judging import judge
from storming.plan import Plan
from storming.report import Report, counts
from storming.storm import Storm, StuckError
from storming.watching import watch
from storming.words import Progress

TIME_SCALE = 0.02  # a retry interval of 60 s takes 1.2 s; the grace 10 s; the lease 11 s
_ENCORE_SECONDS = 300


def run(plan: Plan, out: Path, progress: Progress, *, with_evidence: bool) -> Report:
    """``out`` receives logs and emails, and with evidence all that
    :mod:`storming.evidence` keeps."""
    began = time.monotonic()
    progress.phase("starting the local stack")
    stack = LocalStack(Options(out=out, time_scale=TIME_SCALE))
    watch(stack)
    storm = Storm(stack, plan, progress.report)
    healing = Healing(storm, stack.endpoint.url, progress.report)
    with stack:
        trouble = _weather(storm, healing, plan, progress)
        progress.phase("judging")
        facts = collect(stack, plan, storm, healing, out / "logs")
        verdicts = judge(facts)
        if with_evidence:
            keep(stack, verdicts, out)
    done = Counter(storm.counts) + Counter(storm.deliveries.counts) + Counter(healing.counts)
    progress.end()
    seconds = time.monotonic() - began
    return Report(plan.bookings, plan.seed, seconds, verdicts, counts(facts, done), trouble)


def _weather(storm: Storm, healing: Healing, plan: Plan, progress: Progress) -> str | None:
    """Why it was cut short, if it was."""
    try:
        progress.phase("storm")
        storm.rage()
        progress.phase("healing")
        healing.heal()
        progress.phase("publishing again what is done")
        for publication in plan.encore:
            storm.publish(publication)
        storm.wait_for_quiet(_ENCORE_SECONDS)
    except StuckError as stuck:
        return str(stuck)
    return None
