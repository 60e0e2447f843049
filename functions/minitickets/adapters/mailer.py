"""SES, asked once: an SDK retry after a lost reply would send a second email."""

import re
from typing import Any, Self

from botocore.exceptions import ClientError

from minitickets.adapters.clients import client
from minitickets.domain.confirmation import Confirmation
from minitickets.errors import EmailRejected, EmailThrottled

# https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors and
# https://docs.aws.amazon.com/ses/latest/dg/manage-sending-quotas-errors.html
_THROTTLED = {
    "LimitExceededException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
}
_REJECTED = {
    "AccountSuspendedException",
    "BadRequestException",
    "MailFromDomainNotVerifiedException",
    "MessageRejected",
    "NotFoundException",
    "SendingPausedException",
}
_ADDRESS = re.compile(r"[^\s<>,;:]+@[^\s<>,;:]+")


class Mailer:
    def __init__(self, ses: Any, sender: str, configuration_set: str) -> None:
        self._ses = ses
        self._sender = sender
        self._configuration_set = configuration_set

    @classmethod
    def connect(cls, sender: str, configuration_set: str) -> Self:
        return cls(client("sesv2", attempts=1, read_seconds=5), sender, configuration_set)

    def send(self, to: str, booking_id: str, email: Confirmation) -> str:
        """Send one email and return SES's message id.

        Raises EmailThrottled or EmailRejected when SES says that it sent nothing. Any other error
        leaves it open whether SES accepted.
        """
        try:
            answer = self._ses.send_email(
                FromEmailAddress=self._sender,
                # SES counts what becomes of its emails there: bounces and complaints come later.
                ConfigurationSetName=self._configuration_set,
                Destination={"ToAddresses": [to]},
                Content={
                    "Simple": {
                        "Subject": _utf8(email.subject),
                        "Body": {"Text": _utf8(email.text), "Html": _utf8(email.html)},
                    }
                },
                EmailTags=[{"Name": "bookingId", "Value": booking_id}],
            )
        except ClientError as error:
            failure = _without_addresses(error)
        else:
            return str(answer["MessageId"])
        # Not in the except block: SES's own error, which quotes addresses, would be its context.
        raise failure


def _without_addresses(error: ClientError) -> Exception:
    said = error.response["Error"]
    message = _ADDRESS.sub("<address>", said["Message"])
    if said["Code"] in _THROTTLED:
        return EmailThrottled(f"{said['Code']}: {message}")
    if said["Code"] in _REJECTED:
        return EmailRejected(f"{said['Code']}: {message}")
    return ClientError({"Error": {"Code": said["Code"], "Message": message}}, error.operation_name)


def _utf8(data: str) -> dict[str, str]:
    return {"Data": data, "Charset": "UTF-8"}
