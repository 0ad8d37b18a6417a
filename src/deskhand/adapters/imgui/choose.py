"""Choosing: of a combo box, a list, a tab bar, a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...model import operations as ops
from ...model.errors import ActionUnsupported, OptionNotFound
from ..choices import Choice, no_options, not_found
from . import rows
from .kinds import shown
from .record import hashed, numbered
from .scene import Element, popup_of
from .stage import Steps

if TYPE_CHECKING:
    from .act import Actor

Answer = Mapping[str, object]


def select(actor: Actor, action: ops.Select, element: Element) -> Steps[Answer]:
    read = element.reading
    if element.kind == "combo" and read is not None and read.options is not None:
        return (yield from _by_index(actor, action, element, list(read.options)))
    if element.kind == "list_box" and read is not None and read.options is not None:
        return (yield from _by_index(actor, action, element, list(read.options)))
    if element.kind == "combo":
        yield from open_combo(actor, element, True)
        return (yield from _child(actor, action, actor.element(element.uid), ("selectable",)))
    if element.kind == "table":
        return (yield from _row(actor, action, element))
    if element.kind in ("tab_bar", "list_box", "child", "window", "popup"):
        kinds = ("tab",) if element.kind == "tab_bar" else ("selectable",)
        return (yield from _child(actor, action, element, kinds))
    if element.kind in ("selectable", "tab", "radio"):
        actor.activate(element)
        return {"selected": {"value": element.own_id, "index": None, "text": element.name}}
    raise no_options(str(element))


def open_combo(actor: Actor, element: Element, opened: bool) -> Steps[None]:
    """Open or close a combo box; nothing happens if it is so already."""
    if is_open(actor, element) is opened:
        return
    if not opened:
        actor.close_popup(popup_of(element))
        yield
        return
    actor.activate(element)
    yield
    yield from actor.until(lambda: is_open(actor, element), f"{element} did not open")
    yield


def is_open(actor: Actor, element: Element) -> bool:
    popup = popup_of(element)
    return any(one.popup_id == popup for one in actor.context.open_popup_stack)


def _by_index(actor: Actor, action: ops.Select, element: Element, options: list[str]) -> Steps[Answer]:
    """Of a control that draws its choices itself, so that only their ids are known."""
    at = _index(action, element, [shown(option) for option in options], [shown(option) for option in options])
    if element.kind == "combo":
        yield from open_combo(actor, element, True)
        window = next(
            one for one in actor.context.windows if one.active and one.popup_id == popup_of(element)
        )
    else:
        window = next(
            (one for one in actor.context.windows if one.active and one.child_id == element.item), None
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
    text = shown(options[at])
    return {"selected": {"value": text, "index": at, "text": text}}


def _row(actor: Actor, action: ops.Select, element: Element) -> Steps[Answer]:
    """A row of a table, or one of its cells."""
    text = action.text if action.text is not None else action.value
    found = yield from rows.scroll_to(actor, element, action.index, text)
    at = found.cell or (0, 0)
    column = at[1] if action.column is None else action.column
    cells = [one for one in actor.element(element.uid).children if one.cell == (at[0], column)]
    if not cells:
        raise OptionNotFound(f"no column {column} in {element}", options=[])
    yield from actor.click(*actor.spot(cells[0]), modifiers=("ctrl",) if action.extend else ())
    return {"selected": {"value": cells[0].says(), "index": at[0], "text": cells[0].says()}}


def _child(actor: Actor, action: ops.Select, element: Element, kinds: tuple[str, ...]) -> Steps[Answer]:
    """Of items that the program draws one by one."""
    items = [one for one in _below(element) if one.kind in kinds]
    if not items:
        raise no_options(str(element))
    at = _index(action, element, [one.name or "" for one in items], [one.own_id or "" for one in items])
    chosen = items[at]
    if action.extend:
        yield from actor.click(*actor.spot(chosen), modifiers=("ctrl",))
    else:
        actor.activate(chosen)
    return {"selected": {"value": chosen.own_id or chosen.name, "index": at, "text": chosen.name}}


def _below(element: Element) -> list[Element]:
    found: list[Element] = []
    for child in element.children:
        found.append(child)
        found += _below(child)
    return found


def _index(action: ops.Select, element: Element, texts: list[str], values: list[str]) -> int:
    if action.text is not None and action.text in texts:
        return texts.index(action.text)
    if action.value is not None:
        for known in (values, texts):
            if action.value in known:
                return known.index(action.value)
    if action.index is not None and 0 <= action.index < len(texts):
        return action.index
    choices = [Choice(at, text, values[at] if at < len(values) else None) for at, text in enumerate(texts)]
    raise not_found(action, str(element), choices, len(choices))
