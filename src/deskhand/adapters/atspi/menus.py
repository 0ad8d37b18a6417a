"""Chooses entries of closed menus as a person does: opens menu after menu, clicks the entry, sees them close.

A menu that was opened for this is closed again if the entry could not be chosen.
"""

from __future__ import annotations

from ...model import operations as ops
from ...model.errors import ActionFailed, NotEnabled, NotVisible, UiBusy
from ..performer import Answer
from . import build
from .hands import BY_INPUT, EFFECT, Hands, describe
from .item import Item
from .kinds import role_name
from .strategy import Facet
from .vocabulary import State

_ENTRIES = frozenset(("menu", "menu item", "check menu item", "radio menu item"))
_BETWEEN = frozenset(("popup menu", "menu", "window", "filler", "panel"))
"""What there may be between the entry of a menu and the entry that opens this menu."""


def is_entry(item: Item) -> bool:
    """Whether an item is an entry of a menu or of a menu bar."""
    return role_name(item) in _ENTRIES


def way_to(hands: Hands, item: Item) -> list[Item]:
    """The entries to click on, one after the other, to see an entry whose menu is closed.

    Empty if there are none that real input reaches: the entry is on the screen already, its toolkit does
    not say where entries are, or nothing on the screen leads to it.
    """
    how = item.app.how
    if not is_entry(item) or item.shown or not hands.reached(item):
        return []
    if not how.showing or how.silent or how.unseen_entries:
        return []
    way: list[Item] = []
    above = item.parent
    while above is not None:
        if is_entry(above):
            way.append(above)
            if above.shown:
                return way[::-1] if _has_size(above.parent) else []
        elif role_name(above) not in _BETWEEN:
            break
        above = above.parent
    return []


def _has_size(bar: Item | None) -> bool:
    """Whether a menu bar takes any room: LibreOffice has another one that no one sees."""
    return bar is None or bar.extents is None or min(bar.extents[2:]) > 0


def choose(hands: Hands, item: Item, way: list[Item]) -> Answer:
    """Open the menus on the way to an entry, and click on it."""
    hands.front(item)
    entries = [*way, item]
    try:
        for number in range(len(way)):
            entries[number + 1] = _open(hands, entries[number], entries[number + 1], opened=number > 0)
        item = entries[-1]
        _insist_on_enabled(hands, item)
        checked = bool(item.states & State.CHECKED)
        _click(hands, item)
        if not _closes(hands, item) and not hands.becomes(item, State.CHECKED, not checked, 0.0):
            raise ActionFailed(f"clicked on {describe(item)}, and its menu stayed open")
    finally:
        _close(hands, entries)
    return {"detail": BY_INPUT}


def _open(hands: Hands, menu: Item, inner: Item, *, opened: bool) -> Item:
    """Click on an entry that opens a menu, and wait until the one wanted in it is on the screen.

    `opened` is whether a menu was opened before.
    """
    _insist_on_enabled(hands, menu)
    caption, number = build.caption(inner), _number(menu, inner)
    before: list[object] = []
    found = inner

    def so() -> bool:
        nonlocal found
        hands.look(menu)
        if found.states & State.DEFUNCT:
            # Some programs fill a menu when it opens.
            found = _in_its_place(menu, caption, number) or found
            return False
        hands.refresh(found, Facet.STATES | Facet.EXTENTS)
        known, before[:] = list(before), [found.extents]
        return found.shown and found.extents is not None and found.extents[2] > 0 and known == before

    if opened:
        _click(hands, menu)
    else:
        hands.click(ops.Click(), menu)
    if not hands.wait(so, 2 * EFFECT):
        raise ActionFailed(
            f"clicked on {describe(menu)}, and no '{caption}' came into view",
            suggestions=("open the menu step by step, and read what is in it",),
        )
    return found


def _in_its_place(menu: Item, caption: str, number: int) -> Item | None:
    """The entry that replaced one that is gone: of the same name, or at its position with more words.

    LibreOffice writes what would be undone behind 'Undo' when the menu opens.
    """
    entries = entries_of(menu)
    same = [one for one in entries if build.caption(one) == caption]
    if same:
        return next((one for one in same if entries.index(one) == number), same[0])
    there = entries[number] if 0 <= number < len(entries) else None
    return there if there is not None and build.caption(there).startswith(caption) else None


def _insist_on_enabled(hands: Hands, item: Item) -> None:
    if not hands.is_now(item, State.ENABLED | State.SENSITIVE):
        raise NotEnabled(f"{describe(item)} is not enabled", last_seen={"enabled": False})


def _click(hands: Hands, item: Item) -> None:
    if _on_screen(hands, item):
        hands.click(ops.Click(), item)
        return
    # A menu that is longer than the screen scrolls; the arrow keys get to every entry of it.
    keyboard = hands.input()
    for _ in range(2 if item.parent is None else len(item.parent.kids) + 1):
        if hands.is_now(item, State.SELECTED | State.FOCUSED):
            keyboard.chord("enter")
            hands.react(item)
            return
        keyboard.chord("down")
        hands.react(item)
    raise ActionFailed(
        f"{describe(item)} is in a menu longer than the screen, and the arrow keys did not reach it"
    )


def _on_screen(hands: Hands, item: Item) -> bool:
    try:
        x, y = hands.bounds(item).center
    except NotVisible:
        return False
    return hands.display is not None and 0 <= x < hands.display.width and 0 <= y < hands.display.height


def _closes(hands: Hands, item: Item) -> bool:
    """Wait until the menu of an entry is closed, or its program is gone."""
    return hands.wait(lambda: not _shows(hands, item))


def _close(hands: Hands, entries: list[Item]) -> None:
    """Close what is still open of the menus that were opened, from the innermost on."""
    for entry in reversed(entries[1:]):
        if _shows(hands, entry):
            hands.input().chord("escape")
            hands.wait(lambda entry=entry: not _shows(hands, entry))  # type: ignore[misc]


def _shows(hands: Hands, item: Item) -> bool:
    """Whether an entry is on the screen now."""
    if item.app.bus not in hands.live.apps or item.states & State.DEFUNCT:
        return False
    try:
        hands.refresh(item, Facet.STATES)
    except UiBusy:
        return False  # the next read says so
    return item.shown


def entries_of(menu: Item) -> list[Item]:
    """The entries of the menu that an entry opens."""
    found: list[Item] = []
    stack = list(reversed(menu.kids))
    while stack:
        kid = stack.pop()
        if is_entry(kid):
            found.append(kid)
        elif role_name(kid) in _BETWEEN:
            stack.extend(reversed(kid.kids))
    return found


def _number(menu: Item, entry: Item) -> int:
    entries = entries_of(menu)
    return entries.index(entry) if entry in entries else -1
