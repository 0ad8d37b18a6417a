"""Menus: opening them on the way to an entry as a person does, and choosing from them.

Many programs fill a menu as it opens. Until then it has no entries, or those of the last time, of which each
is found again by its text.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...model.errors import ActionFailed, NotEnabled, Stale
from .controls import plain
from .handles import MenuEntry
from .hands import Hands
from .input import Step

_DEEPEST = 16


def press(hands: Hands, entry: MenuEntry) -> None:
    """Choose an entry without the mouse: in an open menu by Enter, which also closes it."""
    _insist_on_enabled(hands, entry)
    if menu_of(hands, entry) is not None:
        open_below(hands, entry)
    elif _is_open_menu(hands, entry.menu):
        entry.menu.setActiveAction(entry.action)
        hands.input.play(hands.input.key(entry.menu.windowHandle(), "Return"))
    else:
        hands.call_slot(entry.action, "trigger")


def click(hands: Hands, entry: MenuEntry, button: str, modifiers: tuple[str, ...]) -> None:
    """Click an entry; if its menu is closed, open the menus on the way first."""
    _insist_on_enabled(hands, entry)
    way = _Way(hands, entry.menu)
    again = way.again(entry)
    hands.input.play([*way.steps, lambda: way.end(lambda: _click(hands, again(), button, modifiers))])


def open_below(hands: Hands, entry: MenuEntry) -> None:
    """Open the menu that an entry leads to."""
    _insist_on_enabled(hands, entry)
    open_menu(hands, menu_of(hands, entry))


def open_menu(hands: Hands, menu: Any) -> None:
    """Open a menu, with those that lead to it."""
    hands.input.play(_Way(hands, menu).steps)


def open_and(hands: Hands, menu: Any, choose: Callable[[Any], None]) -> None:
    """Open a menu and choose from it as it is then; if that fails, close it."""
    way = _Way(hands, menu)
    hands.input.play([*way.steps, lambda: way.end(lambda: choose(way.menu))])


def menu_of(hands: Hands, entry: MenuEntry) -> Any:
    """The menu that an entry leads to; None if it leads to none."""
    return hands.bare(entry.action).menu()


def options(hands: Hands, menu: Any) -> list[Any]:
    """The actions of a menu or menu bar that can be seen and are not separators."""
    return [
        action
        for action in hands.bare(menu).actions()
        if hands.bare(action).isVisible() and not hands.bare(action).isSeparator()
    ]


def _click(hands: Hands, entry: MenuEntry, button: str = "left", modifiers: tuple[str, ...] = ()) -> None:
    if entry.menu.inherits("QMenu") and not entry.menu.isVisible():
        raise ActionFailed(
            f"the menu of {hands.call(entry)} did not open", suggestions=("open it by show_menu first",)
        )
    # Its program may have disabled it as the menu opened.
    _insist_on_enabled(hands, entry)
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


class _Way:
    """The steps that open a menu: none if it is open."""

    def __init__(self, hands: Hands, menu: Any) -> None:
        self._hands = hands
        self._opened: list[Any] = []
        self.steps: list[Step] = []
        self.menu = menu
        """The menu that was opened last; before that the one that the way begins in."""
        while self.menu.inherits("QMenu") and not self.menu.isVisible():
            opener = _opener(hands, self.menu)
            if len(self.steps) == _DEEPEST:
                raise ActionFailed(f"{hands.call(menu)} is below more than {_DEEPEST} menus")
            if isinstance(opener, MenuEntry):
                _insist_on_enabled(hands, opener)
                self.steps.insert(0, partial(self._open, self.again(opener)))
                self.menu = opener.menu
            elif opener is not None:
                self.steps.insert(0, partial(self._push, opener, self.menu))
                break
            else:
                raise ActionFailed(
                    f"nothing on the screen opens {hands.call(self.menu)}",
                    suggestions=("if it is a context menu, open it by show_menu on what it belongs to",),
                )

    def again(self, entry: MenuEntry) -> Callable[[], MenuEntry]:
        """What finds an entry once its menu is open, be it that this was filled anew."""
        name, text = self._hands.call(entry), _text(self._hands, entry.action)

        def find() -> MenuEntry:
            every = options(self._hands, self.menu)
            if entry.menu is self.menu and any(action is entry.action for action in every):
                return entry
            same = [action for action in every if _text(self._hands, action) == text]
            if len(same) == 1:
                return MenuEntry(self.menu, same[0])
            raise Stale(f"{name} is gone: its menu was filled anew as it opened", target=text)

        return find

    def end(self, step: Step) -> None:
        """Do the last step; if that fails, nothing is left open."""
        try:
            step()
        except BaseException:
            for menu in reversed(self._opened):
                if self._hands.binding.is_valid(menu):
                    self._hands.bare(menu).close()
            raise

    def _open(self, find: Callable[[], MenuEntry]) -> None:
        opener = find()
        below = menu_of(self._hands, opener)
        menu = self._hands.bare(below)
        if not menu.isVisible():
            _click(self._hands, opener)
        if not menu.isVisible():
            # Fallback: an entry that found no room in its menu bar cannot be clicked.
            opener.menu.setActiveAction(opener.action)
        self._hands.input.wait(menu.isVisible, 1.0)
        self.menu = below
        self._opened.append(below)

    def _push(self, button: Any, menu: Any) -> None:
        self.menu = menu
        self._opened.append(menu)
        self._hands.call_slot(button, "showMenu")


def _opener(hands: Hands, menu: Any) -> Any:
    """What opens a menu: an entry of another one, or a button that has it."""
    for owner in hands.binding.shown_in(menu.menuAction()):
        if hands.is_a(owner, "QMenuBar", "QMenu") and owner is not menu:
            return MenuEntry(owner, menu.menuAction())
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


def _text(hands: Hands, action: Any) -> str:
    return plain(hands.bare(action).text().partition("\t")[0])


def _insist_on_enabled(hands: Hands, entry: MenuEntry) -> None:
    if not entry.action.isEnabled():
        raise NotEnabled(f"{hands.call(entry)} is not enabled", last_seen={"enabled": False})
