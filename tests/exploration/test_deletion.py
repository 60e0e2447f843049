"""Somebody else deletes the seat's record at any moment of two deliveries."""

import pytest

from exploration.conftest import broken_by
from exploration.scenarios import DELETION

pytestmark = pytest.mark.slow


def test_a_record_that_is_deleted_at_any_moment_leaves_no_ticket_with_a_wrong_code(explored):
    """And nothing that keeps a later execution from making the seat anew."""
    seen = explored(DELETION)
    assert broken_by(seen) == ""
    assert seen.schedules > 10**10
    assert len(seen.moments) > 6_000
