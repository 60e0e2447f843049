"""Files that grow are written soon after a change, and not all the time."""

import pytest

from local_stack.pace import Pace


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class Writer:
    """Asks the pace every fifth of a second, as what writes does; each writing takes ``takes``."""

    def __init__(self, takes=0.0):
        self.clock = Clock()
        self.pace = Pace(self.clock)
        self.takes = takes
        self.at = []

    def write(self):
        self.at.append(self.clock.now - 1000)
        self.clock.now += self.takes

    def run_until(self, seconds, changing=False):
        while self.clock.now < 1000 + seconds:
            if changing:
                self.pace.note_change()
            if self.pace.is_due():
                self.pace.write(self.write)
            self.clock.now += 0.2


def test_nothing_is_written_while_nothing_changes():
    writer = Writer()
    writer.run_until(100)
    assert writer.at == []


def test_one_change_is_written_once_within_moments():
    writer = Writer()
    writer.pace.note_change()
    writer.run_until(100)
    assert writer.at == [pytest.approx(2, abs=0.3)]


def test_a_change_in_the_midst_of_a_writing_is_written_by_the_next():
    writer = Writer()
    writer.pace.write(writer.pace.note_change)
    writer.run_until(10)
    assert len(writer.at) == 1


def test_changes_without_end_are_written_every_two_seconds_and_not_put_off_for_ever():
    writer = Writer()
    writer.run_until(100, changing=True)
    assert 40 <= len(writer.at) <= 50


@pytest.mark.parametrize("takes", [1, 5])
def test_writing_takes_a_tenth_of_the_time_however_long_it_takes(takes):
    writer = Writer(takes)
    writer.run_until(600, changing=True)
    assert len(writer.at) >= 2
    assert sum(takes for _ in writer.at) <= 60 + takes
