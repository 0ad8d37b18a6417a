"""Menus: opening them on the way to an entry as a person does, and choosing from them."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...model.errors import ActionFailed, NotEnabled
from .handles import Entry
from .hands import Hands
from .input import Step

_DEEPEST = 16


def press(hands: Hands, entry: Entry) -> None:
    """Choose an entry without the mouse: in an open menu by Enter, which also closes it."""
    _insist_on_enabled(hands, entry)
    if menu_of(hands, entry) is not None:
        open_below(hands, entry)
    elif _is_open_menu(hands, entry.menu):
        entry.menu.setActiveAction(entry.action)
        hands.input.play(hands.input.key(entry.menu.windowHandle(), "Return"))
    else:
        hands.call_slot(entry.action, "trigger")


def click(hands: Hands, entry: Entry, button: str, modifiers: tuple[str, ...]) -> None:
    """Click an entry; if its menu is closed, open the menus on the way first."""
    _insist_on_enabled(hands, entry)
    hands.input.play([*_way(hands, entry.menu), lambda: _click(hands, entry, button, modifiers)])


def open_below(hands: Hands, entry: Entry) -> None:
    """Open the menu that an entry leads to."""
    _insist_on_enabled(hands, entry)
    open_menu(hands, menu_of(hands, entry))


def open_menu(hands: Hands, menu: Any) -> None:
    """Open a menu, with those that lead to it."""
    hands.input.play(_way(hands, menu))


def menu_of(hands: Hands, entry: Entry) -> Any:
    """The menu that an entry leads to; None if it leads to none."""
    return hands.bare(entry.action).menu()


def options(hands: Hands, menu: Any) -> list[Any]:
    """The actions of a menu or menu bar that can be seen and are no separators."""
    return [
        action
        for action in hands.bare(menu).actions()
        if hands.bare(action).isVisible() and not hands.bare(action).isSeparator()
    ]


def _click(hands: Hands, entry: Entry, button: str = "left", modifiers: tuple[str, ...] = ()) -> None:
    if entry.menu.inherits("QMenu") and not entry.menu.isVisible():
        raise ActionFailed(
            f"the menu of {hands.call(entry)} did not open", suggestions=("open it by show_menu first",)
        )
    spot = hands.aim.spot(entry)
    if entry.menu.inherits("QMenu"):
        # The mouse entering or leaving as the menu opens would make it forget what was pressed.
        hands.input.settle(spot.window)
    else:
        hands.input.activate(spot.window)
    # A menu ignores the mouse until it has moved a little, lest the click that opened it chooses something.
    nudges = [
        step
        for offset in range(8)
        for step in hands.input.move(spot.window, spot.point - hands.binding.QtCore.QPoint(offset % 2, 0))
    ]
    hands.input.play(nudges + hands.input.click(spot.window, spot.point, button, modifiers))


def _way(hands: Hands, menu: Any) -> list[Step]:
    """The steps that open a menu: none if it is open."""
    steps: list[Step] = []
    for _ in range(_DEEPEST):
        if not menu.inherits("QMenu") or menu.isVisible():
            return steps
        opener = _opener(hands, menu)
        if isinstance(opener, Entry):
            _insist_on_enabled(hands, opener)
            steps.insert(0, partial(_open, hands, opener))
            menu = opener.menu
        elif opener is not None:
            steps.insert(0, partial(hands.call_slot, opener, "showMenu"))
            return steps
        else:
            raise ActionFailed(
                f"nothing on the screen opens {hands.call(menu)}",
                suggestions=("if it is a context menu, open it by show_menu on what it belongs to",),
            )
    raise ActionFailed(f"{hands.call(menu)} is below more than {_DEEPEST} menus")


def _open(hands: Hands, opener: Entry) -> None:
    menu = hands.bare(menu_of(hands, opener))
    if not menu.isVisible():
        _click(hands, opener)
    if not menu.isVisible():
        # Fallback: an entry that found no room in its menu bar cannot be clicked.
        opener.menu.setActiveAction(opener.action)
    hands.input.wait(menu.isVisible, 1.0)


def _opener(hands: Hands, menu: Any) -> Any:
    """What opens a menu: an entry of another one, or a button that has it."""
    for owner in menu.menuAction().associatedObjects():
        if hands.is_a(owner, "QMenuBar", "QMenu") and owner is not menu:
            return Entry(owner, menu.menuAction())
        if hands.is_a(owner, "QPushButton", "QToolButton") and owner.isVisible():
            return owner
    for button in hands.binding.app.allWidgets():
        if hands.is_a(button, "QPushButton", "QToolButton") and _opens(hands, button, menu):
            return button
    return None


def _opens(hands: Hands, button: Any, menu: Any) -> bool:
    button = hands.bare(button)
    return button.isVisible() and button.menu() is menu


def _is_open_menu(hands: Hands, menu: Any) -> bool:
    return hands.is_a(menu, "QMenu") and menu.isVisible() and menu.windowHandle() is not None


def _insist_on_enabled(hands: Hands, entry: Entry) -> None:
    if not entry.action.isEnabled():
        raise NotEnabled(f"{hands.call(entry)} is not enabled", last_seen={"enabled": False})
