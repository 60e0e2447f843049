"""What is explored, part by part."""

from dataclasses import replace
from typing import Final

from exploration.booking import MESSAGE, OTHER_EMAIL, OTHER_NAME, OTHER_QUANTITY
from exploration.choices import LEASE_ENDS, STANDS_STILL, STOP, THIRTY_DAYS, TICKET_DELETED
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
SEAT: Final = Scenario("seat", TWICE, seats, budget=2, accepted=True)
SEAT_STOPPED: Final = replace(SEAT, name="seat, stopped", events=(STOP,), budget=1)
# Two together take minutes: 660,000 moments.
DELETION: Final = replace(SEAT, name="deletion", events=(STOP, TICKET_DELETED), budget=1)
EMAIL: Final = replace(SEAT, name="email", follow=email, events=(STOP, LEASE_ENDS))
LONG_WAITS: Final = replace(
    EMAIL, name="email, long waits", events=(STOP, LEASE_ENDS, STANDS_STILL, THIRTY_DAYS), budget=1
)
BOOKING: Final = Scenario("whole booking", TWICE, budget=0)
THREE: Final = Scenario(
    "three deliveries",
    (MESSAGE, OTHER_EMAIL, MESSAGE),
    budget=4,
    events=(STOP, LEASE_ENDS, TICKET_DELETED),
)
