"""Chooses among what an item offers, and opens and closes tree items, combo boxes and menus."""

from __future__ import annotations

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported
from ..choices import named, not_found
from . import build, press, scroll
from .hands import ALREADY, BY_ACCESSIBILITY, BY_INPUT, REACT_SLOW, Answer, Hands, describe
from .item import Item
from .kinds import VIEWS, role_name
from .strategy import Facet
from .vocabulary import SELECTION, Face, State

_CHOSEN_BY_PRESS = frozenset(("page tab", "menu item", "radio menu item", "list item"))
_MENUS = frozenset(("menu", "popup menu"))


def expand(hands: Hands, item: Item, expanded: bool) -> Answer:
    """Open an item or close it, if it is not so already."""
    if not _opens(item):
        raise ActionUnsupported(
            f"{describe(item)} does not say that it can be expanded or collapsed",
            suggestions=("target a tree item, a combo box or a menu", "press it, if that opens it"),
        )
    if item.states & State.EXPANDABLE and bool(item.states & State.EXPANDED) == expanded:
        return {"detail": ALREADY}
    if item.has(Face.ACTION):
        number = hands.action(
            item, ("expand or contract", "expand", "collapse", "toggle", *press.PRESS), first=False
        )
        if number is not None:
            hands.do(item, number)
            if not item.states & State.EXPANDABLE or hands.becomes(item, State.EXPANDED, expanded):
                return {"detail": BY_ACCESSIBILITY}
    if item.app.how.clips:
        # A Qt cell has an action, but that selects it.
        press.click(hands, ops.Click(), item)
    else:
        press.focus(hands, item)
    hands.input(item).chord("right" if expanded else "left")
    hands.react(item)
    return {"detail": BY_INPUT}


def select(hands: Hands, action: ops.Select, item: Item) -> Answer:
    """Choose an option of an item, a row or a cell of a view, or the item itself."""
    if item.role in VIEWS and (item.view is not None or action.column is not None):
        wanted = action.text if action.text is not None else action.value
        row = scroll.row_of(hands, item, action.index, wanted)
        scroll.to_row(hands, item, row)
        cell = scroll.cell_at(hands, item, row, action.column or 0)
        if cell is None:
            raise ActionFailed(f"{describe(item)} has nothing in row {row}, column {action.column}")
        press.click(hands, ops.Click(modifiers=("ctrl",) if action.extend else ()), cell)
        return {"detail": BY_INPUT, "selected": {"index": row, "text": cell.name, "value": cell.name}}
    choices = build.choices(item) or _opened(hands, item)
    if not choices:
        if item.states & State.SELECTABLE:
            return _select_item(hands, item)
        choices = [kid for kid in item.kids if build.caption(kid)]
    if not choices and not item.has(Face.SELECTION) and role_name(item) != "combo box":
        raise ActionUnsupported(
            f"{describe(item)} has no options to choose from",
            suggestions=("target a combo box, list, table, tree or tab bar",),
        )
    names = [build.caption(choice) for choice in choices]
    index = action.index
    wanted = action.text if action.text is not None else action.value
    if wanted is not None:
        index = names.index(wanted) if wanted in names else None
    if index is None or not 0 <= index < len(choices):
        raise not_found(action, describe(item), named(names), len(names))
    detail = _choose(hands, item, choices[index], index, action.extend)
    return {"detail": detail, "selected": {"index": index, "text": names[index], "value": names[index]}}


def _opens(item: Item) -> bool:
    """Whether an item can be opened; combo boxes and menus seldom say so."""
    if item.states & (State.EXPANDABLE | State.HAS_POPUP):
        return True
    around = "" if item.parent is None else role_name(item.parent)
    return (
        role_name(item) in ("combo box", *_MENUS)
        or around == "menu bar"
        or any(role_name(kid) in _MENUS for kid in item.kids)
    )


def _opened(hands: Hands, item: Item) -> list[Item]:
    """The choices of a combo box that has them only while it is open, as those of GTK 4."""
    if role_name(item) != "combo box" or item.app.how.showing:
        return []
    press.click(hands, ops.Click(), item)
    found: list[Item] = []

    def so() -> bool:
        hands.look(item)
        found[:] = [choice for choice in build.choices(item) if build.caption(choice)]
        return bool(found)

    hands.wait(so)
    hands.input().chord("escape")
    hands.react(item, None, REACT_SLOW)
    return found


def _choose(hands: Hands, item: Item, choice: Item, index: int, extend: bool) -> str:
    before = hands.live.changes
    # Qt marks what is selected this way, but does not make it the current one as a person does.
    if item.has(Face.SELECTION) and not (item.app.toolkit.lower() == "qt" and choice.shown):
        if not extend and role_name(item) not in ("combo box", "page tab list"):
            hands.ask(item, SELECTION, "ClearSelection", reply="b")
        number = index if role_name(item) == "combo box" else _place(item, choice, index)
        if hands.ask(item, SELECTION, "SelectChild", "i", number, reply="b"):
            hands.react(item, before)
            if role_name(item) != "combo box" or _shows(hands, item, choice):
                return BY_ACCESSIBILITY
    if role_name(item) == "combo box":
        return _choose_by_keys(hands, item, choice, index)
    return str(_select_item(hands, choice)["detail"])


def _choose_by_keys(hands: Hands, item: Item, choice: Item, index: int) -> str:
    """Open a combo box as a person does, and go to an entry with the arrow keys, from the first on."""
    keyboard = hands.input()
    press.click(hands, ops.Click(), item)
    keyboard.chord("home")
    for _ in range(index):
        keyboard.chord("down")
    keyboard.chord("enter")
    hands.react(item, None, REACT_SLOW)
    if not _shows(hands, item, choice):
        keyboard.chord("escape")
        raise ActionFailed(f"{describe(item)} did not take the choice '{choice.name}'")
    return BY_INPUT


def _shows(hands: Hands, item: Item, choice: Item) -> bool:
    """Wait until a combo box shows a choice as the one made."""
    wanted = build.caption(choice)

    def so() -> bool:
        if item.app.how.showing:
            hands.refresh(item, Facet.NAME | Facet.TEXT)
            hands.refresh(choice, Facet.STATES)
        else:
            hands.look(item)
        return wanted in (build.shown_in(item), item.text) or bool(choice.states & State.SELECTED)

    return hands.wait(so)


def _select_item(hands: Hands, item: Item) -> Answer:
    parent = item.parent
    real = item.app.toolkit.lower() == "qt" and item.shown and hands.display is not None
    if parent is not None and parent.has(Face.SELECTION) and role_name(item) != "page tab" and not real:
        index = parent.kids.index(item) if item in parent.kids else -1
        if index >= 0 and len(parent.kids) == parent.child_count:
            hands.ask(parent, SELECTION, "SelectChild", "i", index, reply="b")
            if hands.becomes(item, State.SELECTED, True, 0.2):
                return {"detail": BY_ACCESSIBILITY}
    if not real and item.has(Face.ACTION) and role_name(item) in _CHOSEN_BY_PRESS:
        number = hands.action(item, press.PRESS, first=True)
        if number is not None:
            hands.do(item, number)
            if hands.becomes(item, State.SELECTED, True, 0.2) or role_name(item).endswith("menu item"):
                return {"detail": BY_ACCESSIBILITY}
    return press.click(hands, ops.Click(), item)


def _place(item: Item, choice: Item, index: int) -> int:
    return item.kids.index(choice) if choice in item.kids else index
