"""What arrives from the booking queue: read strictly, refused with every reason at once.

The only module that imports pydantic, and only AcceptBooking imports it: pydantic would add to the
cold start of every other step.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from minitickets.domain.booking import Booking
from minitickets.domain.email_address import encode_address
from minitickets.domain.local_time import instant, zone
from minitickets.domain.names import accept_name
from minitickets.domain.strict_json import StrictJsonError, parse_object
from minitickets.errors import InvalidBooking

MAX_UNKNOWN = 5
MAX_START = 64

_ID_FORM = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_PLAIN_KEY = re.compile(r"[A-Za-z][A-Za-z_]{0,39}")
_ODD_IN_MESSAGE_ID = re.compile(r"[^A-Za-z0-9_.:-]")
_REASONS = {
    "missing": "is missing",
    "string_type": "is not a string",
    "int_type": "is not an integer",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
    "literal_error": "is something else",
    "string_pattern_mismatch": "has another form",
}


@dataclass(frozen=True)
class AcceptedMessage:
    """A booking, where its email goes, and its identity.

    ``identity`` is equal for two messages exactly if they agree on bookingId, userId, eventId,
    startsAt as an instant, and quantity.
    """

    booking: Booking
    email: str
    identity: str


def read_message(records: object) -> AcceptedMessage:
    """Read the pipe's array of one SQS record; raises :class:`InvalidBooking` and nothing else.

    ``[{"messageId": "…", "body": "{…}", …}]``, as in
    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-sqs.html. The error names the
    message and every bad field, each with what was wanted, and holds no value of the body.
    """
    record = _only(records)
    message_id = _message_id(record)
    body = record.get("body")
    if not isinstance(body, str):
        raise InvalidBooking(f"message {message_id}: the body is not a string")
    message, problems, booking_id = _read_body(body)
    if message is None:
        raise InvalidBooking(f"message {message_id}: " + "; ".join(problems), booking_id)
    booking = message.booking()
    return AcceptedMessage(booking, message.email, _identity(booking))


def _start(text: str) -> str:
    # Every record and every iteration's input carries it, so its fraction has to end somewhere.
    if len(text) > MAX_START:
        raise ValueError(f"is longer than {MAX_START} characters")
    instant(text)
    return text


def _zone(name: str) -> str:
    return zone(name).key


_Id = Annotated[
    str,
    Field(
        pattern=f"^{_ID_FORM}$",
        description="1 to 64 of A-Z a-z 0-9 _ -, first a letter or digit",
    ),
]
_Name = Annotated[str, AfterValidator(accept_name)]
_NAME_WANTED = "a name of 1 to 200 characters"


class _Message(BaseModel):
    """The message, version 1; each description says what is wanted, for who sent another thing."""

    model_config = ConfigDict(alias_generator=to_camel, strict=True, extra="ignore")

    type: Literal["booking.confirmed"] = Field(description='"booking.confirmed"')
    booking_id: _Id
    user_id: _Id
    event_id: _Id
    quantity: int = Field(ge=1, le=500, description="a JSON integer from 1 to 500")
    email: Annotated[str, AfterValidator(encode_address)] = Field(
        description="one email address, ASCII before the @"
    )
    event_name: _Name = Field(description=_NAME_WANTED)
    starts_at: Annotated[str, AfterValidator(_start)] = Field(
        description="an RFC 3339 time with offset, years 2000 to 2999"
    )
    time_zone: Annotated[str, AfterValidator(_zone)] | None = Field(
        None, description="an IANA zone name, or null"
    )
    venue: _Name | None = Field(None, description=f"{_NAME_WANTED}, or null")

    def booking(self) -> Booking:
        return Booking(**self.model_dump(exclude={"type", "email"}))


_WANTED = {str(field.alias): field.description for field in _Message.model_fields.values()}


def _only(records: object) -> Mapping[str, Any]:
    if not isinstance(records, list):
        raise InvalidBooking("the input is not an array of SQS records")
    if len(records) != 1:
        named = ", ".join(_message_id(record) for record in records[:10])
        raise InvalidBooking(f"{len(records)} records, wanted exactly 1: messages [{named}]")
    if not isinstance(records[0], dict):
        raise InvalidBooking("the record is not an object")
    return records[0]


def _message_id(record: object) -> str:
    """The id as SQS gives it; whatever else stands in its place, in one short ASCII word."""
    message_id = record.get("messageId") if isinstance(record, dict) else None
    if not isinstance(message_id, str) or not message_id:
        return "(without id)"
    return _ODD_IN_MESSAGE_ID.sub("?", message_id[:100])


def _read_body(body: str) -> tuple[_Message | None, list[str], str | None]:
    """The message, or all that is wrong with it and the booking that it names.

    Problems are returned, and raised by the caller: an error raised in an ``except`` block would
    carry the caught one along, and pydantic's holds the values.
    """
    faults: Mapping[str, str] = {}
    try:
        fields: Mapping[str, Any] = parse_object(body)
    except StrictJsonError as error:
        if not error.faults:
            return None, [f"the body {error}"], None
        faults, fields = error.faults, error.sound
    named = fields.get("bookingId")
    booking_id = named if isinstance(named, str) and re.fullmatch(_ID_FORM, named) else None
    try:
        message = _Message.model_validate(fields)
    except ValidationError as error:
        return None, [*_json_problems(faults), *_field_problems(error, faults)], booking_id
    return (None if faults else message), [*_json_problems(faults)], booking_id


def _json_problems(faults: Mapping[str, str]) -> Iterator[str]:
    for field, wanted in _WANTED.items():
        if field in faults:
            yield f"{field} {faults[field]}, wanted {wanted}"
    unknown = [field for field in faults if field not in _WANTED]
    for field in unknown[:MAX_UNKNOWN]:
        # A key that is no plain name could be anything, an address too.
        name = field if _PLAIN_KEY.fullmatch(field) else "of an odd name"
        yield f"the unknown field {name} {faults[field]}"
    if len(unknown) > MAX_UNKNOWN:
        yield f"{len(unknown) - MAX_UNKNOWN} more unknown fields are as bad"


def _field_problems(error: ValidationError, faults: Mapping[str, str]) -> Iterator[str]:
    for details in error.errors(include_url=False, include_input=False):
        field = str(details["loc"][0])
        if field not in faults:
            cause = details.get("ctx", {}).get("error")
            reason = str(cause) if cause else _REASONS.get(details["type"], "is not accepted")
            yield f"{field} {reason}, wanted {_WANTED[field]}"


def _identity(booking: Booking) -> str:
    # Ids hold no space and no "=", so different bookings never share a text.
    return (
        f"bookingId={booking.booking_id} userId={booking.user_id} eventId={booking.event_id} "
        f"startsAt={instant(booking.starts_at)} quantity={booking.quantity}"
    )
