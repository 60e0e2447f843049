"""The errors a step fails by name.

Step Functions matches a retrier by the exception's class name alone, never by a base class, so each
name here is a contract with the definitions in ``statemachines/``:

    FulfilmentError
    ├── BookingError
    │   ├── InvalidBooking      AcceptBooking: the message breaks the contract; never retried
    │   └── BookingConflict     AcceptBooking: a known booking with another identity; never retried
    ├── TicketError
    │   ├── TicketConflict      Creating, Written: the key holds another booking's ticket
    │   └── TicketMissing       Written, Ready: the record has gone, or is no longer the one written
    ├── EmailError
    │   ├── EmailInProgress     SendEmail: another run holds the lease; retried until it lapses
    │   ├── EmailThrottled      SendEmail: SES's sending rate or daily quota; retried for hours
    │   └── EmailRejected       SendEmail: SES refuses this email; an operator has to act
    └── ReconciliationError
        ├── InvalidOptions      Check: the execution's input asks for what there is not
        ├── ImagesUnreadable    Check: S3 does not say whether an image is there; the run stops
        └── TooManyMissing      Check: too large a share of a date's images; the others are done

Everything else that escapes a step (a ``ClientError``, a timeout, a crash) is transient: a
machine's ``States.ALL`` retries it. Messages name ids and fields, never a QR token or an address.
"""


class FulfilmentError(Exception):
    """Base of every named failure; never raised itself."""


class BookingError(FulfilmentError):
    """What AcceptBooking refuses; never raised itself."""


class InvalidBooking(BookingError):
    """The message breaks the contract: the text names each bad field and the SQS message id.

    ``booking_id`` is what the message calls its booking, if that much is sound: for the log.
    """

    def __init__(self, reason: str, booking_id: str | None = None) -> None:
        super().__init__(reason)
        self.booking_id = booking_id


class BookingConflict(BookingError):
    """The booking is known with another owner, event, start or quantity; nothing was changed."""


class TicketError(FulfilmentError):
    """What stops one seat; never raised itself."""


class TicketConflict(TicketError):
    """The record under this ticket's key belongs to another booking or seat."""


class TicketMissing(TicketError):
    """The ticket's record has gone, or was made anew since its image was written."""


class EmailError(FulfilmentError):
    """What stops the confirmation email; never raised itself."""


class EmailInProgress(EmailError):
    """Another run holds the booking's email lease."""


class EmailThrottled(EmailError):
    """SES refused for its sending rate or daily quota; nothing was sent."""


class EmailRejected(EmailError):
    """SES refused this email or this sender; nothing was sent."""


class ReconciliationError(FulfilmentError):
    """What stops a reconciliation, or one date of it; never raised itself."""


class InvalidOptions(ReconciliationError):
    """The execution's input names an option, or a value, that there is not."""


class ImagesUnreadable(ReconciliationError):
    """S3 refuses to say whether an image is there, so no image may be called missing."""


class TooManyMissing(ReconciliationError):
    """More of a date's images are missing than are mended without asking."""
