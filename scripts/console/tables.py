"""A table whose cells are text, whatever they hold: Vue never reads them as HTML."""

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from console.marks import Mark

# A cell shows its text, as a way (href) or a button (pick) where it is one, and a note below.
_CELL = """
<q-td :props="props" :class="props.value.look" :title="props.value.title">
  <a v-if="props.value.href" :href="props.value.href">{{ props.value.text }}</a>
  <button v-else-if="props.value.pick !== undefined" type="button" class="pick"
    :data-pick="props.value.pick" :aria-pressed="String(!!props.value.picked)"
    :aria-label="props.value.label">{{ props.value.text }}</button>
  <span v-else :class="props.value.look && 'chip ' + props.value.look">{{ props.value.text }}</span>
  <span v-if="props.value.note" class="note">{{ props.value.note }}</span>
  <a v-if="props.value.image" :href="props.value.image" target="_blank">
    <img :src="props.value.image" :alt="props.value.label" loading="lazy">
  </a>
</q-td>
"""


# A cell's own events do not reach the table where it draws only what is in sight; clicks bubble.
_PICKED = """(event) => {
  const button = event.target.closest("button.pick");
  if (button) emit(button.dataset.pick);
}"""

Cell = dict[str, Any]
Row = dict[str, Any]  # "id", and a Cell by column


def cell(
    text: object,
    *,
    look: str | None = None,
    note: str | None = None,
    href: str | None = None,
    pick: str | None = None,
    picked: bool = False,
    label: str | None = None,
    image: str | None = None,
    title: str | None = None,
) -> Cell:
    """``look`` is a status's class, ``note`` a sentence below, ``label`` for screen readers.

    ``pick`` makes it a button, and is what ``on_pick`` hears. ``href`` and ``image`` are our paths.
    ``title`` is what a pointer that rests on it sees.
    """
    given = {"look": look, "note": note, "href": href, "pick": pick}
    given |= {"label": label, "image": image, "title": title}
    found = {name: value for name, value in given.items() if value is not None}
    return {"text": str(text), "picked": picked, **found}


def marked(mark: Mark, note: str | None = None) -> Cell:
    return cell(f"{mark.sign} {mark.word}", look=mark.look, note=note)


class LiveTable(ui.table):
    """Rows that are shown anew only when they changed, so that nothing flickers.

    ``tall``: it scrolls in itself, and draws only what is in sight.
    """

    def __init__(
        self,
        columns: Sequence[tuple[str, str]],
        *,
        empty: str,
        tall: bool = False,
        on_pick: Callable[[str], None] | None = None,
    ) -> None:
        heads = [
            {"name": name, "label": label, "field": name, "align": "left"}
            for name, label in columns
        ]
        super().__init__(columns=heads, rows=[], row_key="id")
        self.add_slot("body-cell", _CELL)
        self.add_slot("no-data", '<span class="empty">{{ props.message }}</span>')
        self.props["no-data-label"] = empty
        self.classes("live-table").props(
            "flat wrap-cells hide-pagination :rows-per-page-options=[0]"
        )
        if tall:
            self.classes("tall").props("virtual-scroll")
        if on_pick:
            self.on("click", lambda event: on_pick(str(event.args)), js_handler=_PICKED)

    def show(self, rows: list[Row]) -> None:
        if rows != self.rows:
            self.rows = rows
