"""A verdict per guarantee, each a function of :class:`storming.facts.Facts` alone.

None of them asks the code under test what should be: ids, keys, payloads and errors are spelled out
here as the design has them.
"""

from collections.abc import Callable

from storming.facts import Facts
from storming.judging.emails import judge_g5, judge_g6
from storming.judging.messages import judge_g4, judge_g7, judge_g8
from storming.judging.seats import judge_g1, judge_g2, judge_g3
from storming.judging.secrets import judge_g9
from storming.judging.verdict import Verdict

_JUDGES: tuple[Callable[[Facts], Verdict], ...] = (
    judge_g1, judge_g2, judge_g3, judge_g4, judge_g5, judge_g6, judge_g7, judge_g8, judge_g9,
)  # fmt: skip


def judge(facts: Facts) -> list[Verdict]:
    """The verdicts on G1 to G9, in that order."""
    return [each(facts) for each in _JUDGES]


__all__ = [
    "Verdict", "judge", "judge_g1", "judge_g2", "judge_g3", "judge_g4", "judge_g5", "judge_g6",
    "judge_g7", "judge_g8", "judge_g9",
]  # fmt: skip
