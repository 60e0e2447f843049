"""Every email as it was requested of SES: moto itself drops the text part when there is HTML."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class SentEmail:
    """One email that SES accepted. ``number`` counts from 1 in the order of acceptance."""

    number: int
    message_id: str
    sender: str
    recipient: str
    subject: str
    text: str
    html: str
    booking_id: str

    @classmethod
    def of_request(cls, number: int, message_id: str, request: Mapping[str, Any]) -> Self:
        """Read a sesv2 SendEmail request with Simple content."""
        content = request["Content"]["Simple"]
        return cls(
            number=number,
            message_id=message_id,
            sender=request["FromEmailAddress"],
            recipient=", ".join(request["Destination"]["ToAddresses"]),
            subject=content["Subject"]["Data"],
            text=content["Body"]["Text"]["Data"],
            html=content["Body"]["Html"]["Data"],
            booking_id=booking_tag(request) or "unknown",
        )

    @property
    def file_name(self) -> str:
        return f"{self.number}-{self.booking_id}.eml"

    def to_bytes(self) -> bytes:
        message = EmailMessage(policy=SMTP)
        message["From"] = self.sender
        message["To"] = self.recipient
        message["Subject"] = self.subject
        message["Message-ID"] = f"<{self.message_id}@local>"
        message.set_content(self.text)
        message.add_alternative(self.html, subtype="html")
        return message.as_bytes()


def booking_tag(request: Mapping[str, Any]) -> str | None:
    """The booking that the sender tagged the email with."""
    tags = {tag["Name"]: tag["Value"] for tag in request.get("EmailTags", [])}
    return tags.get("bookingId")


class Outbox:
    """The emails that the local SES accepted, also as files in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sent: list[SentEmail] = []
        self._lock = threading.Lock()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def add(self, message_id: str, request: Mapping[str, Any]) -> None:
        with self._lock:
            email = SentEmail.of_request(len(self._sent) + 1, message_id, request)
            self._sent.append(email)
        (self._folder / email.file_name).write_bytes(email.to_bytes())

    @property
    def sent(self) -> tuple[SentEmail, ...]:
        with self._lock:
            return tuple(self._sent)
