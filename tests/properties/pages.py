"""What a person reads in a confirmation: the page's rows, and the lines of the text."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The heading and the table's rows, entities resolved; ``tags`` in the order they open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.heading = ""
        self.rows: dict[str, str] = {}
        self._open = ""
        self._label = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open = tag
        if tag == "th":
            self._label = ""
        if tag == "td":
            self.rows[self._label] = ""

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "h1":
            self.heading += data
        if self._open == "th":
            self._label += data
        if self._open == "td":
            self.rows[self._label] += data


class Letter:
    """The same of the text: the line after the first blank one, and the lines ``Label: value``."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self.heading = lines[2]
        rows = lines[4 : lines.index("", 4)]
        self.rows = {
            label: value.lstrip(" ") for label, _, value in (row.partition(":") for row in rows)
        }
