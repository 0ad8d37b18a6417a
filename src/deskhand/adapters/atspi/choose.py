"""Chooses among what an item offers, and opens and closes tree items, combo boxes and menus."""

from __future__ import annotations

from ...model import operations as ops
from ...model.errors import ActionFailed, NotVisible, OptionNotFound
from ..choices import Choice, named
from ..performer import ALREADY, Answer, Offer, Options, cannot_expand, no_column
from . import build, menus, press, scroll
from .hands import BY_ACCESSIBILITY, BY_INPUT, REACT_SLOW, Hands, describe
from .item import Item
from .kinds import TEXTS, VIEWS, role_name
from .strategy import Facet
from .vocabulary import SELECTION, Face, State

_CHOSEN_BY_PRESS = frozenset(("page tab", "menu item", "radio menu item", "list item"))
_MENUS = frozenset(("menu", "popup menu"))


def expand(hands: Hands, item: Item, expanded: bool) -> Answer:
    """Open an item or close it."""
    if not _opens(item):
        raise cannot_expand(describe(item))
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
    if item.states & State.EXPANDABLE and not hands.becomes(item, State.EXPANDED, expanded):
        wanted = "expand" if expanded else "collapse"
        raise ActionFailed(
            f"tried to {wanted} {describe(item)}, and it does not say that it is so",
            suggestions=("target the first cell of its row", "see whether it has anything inside"),
        )
    return {"detail": BY_INPUT}


def offer(hands: Hands, action: ops.Select, item: Item) -> Offer | None:
    """What an item offers: its options, the rows or cells of a view, or the item itself."""
    if item.role in VIEWS and (item.view is not None or action.column is not None):
        return _Rows(hands, item)
    choices = build.choices(item) or _opened(hands, item)
    if not choices and item.states & State.SELECTABLE:
        return _Itself(hands, item)
    if not choices:
        # A button of GTK 4 has its text as a label inside it.
        choices = [kid for kid in item.kids if build.caption(kid) and kid.role not in TEXTS]
    if not choices and role_name(item) == "combo box":
        raise OptionNotFound(
            f"{describe(item)} does not say which options it has",
            suggestions=("write the text, if it has a field", "open it, and choose with the arrow keys"),
        )
    if not choices and not item.has(Face.SELECTION):
        return None

    def take(choice: Choice, extend: bool) -> Answer:
        return {"detail": _choose(hands, item, choices[choice.index], choice.index, extend)}

    return Options(describe(item), named([build.caption(choice) for choice in choices]), take)


class _Rows:
    """The rows of a view, or the cells of one."""

    def __init__(self, hands: Hands, view: Item) -> None:
        self._hands, self._view, self._cell = hands, view, view

    def pick(self, action: ops.Select) -> Choice:
        hands, view, column = self._hands, self._view, action.column or 0
        row = scroll.row_of(hands, view, action.index, action.value if action.text is None else action.text)
        scroll.to_row(hands, view, row)
        cell = scroll.cell_at(hands, view, row, column)
        if cell is None:
            raise no_column(describe(view), column, 0 if view.view is None else view.view.columns)
        self._cell = cell
        return Choice(row, cell.name)

    def choose(self, choice: Choice, extend: bool) -> Answer:
        return {"detail": _pick(self._hands, self._view, self._cell, choice.index, extend=extend)}


class _Itself:
    """An item that can be selected, and has no options of its own: whatever is named, it is what is meant."""

    def __init__(self, hands: Hands, item: Item) -> None:
        self._hands, self._item = hands, item

    def pick(self, _: ops.Select) -> Choice:
        parent = self._item.parent
        cells = {} if parent is None or parent.view is None else parent.view.cells
        row = next((row for (row, _), cell in cells.items() if cell is self._item), None)
        if row is None:
            row = 0 if parent is None or self._item not in parent.kids else parent.kids.index(self._item)
        return Choice(row, build.caption(self._item))

    def choose(self, choice: Choice, extend: bool) -> Answer:
        parent = self._item.parent
        around = parent if parent is not None and len(parent.kids) == parent.child_count else None
        return {"detail": _pick(self._hands, around, self._item, choice.index, extend=extend)}


def _opens(item: Item) -> bool:
    """Whether an item can be opened; combo boxes and menus seldom say so."""
    if item.states & State.HAS_POPUP or (item.node is not None and item.node.expanded is not None):
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
    _open_combo(hands, item)
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
    if role_name(item) != "combo box":
        return _pick(hands, item, choice, index, extend=extend)
    before = hands.live.changes
    if item.has(Face.SELECTION) and hands.ask(item, SELECTION, "SelectChild", "i", index, reply="b"):
        hands.react(item, before)
        if _shows(hands, item, choice):
            return BY_ACCESSIBILITY
    return _choose_by_keys(hands, item, choice, index)


