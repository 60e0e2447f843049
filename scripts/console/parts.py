"""Small parts that several pages are made of."""

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

_STYLE = '<link rel="stylesheet" href="/static/forms.css">'


def style() -> None:
    """Call it on a page that has these parts."""
    ui.add_head_html(_STYLE)


class Words(TextElement):
    """An element of that HTML tag whose content is text, whatever it holds."""

    def __init__(self, tag: str, text: str = "") -> None:
        super().__init__(tag=tag, text=text)


def heading(text: str, level: int = 1) -> Words:
    return Words(f"h{level}", text).classes("title" if level == 1 else "subtitle")


def button(text: str, *, main: bool = False) -> ui.button:
    """``main``: the one thing that the page is for."""
    return ui.button(text).props("no-caps unelevated" if main else "no-caps outline")


def press(choice: ui.button, pressed: bool) -> None:
    """Show whether a button of several is the chosen one."""
    choice.props["aria-pressed"] = str(pressed).lower()
    choice.props["outline"], choice.props["unelevated"] = not pressed, pressed


def focus(element: ui.element) -> None:
    """Give it the keyboard's focus, which was lost with what was pressed."""
    ui.run_javascript(f"getHtmlElement({element.id})?.focus()")
