"""Where the pages are."""

from urllib.parse import quote

from operations.following import Row


def page_of(row: Row) -> str:
    """The path of the execution's page."""
    return f"/execution/{quote(row.name, safe='')}"
