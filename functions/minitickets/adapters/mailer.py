"""SES, asked once: an SDK retry after a lost reply would send a second email."""

import re
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Mailer:
    ses: Any
    sender: str

    @classmethod
    def connect(cls, sender: str) -> Self:
        return cls(client("sesv2", attempts=1, read_seconds=5), sender)

    def send(self, to: str, booking_id: str, email: Confirmation) -> str:
        """Send one email and return SES's message id.

        Raises EmailThrottled or EmailRejected when SES says that it sent nothing. Any other error
        leaves it open whether SES accepted.
        """
        try:
            answer = self.ses.send_email(
                FromEmailAddress=self.sender,
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
            code = error.response["Error"]["Code"]
            # SES quotes addresses in its messages; "from None" keeps its own out of the traceback.
            reason = f"{code}: {_ADDRESS.sub('<address>', error.response['Error']['Message'])}"
            if code in _THROTTLED:
                raise EmailThrottled(reason) from None
            if code in _REJECTED:
                raise EmailRejected(reason) from None
            raise
        return str(answer["MessageId"])


def _utf8(data: str) -> dict[str, str]:
    return {"Data": data, "Charset": "UTF-8"}
