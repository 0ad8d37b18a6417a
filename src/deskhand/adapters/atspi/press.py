"""Presses, ticks, clicks and focuses single items.

The effect of an item's own action may be missing, or come too late; a click is then what a person would do.
"""

from __future__ import annotations

from collections.abc import Callable

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, NotEnabled, NotVisible, Stale
from ..performer import ALREADY, Answer, cannot_focus
from . import build, menus, scroll
from .hands import BY_ACCESSIBILITY, BY_INPUT, Hands, describe
from .item import Item
from .kinds import role_name
from .vocabulary import COMPONENT, Face, State
from .windows import ON_WAYLAND

PRESS = (
    "click",
    "press",
    "activate",
    "invoke",
    "jump",
    "toggle",
    "check",
    "uncheck",
    "open",
    "select",
    "dodefault",
)
"""The names of the actions that press an item, the best first."""
_CLICKED = frozenset(
    (
        "push button", "toggle button", "check box", "radio button", "menu", "menu item", "check menu item",
        "radio menu item", "link", "page tab", "push button menu",
    )
)  # fmt: skip
"""Roles whose objects do the same when they are clicked on as when they are pressed."""
_COMES_ROUND = 1.0
"""How long a program may be silent before what it says is taken for its last word, in seconds."""


def press(hands: Hands, item: Item) -> Answer:
    """Press an item through accessibility; by a click where that would run handlers inside the call."""
    if item.app.how.nests and hands.reached(item) and (answer := _by_hand(hands, item)) is not None:
        return answer
    # Inside a dialog that an action opened, GTK puts further actions off until it is closed.
    inside = item.app.nested is not None and not item.app.nested and item.app.how.direct
    if inside and item.shown and not hands.reached(item):
        raise _put_off(item)
    if _deaf(item) or (inside and item.shown) or (_in_open_menu(item) and hands.reached(item)):
        return click(hands, ops.Click(), item)
    if _was_disabled(hands, item):
        raise NotEnabled(f"{describe(item)} is not enabled", last_seen={"enabled": False})
    number = hands.action(item, PRESS, first=True) if item.has(Face.ACTION) else None
    if number is None:
        if hands.display is None or item.node is None or item.node.bounds is None:
            raise ActionUnsupported(
                f"{describe(item)} offers no action, and it cannot be clicked",
                suggestions=("target the element around or inside it that does",),
            )
        return click(hands, ops.Click(), item)
    windows = _window_ids(hands, item)
    answered = hands.do(item, number)
    if not answered and item.app.how.direct and item.shown and windows == _window_ids(hands, item):
        if not hands.reached(item):
            raise _put_off(item)
        # Fallback: in a dialog that runs a loop of its own, GTK puts actions off until it is closed.
        try:
            return click(hands, ops.Click(), item)
        except NotVisible as error:
            # Not for the engine to try again: the press was requested already.
            raise ActionFailed(f"pressed {describe(item)}, and {error.message}") from error
    return {"detail": BY_ACCESSIBILITY}


def toggle(hands: Hands, item: Item, changed: Callable[[], bool]) -> Answer:
    """Press something that can be ticked, in the way that has an effect on it."""
    answer = press(hands, item)
    try:
        if answer.get("detail") != BY_ACCESSIBILITY or not hands.reached(item) or hands.wait(changed):
            return answer
    except Stale:
        return answer  # pressing it took it away
    # Fallback: some programs say yes and do nothing; a click is what a person would do.
    return click(hands, ops.Click(), item)


def show_menu(hands: Hands, item: Item) -> Answer:
    """Open the menu that belongs to an item."""
    if item.has(Face.ACTION):
        number = hands.action(item, ("showmenu", "show menu", "menu", "popup"), first=False)
        if number is not None:
            hands.do(item, number)
            return {"detail": BY_ACCESSIBILITY}
    return click(hands, ops.Click(button="right"), item)


def click(hands: Hands, action: ops.Click, item: Item | None) -> Answer:
    """Click on an item, or on a point of the screen. The menus that lead to an entry are opened first."""
    if item is None or action.button != "left" or not menus.is_entry(item):
        return hands.click(action, item)
    if way := menus.way_to(hands, item):
        return menus.choose(hands, item, way)
    if not item.shown or _misplaced(item):
        # Nothing that could be clicked leads there; the program does the same when asked to.
        return press(hands, item)
    return hands.click(action, item)


