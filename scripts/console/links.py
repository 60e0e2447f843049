"""Where the pages are."""

from urllib.parse import quote

from operations.following import Row


def page_of(row: Row) -> str:
    """The path of the execution's page."""
    return path_of(row.name)


def path_of(name: str) -> str:
    """The path of the page of the execution of that name."""
    return f"/execution/{quote(name, safe='')}"
