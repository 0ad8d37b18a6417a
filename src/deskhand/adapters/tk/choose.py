"""What can be chosen from, and choosing it with what the program is notified by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...model.errors import NotEnabled
from ...model.operations import Select
from ...model.record import dataclass
from ..choices import Choice, named, not_found
from ..performer import Answer, Offer, Options, no_column, one_only
from . import parts
from .kinds import text_of
from .roots import Handle

if TYPE_CHECKING:
    from .act import Performer

_SINGLE = ("browse", "single")
_LISTED = 100
"""How many rows an error lists."""


def offer(performer: Performer, handle: Handle, action: Select) -> Offer | None:
    """What a widget offers; None if it offers nothing. On the GUI thread."""
    root, kind = handle.known.root, handle.known.kind
    what = performer.name(handle)
    if handle.part:
        return None
    if kind == "tcombobox":
        values = [text_of(value) for value in root.split(handle.call("cget", "-values"))]
        return Options(what, named(values), performer.posted(lambda at, _: _choose_value(handle, at)))
    if kind in ("menubutton", "tmenubutton"):
        menu = text_of(handle.call("cget", "-menu"))
        rows = [root.split(row) for row in root.split(root.call("::deskhand::labels", menu))]
        choices = [
            Choice(at, text_of(row[1]), enabled=str(row[2]) != "disabled") for at, row in enumerate(rows)
        ]
        numbers = [int(row[0]) for row in rows]
        take = performer.posted(lambda at, _: root.call(menu, "invoke", numbers[at]))
        return Options(what, choices, take) if choices else None
    if kind in ("spinbox", "tspinbox"):
        values = [text_of(value) for value in root.split(handle.call("cget", "-values"))]
        if not values:
            return None
        return Options(what, named(values), performer.posted(lambda at, _: handle.call("set", values[at])))
    if kind == "listbox":
        items = [text_of(item) for item in root.split(handle.call("get", 0, "end"))]
        return Options(
            what, named(items), performer.posted(lambda at, more: choose_item(handle, at, more, what))
        )
    if kind == "tnotebook":
        return _tabs(performer, handle, what)
    if kind == "treeview":
        return Rows(performer, handle, what, action.column)
    return None


def _choose_value(handle: Handle, at: int) -> None:
    # What a click on an item of its list does.
    handle.known.root.call("ttk::combobox::SelectEntry", handle.path, at)


def choose_item(handle: Handle, at: int, extend: bool, what: str) -> None:
    """Select an item of a list, as a click does."""
    if extend and text_of(handle.call("cget", "-selectmode")) in _SINGLE:
        raise one_only(what)
    if text_of(handle.call("cget", "-state")) == "disabled":
        raise NotEnabled(f"{what} is not enabled")
    if not extend:
        handle.call("selection", "clear", 0, "end")
    for words in (("selection", "set"), ("selection", "anchor"), ("activate",), ("see",)):
        handle.call(*words, at)
    handle.known.root.call("event", "generate", handle.path, "<<ListboxSelect>>")


def _tabs(performer: Performer, handle: Handle, what: str) -> Offer:
    pages = [text_of(page) for page in handle.known.root.split(handle.call("tabs"))]
    found: list[Choice] = []
    shown: list[str] = []
    for page in pages:
        state = text_of(handle.call("tab", page, "-state"))
        if state != "hidden":
            text = text_of(handle.call("tab", page, "-text"))
            found.append(Choice(len(found), text, page.rpartition(".")[2], enabled=state != "disabled"))
            shown.append(page)
    return Options(what, found, performer.posted(lambda at, _: handle.call("select", shown[at])))


@dataclass(frozen=True)
class Rows:
    """The rows of a tree view, those in closed rows excluded. `column` is that of the cell to choose."""

    performer: Performer
    handle: Handle
    what: str
    column: int | None

    def pick(self, action: Select) -> Choice:
        return self.performer.call(lambda: self._pick(action))

    def _pick(self, action: Select) -> Choice:
        rows = displayed(self.handle)
        at = action.index
        if at is None:
            text = action.text if action.text is not None else action.value
            at = int(self.handle.known.root.call("::deskhand::find_row", self.handle.path, text))
        if not 0 <= at < len(rows):
            listed = [Choice(number, self._text(item)) for number, item in enumerate(rows[:_LISTED])]
            raise not_found(action, self.what, listed, len(rows))
        columns = self.handle.known.root.split(
            self.handle.known.root.call("::deskhand::columns", self.handle.path)
        )
        if self.column is not None and not 0 <= self.column < len(columns):
            raise no_column(self.what, self.column, len(columns))
        return Choice(at, self._text(rows[at]))

    def _text(self, item: str) -> str:
        call = self.handle.call
        values = self.handle.known.root.split(call("item", item, "-values"))
        return text_of(call("item", item, "-text")) or (text_of(values[0]) if values else "")

    def choose(self, choice: Choice, extend: bool) -> Answer | None:
        item = self.performer.call(lambda: displayed(self.handle)[choice.index])
        if self.column is None:
            self.performer.post(lambda: choose_row(self.handle, item, extend, self.what))
            return None
        # Tk selects rows; which cell was meant, a program knows from where it was clicked.
        return self.performer.click_cell(self.handle, item, self.column, extend)


def displayed(handle: Handle) -> list[str]:
    """The items of the rows that can be scrolled to, in order."""
    root = handle.known.root
    return [text_of(item) for item in root.split(root.call("::deskhand::displayed", handle.path))]


def choose_row(handle: Handle, item: str, extend: bool, what: str) -> None:
    """Select a row, as a click does."""
    mode = text_of(handle.call("cget", "-selectmode"))
    if extend and mode != "extended":
        raise one_only(what)
    handle.call("see", item)
    handle.call("focus", item)
    handle.call("selection", "add" if extend else "set", (item,))


def press_part(handle: Handle, what: str) -> Callable[[], Any] | None:
    """What pressing a tab, an item or a row does; None for what needs the mouse. On the GUI thread."""
    match handle.part:
        case "tab":
            page = parts.page_of(handle)
            return lambda: handle.call("select", page)
        case "item":
            at, _ = parts.item_at(handle)
            return None if at is None else lambda: choose_item(handle, at, False, what)
        case "row" | "cell":
            item, _ = parts.row_of(handle)
            return lambda: choose_row(handle, item, False, what)
    return None
