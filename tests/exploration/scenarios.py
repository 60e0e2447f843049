"""What is explored, part by part."""

from dataclasses import replace
from typing import Final

from exploration.booking import MESSAGE, OTHER_EMAIL, OTHER_NAME, OTHER_QUANTITY, TWO_SEATS
from exploration.choices import STOP
from exploration.events import (
    CLAIM_DELETED,
    EMAIL_JOB_DELETED,
    IMAGE_DELETED,
    LEASE_ENDS,
    STANDS_STILL,
    THIRTY_DAYS,
    TICKET_DELETED,
)
from exploration.fates import REJECTED
from exploration.world import Scenario


def nothing(_: str) -> bool:
    return False


def seats(branch: str) -> bool:
    return branch.startswith("seat")


def email(branch: str) -> bool:
    return branch == "email"


TWICE: Final = (MESSAGE, MESSAGE)
ACCEPT: Final = Scenario("accept", TWICE, nothing, budget=2, events=(STOP,))
OTHER_MESSAGES: Final = {
    "corrected email": replace(ACCEPT, name="accept, other email", messages=(MESSAGE, OTHER_EMAIL)),
    "other names": replace(ACCEPT, name="accept, other names", messages=(MESSAGE, OTHER_NAME)),
    "conflict": replace(ACCEPT, name="accept, conflict", messages=(MESSAGE, OTHER_QUANTITY)),
}
CLAIM_LOST: Final = replace(ACCEPT, name="accept, claim deleted", events=(STOP, CLAIM_DELETED))
SEAT: Final = Scenario("seat", TWICE, seats, budget=2, accepted=True)
SEAT_STOPPED: Final = replace(SEAT, name="seat, stopped", events=(STOP,), budget=1)
# Two together take minutes: 660,000 moments.
DELETION: Final = replace(SEAT, name="deletion", events=(STOP, TICKET_DELETED), budget=1)
IMAGE_LOST: Final = replace(SEAT, name="image deleted", events=(STOP, IMAGE_DELETED), budget=1)
EMAIL: Final = replace(SEAT, name="email", follow=email, events=(STOP, LEASE_ENDS))
LONG_WAITS: Final = replace(
    EMAIL, name="email, long waits", events=(STOP, LEASE_ENDS, STANDS_STILL, THIRTY_DAYS), budget=1
)
RECORD_LOST: Final = replace(
    EMAIL, name="email, its record deleted", events=(STOP, EMAIL_JOB_DELETED), budget=1
)
# One execution each: what a failure does to the rest of it.
SIBLINGS: Final = Scenario(
    "two seats of one, deletion", (TWO_SEATS,), seats, events=(TICKET_DELETED,), accepted=True
)
SEAT_AND_EMAIL: Final = Scenario(
    "seat and email of one, rejected", (MESSAGE,), budget=2, faults=(REJECTED,), accepted=True
)
TWO_AND_TWO: Final = Scenario("two seats", (TWO_SEATS, TWO_SEATS), seats, budget=0, accepted=True)
BOOKING: Final = Scenario("whole booking", TWICE, budget=0)
THREE: Final = Scenario(
    "three deliveries",
    (MESSAGE, OTHER_EMAIL, MESSAGE),
    budget=4,
    events=(STOP, LEASE_ENDS, TICKET_DELETED),
)