def _pick(hands: Hands, around: Item | None, choice: Item, index: int, *, extend: bool = False) -> str:
    """Select one of several, as a person does where that is possible, and see that it is selected.

    Through accessibility a toolkit marks what is selected, and does not always let its program know: in Qt
    the current row stays the same, a list of GTK 3 is not activated. So a click comes first.
    """
    if not extend and _is_picked(hands, choice) and _alone(hands, around, choice):
        return ALREADY
    if hands.reached(choice) and _in_sight(hands, choice):
        if menus.is_entry(choice):
            press.click(hands, ops.Click(), choice)
        else:
            hands.let_pass(choice)
            hands.click(ops.Click(modifiers=("ctrl",) if extend else ()), choice)
        if not _says_whether_picked(around, choice):
            return f"{BY_INPUT}; the program does not say whether it is selected"
        if hands.wait(lambda: _is_picked(hands, choice) or _gone(choice)):
            return BY_INPUT if not _gone(choice) else f"{BY_INPUT}; it is no longer shown"
    elif _pick_by_call(hands, around, choice, index, extend) and hands.wait(
        lambda: _is_picked(hands, choice)
    ):
        # Fallback: what no click reaches is selected through accessibility, and the answer says so.
        return BY_ACCESSIBILITY
    raise ActionFailed(
        f"tried to select {describe(choice)}, and it is not selected",
        suggestions=(
            "see whether the program lets it be selected now",
            "press it, if that is what it is for",
        ),
    )


def _in_sight(hands: Hands, choice: Item) -> bool:
    """Whether a choice is on the screen, be it that it is scrolled there."""
    if menus.is_entry(choice):
        return bool(choice.shown or menus.way_to(hands, choice))
    try:
        scroll.into_view(hands, choice)
        hands.bounds(choice)
    except (ActionFailed, NotVisible):
        return False
    return choice.shown


def _is_picked(hands: Hands, choice: Item) -> bool:
    hands.look(choice)
    hands.refresh(choice, Facet.STATES)
    picked = State.SELECTED
    if role_name(choice) == "page tab" and choice.app.how.clips:
        picked |= State.FOCUSED  # which is what Qt says of the current one, and Swing of each
    elif menus.is_entry(choice):
        picked = State.CHECKED  # selected is the entry under the pointer
    return bool(choice.states & picked)


def _gone(choice: Item) -> bool:
    """Whether the program took away what was clicked, as a list does whose items open something else."""
    return bool(choice.states & State.DEFUNCT) or not choice.shown


def _says_whether_picked(around: Item | None, choice: Item) -> bool:
    if menus.is_entry(choice):
        return role_name(choice) in ("check menu item", "radio menu item")
    return bool(choice.states & State.SELECTABLE) or (
        around is not None and any(kid.selected for kid in around.kids)
    )


def _alone(hands: Hands, around: Item | None, choice: Item) -> bool:
    """Whether nothing else is selected with it."""
    if around is None:
        return True
    count = hands.get(around, SELECTION, "NSelectedChildren") if around.has(Face.SELECTION) else None
    if isinstance(count, int) and count >= 0:
        return count <= 1
    hands.look(around)
    return not any(kid.selected for kid in around.kids if kid is not choice)


def _pick_by_call(hands: Hands, around: Item | None, choice: Item, index: int, extend: bool) -> bool:
    before = hands.live.changes
    done = False
    if around is not None and around.has(Face.SELECTION):
        if not extend and role_name(around) != "page tab list":
            hands.ask(around, SELECTION, "ClearSelection", reply="b")
        number = around.kids.index(choice) if choice in around.kids else index
        done = bool(hands.ask(around, SELECTION, "SelectChild", "i", number, reply="b"))
    elif choice.has(Face.ACTION) and role_name(choice) in _CHOSEN_BY_PRESS:
        number_of_press = hands.action(choice, press.PRESS, first=True)
        done = number_of_press is not None and hands.do(choice, number_of_press)
    hands.react(choice, before)
    return done


def _open_combo(hands: Hands, item: Item) -> None:
    """Click on a combo box; on its arrow, where the rest is a field to write in."""
    if build.field_in(item) is None:
        hands.click(ops.Click(), item)
        return
    bounds = hands.bounds(item)
    arrow = min(bounds.height, bounds.width) / 2
    hands.click(ops.Click(x=bounds.width - arrow, y=bounds.height / 2), item)


def _choose_by_keys(hands: Hands, item: Item, choice: Item, index: int) -> str:
    """Open a combo box as a person does, and go to an entry with the arrow keys, from the first on."""
    keyboard = hands.input()
    _open_combo(hands, item)
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
