"""Check: one page of a reconciliation; or, after a page that failed, setting its date aside."""

from typing import Any

from minitickets.adapters.image_bucket import HEADS_AT_ONCE, ImageBucket
from minitickets.adapters.tickets_by_date import TicketsByDate
from minitickets.clock import utc_now
from minitickets.domain.reconcile_plan import Plan, make_plan
from minitickets.domain.reconcile_progress import Progress
from minitickets.domain.reconciliation import (
    REPAIR,
    Turn,
    add_page,
    ask,
    begin,
    count_outcomes,
    set_aside,
)
from minitickets.domain.ticket_check import check_page
from minitickets.observability import logger, step
from minitickets.settings import required, required_whole

TICKETS = TicketsByDate.connect(required("TICKETS_TABLE"))
IMAGES = ImageBucket.connect(required("TICKETS_BUCKET"), HEADS_AT_ONCE)
HORIZON_DAYS = required_whole("RECONCILE_HORIZON_DAYS")
ALLOW_MISSING = required_whole("RECONCILE_ALLOW_MISSING_PERCENT")


@step
def handler(event: dict[str, Any]) -> dict[str, Any]:
    """Read a page, and say what comes next.

    ``{"state", "options", "startedAt", "redriveCount", "execution", "failure"?}`` →
    ``{"next", "then", "seats", "plan", "progress"}``. ``state`` is what this gave the last time,
    with the ``outcomes`` of its seats; at first the execution's input, as ``options`` always is.
    ``failure`` is the name of what stopped the page of ``state``: its date is set aside.
    """
    state = event["state"]
    if _is_input(state, event["options"]):
        plan = make_plan(event["options"], event["startedAt"], HORIZON_DAYS, ALLOW_MISSING)
        progress = begin(plan)
    else:
        plan = Plan.from_json(state["plan"])
        progress = Progress.from_json(state["progress"])
    progress = count_outcomes(progress, state.get("outcomes", []))
    if "failure" in event:
        logger.warning("date set aside", date=progress.date, error=event["failure"])
        return _answer(set_aside(progress, plan), plan)
    run = event["redriveCount"]
    ask(progress, plan, run)
    records, cursor = TICKETS.page(progress.reads, progress.cursor, plan.page_size)
    page = check_page(records, IMAGES.missing, utc_now())
    logger.info("page checked", date=progress.date, **page.counts._asdict())
    return _answer(add_page(progress, plan, page, cursor, run), plan)


def _is_input(state: Any, options: Any) -> bool:
    """Whether nothing has been planned yet.

    Not by what it holds, since anybody may start an execution with an input that looks begun. The
    definition puts a ``failure`` into the input of one whose first page failed.
    """
    if isinstance(state, dict) and isinstance(options, dict) and "failure" in state:
        return bool(state == {**options, "failure": state["failure"]})
    return bool(state == options)


def _answer(turn: Turn, plan: Plan) -> dict[str, Any]:
    return {
        "next": REPAIR if turn.seats else turn.then,
        "then": turn.then,
        "seats": list(turn.seats),
        "plan": plan.to_json(),
        "progress": turn.progress.to_json(),
    }
