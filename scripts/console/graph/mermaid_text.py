"""The few pieces of Mermaid's flowchart language that the graph is written in.

https://mermaid.js.org/syntax/flowchart.html
"""

import re
import textwrap

HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_JOINER = "\u200d"  # holds an emoji together
_LAST_OF_LATIN_1 = 0xFF
_PRIVATE = 0xE000
_PLAIN = re.compile(r"[A-Za-z0-9 ]")

# The opening and closing of a node's shape, and how many characters fit in one of its lines.
_SHAPES = {
    "Task": ("[", "]", 26),
    "Pass": ("(", ")", 26),
    "Wait": ("([", "])", 26),
    "Choice": ("{", "}", 16),
    "Succeed": ("([", "])", 26),
    "Fail": ("([", "])", 26),
    "Map": ("[[", "]]", 26),
    "Parallel": ("[[", "]]", 26),
}
_MOST_LINES = 3
_MOST_READ = 200
# As wide as the live words that take its place, so that they do not move the layout.
_ROOM = {"Choice": "n" * 9}
_ROOM_ELSEWHERE = "n" * 17


def state(node: str, name: str, kind: str) -> str:
    """A state: its name in up to three lines and one more line, a placeholder for live words."""
    opening, closing, width = _SHAPES[kind]
    lines = [escape(line) for line in _lines(name, width)]
    label = "<br/>".join([*lines, _ROOM.get(kind, _ROOM_ELSEWHERE)])
    return f'{node}{opening}"{label}"{closing}'


def mark(node: str, shape: str) -> str:
    """A small sign without a name: `sm-circ` a disc, `fr-circ` a ring."""
    return f'{node}@{{ shape: {shape}, label: "" }}'


def arrow(source: str, target: str, label: str = "", dotted: bool = False) -> str:
    """An edge from node to node."""
    line = "-.->" if dotted else "-->"
    return f"{source} {line}{_edge_label(label)} {target}"


def below(source: str, target: str) -> str:
    """No edge, but the target stands below the source."""
    return f"{source} ~~~ {target}"


def frame(frame_id: str, title: str) -> str:
    """The first line of a frame, which `end` closes."""
    return f'subgraph {frame_id}["{escape(title)}"]'


def _edge_label(label: str) -> str:
    return f'|"{escape(label)}"|' if label else ""


def escape(text: str) -> str:
    """Text in which Mermaid can find no syntax, markup or entity.

    Its own escapes are shown as they are written in some labels, so each sign of Latin-1 that is no
    letter, digit or space stands as a private character, which execution_graph.js turns back.
    """
    # Mermaid takes "direction LR" for a statement wherever it stands in a line, even in quotes.
    return re.sub(
        r"(?i)(direction) ", rf"\1{chr(_PRIVATE + ord(' '))}", "".join(map(_hidden, text))
    )


def _hidden(character: str) -> str:
    if not character.isprintable() and character != _JOINER:
        return "\ufffd"  # control and direction characters would reorder or hide what follows
    if ord(character) > _LAST_OF_LATIN_1 or _PLAIN.fullmatch(character):
        return character
    return chr(_PRIVATE + ord(character))


def _lines(name: str, width: int) -> list[str]:
    """A name in lines; what does not fit is marked by an ellipsis."""
    words = textwrap.TextWrapper(width=width, max_lines=_MOST_LINES, placeholder="…")
    return words.wrap(name[:_MOST_READ]) or ["(blank)"]
