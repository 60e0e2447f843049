"""G9: a token is in the tickets table and in the image, nowhere else; no address is in a log."""

from storming.facts import Facts
from storming.judging.verdict import Verdict


def judge_g9(facts: Facts) -> Verdict:
    broken = tuple(f"{leak.place}: {leak.what}" for leak in facts.leaks)
    counted = ", ".join(f"{number:,} {sort}" for sort, number in facts.scanned.items())
    texts = sum(facts.scanned.values())
    return Verdict("G9", "no token, and no address in a log", texts, counted or "nothing", broken)
