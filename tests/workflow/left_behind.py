"""What is durable of a booking of one seat, and the words of the README's recovery table for it."""

from dataclasses import dataclass
from typing import Any

from workflow.harness import Fulfilment
from workflow.tools import object_keys

CLAIM = "booking.accepted:{id}"
EMAIL = "booking.confirmed:{id}"
RECORD = "{id}-00001"
IMAGE = "tickets/{id}/{id}-00001.png"

READY = {"claim": True, "ticket": "ready", "image": True}
LEASED = {"claim": True, "email": "sending", "emails": 0}
RECORDED = {"claim": True, "email": "done", "emails": 1}


@dataclass(frozen=True)
class Left:
    """What is durable of a booking of one seat."""

    claim: dict[str, Any] | None
    ticket: dict[str, Any] | None
    image: bytes | None
    job: dict[str, Any] | None
    emails: list[str]

    @classmethod
    def by(cls, fulfilment: Fulfilment, id_: str) -> "Left":
        return cls(
            claim=fulfilment.job(CLAIM.format(id=id_)),
            ticket=fulfilment.tickets(id_).get(1),
            image=image(fulfilment, id_),
            job=fulfilment.job(EMAIL.format(id=id_)),
            emails=[email.message_id for email in fulfilment.emails(id_)],
        )

    @property
    def told(self) -> dict[str, Any]:
        """In the words of the table."""
        return {
            "claim": self.claim is not None,
            "ticket": self.ticket and self.ticket["status"],
            "image": self.image is not None,
            "email": self.job and self.job["status"],
            "emails": len(self.emails),
        }


def image(fulfilment: Fulfilment, id_: str) -> bytes | None:
    key = IMAGE.format(id=id_)
    return fulfilment.image(key) if key in object_keys(fulfilment, id_) else None
