"""Somebody else deletes the seat's record, or its image, at any moment of two deliveries."""

import pytest

from exploration.conftest import broken_by
from exploration.scenarios import DELETION, IMAGE_LOST

pytestmark = pytest.mark.slow


def test_a_record_that_is_deleted_at_any_moment_leaves_no_ticket_with_a_wrong_code(explored):
    """And nothing that keeps a later execution from making the seat anew."""
    seen = explored(DELETION)
    assert broken_by(seen) == ""
    assert seen.schedules > 10**10
    assert len(seen.moments) > 6_000


def test_an_image_that_is_deleted_at_any_moment_is_mended_by_a_reconciliation(explored):
    """Until then its ticket is without it; never is there a wrong one."""
    seen = explored(IMAGE_LOST)
    assert broken_by(seen) == ""
    assert seen.schedules > 6 * 10**6
    assert len(seen.moments) > 4_500
