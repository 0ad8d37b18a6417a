"""Choosing: of a combo box, a list, a tab bar, a table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...model import operations as ops
from ...model.errors import ActionUnsupported
from ...model.record import dataclass
from ..choices import Choice, named
from ..performer import Answer, Offer, Options, Steps, no_column, one_only
from . import rows
from .kinds import shown
from .record import hashed, numbered
from .scene import DrawnElement, popup_of

if TYPE_CHECKING:
    from .act import Actor

_AROUND = ("tab_bar", "list_box", "child", "window", "popup", "combo")


def offer(actor: Actor, element: DrawnElement) -> Steps[Offer | None]:
    """What an element offers; a combo box that draws its choices one by one is opened for that."""
    read = element.reading
    if element.kind in ("combo", "list_box") and read is not None and read.options is not None:
        options = read.options
        return Options(
            str(element),
            named([shown(option) for option in options]),
            partial(_by_id, actor, element, options),
        )
    if element.kind == "table":
        return _Rows(actor, element)
    if element.kind in ("selectable", "tab", "radio"):
        return _Itself(actor, element)
    if element.kind not in _AROUND:
        return None
    if element.kind == "combo":
        yield from open_combo(actor, element, True)
        element = actor.element(element.uid)
    kind = "tab" if element.kind == "tab_bar" else "selectable"
    items = [item for item in _below(element) if item.kind == kind]
    if not items:
        return None
    choices = [Choice(at, item.name or "", item.own_id or None) for at, item in enumerate(items)]
    return Options(str(element), choices, partial(_drawn, actor, items))


def open_combo(actor: Actor, element: DrawnElement, opened: bool) -> Steps[None]:
    """Open or close a combo box; nothing happens if it is so already."""
    if is_open(actor, element) is opened:
        return
    if not opened:
        actor.close_popup(popup_of(element))
        yield
        return
    actor.activate(element)
    yield
    yield from actor.opened(lambda: is_open(actor, element), f"{element} did not open")
    yield


def is_open(actor: Actor, element: DrawnElement) -> bool:
    popup = popup_of(element)
    return any(opened.popup_id == popup for opened in actor.context.open_popup_stack)


def _by_id(
    actor: Actor, element: DrawnElement, options: tuple[str, ...], choice: Choice, extend: bool
) -> Steps[Answer | None]:
    """Of a control that draws its choices itself, so that only their ids are known."""
    if extend:
        raise one_only(str(element))
    at = choice.index
    if element.kind == "combo":
        yield from open_combo(actor, element, True)
        window = next(
            each for each in actor.context.windows if each.active and each.popup_id == popup_of(element)
        )
    else:
        window = next(
            (each for each in actor.context.windows if each.active and each.child_id == element.item), None
        )
    if window is None:
        raise ActionUnsupported(f"the choices of {element} are not drawn now")
    internal = actor.imgui.internal
    if window.scroll_max.y > 0:
        # Only those are drawn that can be seen.
        height = (window.content_size.y + actor.context.style.item_spacing.y) / max(len(options), 1)
        internal.set_scroll_y(window, max(0.0, height * at - window.inner_rect.get_height() / 2))
        yield
        yield
    internal.activate_item_by_id(hashed(options[at], numbered(at, window.id_)))
    yield
    return None


@dataclass(frozen=True)
class _Rows:
    """The rows of a table, or their cells."""

    actor: Actor
    table: DrawnElement

    def pick(self, action: ops.Select) -> Steps[Choice]:
        text = action.text if action.text is not None else action.value
        found = yield from rows.scroll_to(self.actor, self.table, action.index, text)
        row, column = found.cell or (0, 0)
        column = column if action.column is None else action.column
        cells = [
            child
            for child in self.actor.element(self.table.uid).children
            if child.cell and child.cell[0] == row
        ]
        cell = next((each for each in cells if each.cell == (row, column)), None)
        if cell is None:
            raise no_column(str(self.table), column, len({each.cell for each in cells}))
        return Choice(row, cell.says() or "", cell.uid)

    def choose(self, choice: Choice, extend: bool) -> Steps[Answer | None]:
        cell = self.actor.element(choice.value or "")
        yield from self.actor.click_on(cell, modifiers=("ctrl",) if extend else ())
        return {"selected": {"value": choice.text, "index": choice.index, "text": choice.text}}


@dataclass(frozen=True)
class _Itself:
    """An item that is one of the choices."""

    actor: Actor
    element: DrawnElement

    def pick(self, action: ops.Select) -> Choice:
        return Choice(0, self.element.name or "", self.element.own_id)

    def choose(self, choice: Choice, extend: bool) -> Answer:
        self.actor.activate(self.element)
        return {"selected": {"value": choice.value, "index": None, "text": self.element.name}}


def _drawn(actor: Actor, items: list[DrawnElement], choice: Choice, extend: bool) -> Steps[Answer | None]:
    """Of items that the program draws one by one."""
    chosen = items[choice.index]
    if extend:
        yield from actor.click_on(chosen, modifiers=("ctrl",))
    else:
        actor.activate(chosen)
    return None


def _below(element: DrawnElement) -> list[DrawnElement]:
    found: list[DrawnElement] = []
    for child in element.children:
        found.append(child)
        found += _below(child)
    return found
