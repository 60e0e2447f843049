"""Schedules that broke a guarantee once, and must not again."""

from dataclasses import replace

import pytest

from exploration.ends import at_end
from exploration.explore import read
from exploration.moves import Rules
from exploration.scenarios import DELETION, EMAIL
from exploration.system import System

FOUND = {
    "G2: an image held up while its record was made anew took the place of the new one's": (
        DELETION,
        """
  1. A seat 1     | Creating PutItem bk-00001                     | done
  2. A seat 1     | Written GetItem bk-00001                      | done
  3. somebody     |                                               | deletes the ticket's record
  4. B seat 1     | Creating PutItem bk-00001                     | done
  5. B seat 1     | Written GetItem bk-00001                      | done
  6. B seat 1     | Written PutObject tickets/bk/bk-00001.png     | done
  7. A seat 1     | Written PutObject tickets/bk/bk-00001.png     | done
  8. B seat 1     | Ready UpdateItem bk-00001                     | done
""",
    ),
    "G7: a reservation older than the image that stood could never be written": (
        DELETION,
        """
  1. A            |                                               | StopExecution
  2. A            |                                               | redrive
  3. A seat 1     | Creating PutItem bk-00001                     | done
  4. A seat 1     | Written GetItem bk-00001                      | done
  5. A seat 1     | Written PutObject tickets/bk/bk-00001.png     | done
  6. A seat 1     | Ready UpdateItem bk-00001                     | done
  7. B seat 1     | Creating PutItem bk-00001                     | done
  8. somebody     |                                               | deletes the ticket's record
  9. A zombie 0   | Creating PutItem bk-00001                     | done
""",
    ),
    "G5: a redrive took over the lease of what was stopped, and sent beside it": (
        EMAIL,
        """
  1. A email      | SendEmail GetItem booking.confirmed:bk        | done
  2. A email      | SendEmail PutItem booking.confirmed:bk        | done
  3. A            |                                               | StopExecution
  4. A            |                                               | redrive
  5. A email      | SendEmail GetItem booking.confirmed:bk        | done
  6. A zombie 0   | SendEmail SendEmail kim@example.org           | done
""",
    ),
}


@pytest.mark.parametrize("found", FOUND)
def test_a_schedule_that_broke_a_guarantee_breaks_none_any_more(found):
    scenario, lines = FOUND[found]
    system = System()
    with system.switched_on():
        rules = Rules(replace(scenario, budget=2), system)
        world = rules.begin()
        for choice in read(lines):
            assert choice in rules.choices.at(world)
            world = rules.take(world, choice)
        while choices := rules.choices.at(world):
            world = rules.take(world, choices[0])
        at_end(rules, world)