def focus(hands: Hands, item: Item) -> str:
    """Give an item the focus, and say how."""
    hands.front(item)
    led = _lead_to(hands, item)
    if hands.is_now(item, State.FOCUSED):
        return led or ALREADY
    if item.has(Face.COMPONENT) and item.app.how.showing:
        hands.ask(item, COMPONENT, "GrabFocus", reply="b")
        if hands.becomes(item, State.FOCUSED, True, 0.2):
            return BY_ACCESSIBILITY
    if not item.states & State.FOCUSABLE:
        raise cannot_focus(describe(item))
    # Fallback: GTK 4 never takes the focus when asked to; a click there gives it to text fields.
    if role_name(item) in (
        "text",
        "entry",
        "password text",
        "spin button",
        "terminal",
        "document web",
        "paragraph",
    ):
        click(hands, ops.Click(), item)
        return BY_INPUT
    if not hands.becomes(item, State.FOCUSED, True, 0.3):
        hint = () if item.app.how.showing else ("GTK 4 gives it to what is clicked, and by keys such as tab",)
        raise ActionFailed(f"{describe(item)} did not take the focus", suggestions=hint)
    return BY_ACCESSIBILITY


def insist_on_focus(hands: Hands, item: Item) -> None:
    """ActionFailed if a program gave the focus to something else once its item had it."""
    hands.come_round(item, _COMES_ROUND)
    hands.look(item)
    if not any(one.states & State.FOCUSED for one in item.walk()):
        raise ActionFailed(
            f"{describe(item)} does not have the focus: its program did not give it, or took it away at once",
            suggestions=("see what has the focus now", "click it, if that is what it is for"),
        )


def _lead_to(hands: Hands, item: Item) -> str | None:
    """Give the focus to the view that an item is in, and say how; None if that has it, or there is none."""
    view = build.holder_of(item)
    if view is None or hands.is_now(view, State.FOCUSED):
        return None
    if view.states & State.FOCUSABLE:
        hands.ask(view, COMPONENT, "GrabFocus", reply="b")
        if not hands.becomes(view, State.FOCUSED, True):
            raise ActionFailed(f"{describe(view)} did not take the focus")
        return BY_ACCESSIBILITY
    # Fallback: views of Qt 5 neither take the focus when asked to nor say that they have it.
    elsewhere = build.surely_focused(item.app.items.values())
    if elsewhere is None or not hands.is_now(elsewhere, State.FOCUSED):
        return None
    click(hands, ops.Click(), item)
    return BY_INPUT


def _by_hand(hands: Hands, item: Item) -> Answer | None:
    """Press an item by a click, if that is what presses it and it is on the screen; None if not."""
    if role_name(item) not in _CLICKED:
        return None
    if way := menus.way_to(hands, item):
        return menus.choose(hands, item, way)
    if not item.shown:
        if item.node is None or not item.node.offscreen:
            return None
        try:
            scroll.into_view(hands, item)
        except ActionFailed:
            # Fallback: what cannot be scrolled to is still pressed through accessibility.
            return None
    return hands.click(ops.Click(), item)


def _window_ids(hands: Hands, item: Item) -> set[object]:
    """What tells whether a window was opened or closed."""
    if hands.windows is not None and hands.reached(item):
        return {one.id for one in hands.windows.all()}
    hands.look(item)
    return {window.path for window in item.app.windows}


def _misplaced(item: Item) -> bool:
    """Whether an entry is in an open menu of GTK 4 or Swing, which tell a place for it where it is not."""
    how = item.app.how
    return (not how.showing or how.silent) and item.parent is not None and not _in_bar(item)


def _in_open_menu(item: Item) -> bool:
    """Whether an entry is shown in a menu of Qt, which stays open when the entry does its action."""
    return item.app.how.clips and role_name(item).endswith("menu item") and item.shown and not _in_bar(item)


def _was_disabled(hands: Hands, item: Item) -> bool:
    """Whether an entry cannot be chosen by now. Qt tells no changes of that, and answers that it was."""
    unsaid = item.app.how.tells_entries and role_name(item).endswith("menu item")
    return unsaid and not hands.is_now(item, State.ENABLED | State.SENSITIVE)


def _in_bar(item: Item) -> bool:
    return item.parent is not None and role_name(item.parent) == "menu bar"


def _deaf(item: Item) -> bool:
    """Whether an item's action is known to do nothing: check buttons and drop-downs of GTK 4."""
    return not item.app.how.showing and role_name(item) in (
        "check box",
        "radio button",
        "combo box",
        "toggle button",
    )


def _put_off(item: Item) -> ActionUnsupported:
    return ActionUnsupported(
        f"{describe(item)} is in a dialog that an action opened, and GTK puts further actions off until "
        "that is closed; only real input reaches it, and there is none",
        suggestions=ON_WAYLAND[1:],
    )
