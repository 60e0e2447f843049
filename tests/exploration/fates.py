"""What may become of one AWS call, and what its caller hears of it."""

from typing import Final

from exploration.calls import Answer, Call, NotSent, Reply, ReplyLost, refused

DONE: Final = "done"
NO_CALL: Final = "runs to its end"
NOT_SENT: Final = "never reaches AWS"
REPLY_LOST: Final = "done, reply lost"
DIES_BEFORE: Final = "worker dies before"
DIES_AFTER: Final = "done, worker dies"
REJECTED: Final = "refused: rejected"
SES_REFUSALS: Final = {
    "refused: sending rate": ("TooManyRequestsException", 429),
    REJECTED: ("MessageRejected", 400),
}
REACH_AWS: Final = (DONE, REPLY_LOST, DIES_AFTER)
FAULTS: Final = (NOT_SENT, REPLY_LOST, DIES_BEFORE, DIES_AFTER, *SES_REFUSALS)
_AFTER_A_READ: Final = (REPLY_LOST, DIES_AFTER)  # nothing is done that they could hide


def fates(call: Call | None, faults: tuple[str, ...]) -> list[str]:
    if call is None:
        return [NO_CALL]
    return [DONE, *(fault for fault in faults if _befalls(call, fault))]


def _befalls(call: Call, fault: str) -> bool:
    if fault in SES_REFUSALS:
        return call.operation == "SendEmail"
    return not (call.reads and fault in _AFTER_A_READ)


def heard(reply: Reply | None, fate: str) -> Answer | None:
    """None: the caller is dead."""
    if fate in (DIES_BEFORE, DIES_AFTER):
        return None
    if fate in SES_REFUSALS:
        return refused(*SES_REFUSALS[fate])
    return {NOT_SENT: NotSent(), REPLY_LOST: ReplyLost()}.get(fate, reply)
