"""Logger, metrics and the frames that functions run in.

A log line is JSON and carries ``execution``, ``bookingId`` and ``seatNumber`` as far as the step
has them. It never carries a QR token, an email address or a whole event.

Metrics (CloudWatch EMF, namespace ``MiniTickets``, unit Count): TicketsReady, TicketsSkipped,
EmailsSent, EmailsSkipped, EmailsRejected, EmailsThrottled, BookingsRejected; of My tickets,
TicketsUnreadable; of reconciliations, TicketsChecked, TicketsRepaired, TicketsUnrepaired,
TicketsLeft. Their one dimension, ``service``, is what the template sets as
POWERTOOLS_SERVICE_NAME: it names the stage.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from aws_lambda_powertools.logging import Logger
from aws_lambda_powertools.metrics import Metrics, MetricUnit

from minitickets.errors import FulfilmentError
from minitickets.http_answer import refuse

Event = dict[str, Any]
Handler = Callable[[Event, object], dict[str, Any]]

logger = Logger()
metrics = Metrics(namespace="MiniTickets")


def count(metric: str, value: int = 1) -> None:
    metrics.add_metric(name=metric, unit=MetricUnit.Count, value=value)


def identify(**keys: str | int | None) -> None:
    """Name what the following log lines and metrics are about; None values are left out."""
    for name, value in keys.items():
        if value is not None:
            logger.append_keys(**{name: value})
            metrics.add_metadata(key=name, value=value)


def step(work: Callable[[Event], dict[str, Any]]) -> Handler:
    """Turn a step's work into its Lambda handler.

    The event is the ``Payload`` of its state in ``statemachines/``. A failure is logged by its
    name, then escapes: Step Functions matches retriers on that name.
    """

    @wraps(work)
    def handler(event: Event, context: object) -> dict[str, Any]:
        with _invocation(
            context,
            execution=event.get("execution"),
            bookingId=event.get("bookingId") or event.get("booking", {}).get("bookingId"),
            seatNumber=event.get("seatNumber"),
        ):
            try:
                return work(event)
            except FulfilmentError as error:
                logger.warning("step refused", error=type(error).__name__, reason=str(error))
                raise
            except Exception as error:
                logger.error("step failed", error=type(error).__name__)
                raise

    return handler


def endpoint(work: Callable[[Event], dict[str, Any]]) -> Handler:
    """Turn what answers an HTTP request into its Lambda handler.

    The event and the answer are API Gateway's, payload version 2.0. A failure is logged by its
    name; whoever asked hears that there was one, and no more.
    """

    @wraps(work)
    def handler(event: Event, context: object) -> dict[str, Any]:
        with _invocation(context):
            try:
                return work(event)
            except Exception as error:  # noqa: BLE001 - whatever it was, the log has it
                said = getattr(error, "response", {}).get("Error", {})  # AWS's, where it is
                logger.error("request failed", error=type(error).__name__, code=said.get("Code"))
                return refuse(500, "InternalError", "Something failed here. Ask again later.")

    return handler


@contextmanager
def _invocation(context: object, **about: str | int | None) -> Iterator[None]:
    """What is logged and counted within is about these, and nothing of it stays for the next."""
    identify(requestId=getattr(context, "aws_request_id", None), **about)
    try:
        yield
    finally:
        if metrics.provider.metric_set:
            metrics.flush_metrics()
        # A flush without metrics would keep what they are about for the next invocation's.
        metrics.clear_metrics()
        logger.remove_keys(["execution", "bookingId", "seatNumber", "requestId"])
