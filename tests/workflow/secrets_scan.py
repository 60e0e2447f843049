"""Looks for QR tokens in all that the shared stack ever did and kept (G9)."""

from collections.abc import Iterator

from local_stack.aws import ACCOUNT, REGION
from local_stack.results import rows
from storming.secrets import TOKEN, tokens_in
from workflow.harness import Fulfilment
from workflow.reconciling import reconciliations


def secrets_found(fulfilment: Fulfilment) -> list[str]:
    """Where a QR token of the tickets table occurs although it must not; never the token."""
    known = {ticket["token"] for ticket in rows(fulfilment.stack, "TicketsTableName")}
    assert all(TOKEN.fullmatch(token) for token in known), "a token that the scan cannot see"
    return [place for place, text in _places(fulfilment) if tokens_in(text, known)]


def _places(fulfilment: Fulfilment) -> Iterator[tuple[str, str]]:
    for execution in (*fulfilment.all_executions(), *reconciliations(fulfilment)):
        arn = execution["executionArn"]
        yield f"execution {arn}", repr(execution)
        yield f"history {arn}", _history_text(arn)
    yield "log", fulfilment.log_text()
    for email in fulfilment.stack.outbox.sent:
        yield f"email {email.number}", repr(email)
    for job in rows(fulfilment.stack, "ProcessedJobsTableName"):
        yield f"job {job['jobKey']}", repr(job)


def _history_text(arn: str) -> str:
    # Out of the interpreter itself: asked for by the API, all histories would take ten seconds.
    from moto.stepfunctions.parser.models import stepfunctions_parser_backends

    worker = stepfunctions_parser_backends[ACCOUNT][REGION].describe_execution(arn).exec_worker
    return repr(worker.env.event_manager.get_event_history())
