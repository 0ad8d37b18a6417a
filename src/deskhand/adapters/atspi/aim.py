"""Which point of an item to hit, and what is in the way of it.

The visible part of an item is what everything around it leaves of it. The display says what is above that
part: it knows which window gets the input at a point.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...model.errors import NotReady, NotVisible
from ...model.node import Rect
from . import build
from .item import App, Item
from .kinds import FIELDS, MANAGED, MENU_BAR, TEXTS, VIEWS, role_name
from .stack import Popup, Stack
from .strategy import Facet
from .vocabulary import COMPONENT, NULL_PATH, ROLE_NUMBERS, Face, State

if TYPE_CHECKING:
    from .hands import Hands

_NEAR = 40
"""How far a popup may be from what its program says of it, in pixels: shadows and frames."""
_COMPLETES = 0.13
"""How long after a key GTK may open a list of completions, in seconds: its timer is 100 ms."""
_CLOSES = 1.0
"""How long a popup may take to close, in seconds."""
_ANSWER = "choose from it, or close it by pressing escape"
_PASSING = ("tooltip", "notification", "dragged icon")
"""Kinds of popups that take no click but those at their place."""
_OPENERS = ("combo box", "push button menu")
_SEE_THROUGH = TEXTS | frozenset(ROLE_NUMBERS[name] for name in ("image", "icon", "separator", "tool tip"))
"""What clicks often pass through."""
_TALL = 36
"""A check box of Qt that is taller is a group that can be ticked."""
_HEADER = 9
"""Where the box of a group that can be ticked is, in pixels from its top left corner."""


def point(
    hands: Hands, item: Item, x: float | None, y: float | None, *, free: bool = True
) -> tuple[float, float]:
    """Where on the screen to point: at an offset from the corner of an item, or at the best place in it.

    With `free`, NotReady names what would get the click instead. NotVisible: nothing of it shows there.
    """
    whole, part = place(hands, item)
    if x is None and y is None:
        points = list(_candidates(item, whole, part))
    else:
        points = [(whole.x + (x or 0), whole.y + (y or 0))]
        if not contains(whole, points[0]):
            return points[0]
        if not contains(part, points[0]):
            raise NotVisible(
                f"the point {x or 0:g},{y or 0:g} of {build.describe(item)} is scrolled away or clipped",
                suggestions=("scroll it into view",),
                out_of_sight=True,
            )
    return _first_free(hands, item, points) if free else points[0]


def place(hands: Hands, item: Item) -> tuple[Rect, Rect]:
    """Where on the screen an item is by now, and the visible part of that; NotVisible if there is none."""
    around = [one for one in _above(item) if one.has(Face.COMPONENT)]
    hands.live.refresh(item, Facet.EXTENTS, hands.timeout, around)
    build.build(item.app, hands.matched)
    part = None if item.node is None else build.visible_part(item.node)
    window = hands.matched.get(item.window)
    if part is not None and window is not None and item is not item.window and not _opened(item):
        part = part.intersection(window.area)
    if part is not None and hands.display is not None and item.app.placed:
        part = part.intersection(Rect(0, 0, hands.display.width, hands.display.height))
    if item.node is None or item.node.bounds is None or part is None:
        raise NotVisible(
            f"nothing of {build.describe(item)} is on the screen",
            suggestions=("open or scroll what it is in", "move its window onto the screen"),
            out_of_sight=True,
        )
    return item.node.bounds, part


def _candidates(item: Item, whole: Rect, part: Rect) -> Iterator[tuple[float, float]]:
    """Points that may do, the best first."""
    if role_name(item) in ("check box", "radio button"):
        # A click in the middle of a wide box misses what reacts to it, and in a group it is what is inside.
        group = item.app.how.clips and (bool(item.kids) or whole.height > _TALL)
        inset = _HEADER if group else whole.height / 2
        preferred = whole.x + inset, whole.y + inset
        if (group or whole.width > 2 * whole.height) and contains(part, preferred):
            yield preferred
    yield from spread(part)


def spread(part: Rect) -> Iterator[tuple[float, float]]:
    """Pixels of a part of the screen: its middle, and then some all over it."""
    for down in (3, 1, 5):
        for across in (3, 1, 5):
            # The pixel that a fraction is in; the nearest one may be outside.
            yield math.floor(part.x + part.width * across / 6), math.floor(part.y + part.height * down / 6)


def _first_free(hands: Hands, item: Item, points: list[tuple[float, float]]) -> tuple[float, float]:
    """The first of some points where a click reaches an item; NotReady if there is none."""
    stack = hands.stack
    if stack is None or not item.app.placed:
        return points[0]
    own = _own_frame(hands, stack, item)
    _await_completion(hands, item)
    popup = _swallower(stack, item, own, points[0])
    if popup is not None and not _close(hands, stack, item, popup):
        raise _covered(item, _call(hands, item, popup), _ANSWER)
    if (inside := _open_popover(item)) is not None:
        raise _covered(item, build.describe(inside), _ANSWER)
    found: int | None = None
    above: Item | None = None
    for spot in points:
        there = stack.at(*spot)
        if not _reaches(stack, item, own, there):
            found = there if found is None else found
        elif there == own and (over := _drawn_over(hands, item, spot)) is not None:
            above = above or over
        else:
            return spot
    if above is not None and (view := _view(item)) is not None and view in (above, *_above(above)):
        # GTK 4 leaves rows that it does not show where they were; others are there now.
        raise NotVisible(
            f"{build.describe(item)} is scrolled away: {build.describe(above)} is at its position",
            suggestions=("scroll the view until it shows",),
            out_of_sight=True,
        )
    if above is not None:
        raise _covered(item, build.describe(above), "wait until it is gone, or close it")
    assert found is not None, "there is a point"
    return _uncovered(hands, stack, item, own, points[0], found)


def blocked(hands: Hands, item: Item, spot: tuple[float, float]) -> bool:
    """Whether another window gets the input at a point."""
    stack = hands.stack
    if stack is None or not item.app.placed:
        return False
    return not _reaches(stack, item, _own_frame(hands, stack, item), stack.at(*spot))


def insist_on_keys(hands: Hands, item: Item) -> None:
    """NotReady if an open popup takes the keys that are meant for an item.

    A list that opened by itself for the field that has the focus passes them on to it.
    """
    stack = hands.stack
    if stack is None or not item.app.placed:
        return
    taker = _open_popover(item)
    what = "" if taker is None else build.describe(taker)
    if not what and (popup := _key_taker(hands, stack, item)) is not None:
        what = _call(hands, item, popup)
    if what:
        raise NotReady(
            f"{what} takes the keys meant for {build.describe(item)}",
            suggestions=(_ANSWER,),
            covered_by=what,
        )


def _uncovered(
    hands: Hands, stack: Stack, item: Item, own: int, spot: tuple[float, float], found: int
) -> tuple[float, float]:
    """The point, once what covers it is gone.

    A tooltip goes when the pointer comes, and another window when that of the item is raised.
    """
    popup = stack.popup(found) if found else None
    window = hands.matched.get(item.window)
    if popup is not None and popup.kind == "tooltip":
        hands.input(item).move(*spot)
    elif window is not None and hands.windows is not None and stack.managed(found) is not None:
        hands.windows.to_front(window)
    else:
        raise _covered(item, _name(hands, stack, item, found), "close or move what covers it")
    if hands.wait(lambda: _reaches(stack, item, own, stack.at(*spot))):
        return spot
    raise _covered(item, _name(hands, stack, item, stack.at(*spot)), "close or move what covers it")


# -- what input reaches --------------------------------------------------------------------------


def _own_frame(hands: Hands, stack: Stack, item: Item) -> int:
    """The outermost window that holds the window of an item; 0 if that is not known."""
    window = hands.matched.get(item.window)
    return 0 if window is None else stack.frame(window.id)


def _reaches(stack: Stack, item: Item, own: int, there: int) -> bool:
    """Whether input at a point, where the outermost window is `there`, reaches what an item is in."""
    if there and there == own:
        return True
    managed = stack.managed(there)
    if managed is not None:
        # Which of its windows is which may not be known.
        return not own and item.window.role in MANAGED and managed.pid == item.app.pid
    popup = stack.popup(there) if there else None
    if popup is None or popup.pid not in (0, item.app.pid):
        return False
    return not own or _opened(item) or _inside(item, popup)


def _opened(item: Item) -> bool:
    """Whether an item is in what a menu or a combo box opens, which is a window of its own."""
    return any(build.opens(one) for one in _above(item))


def _inside(item: Item, popup: Popup) -> bool:
    """Whether something around an item is as large as a popup, and there."""
    return any(
        one.node is not None
        and one.node.bounds is not None
        and all(abs(a - b) < _NEAR for a, b in zip(one.node.bounds, popup.area, strict=True))
        for one in _above(item)
        if one is not item.window or one.role not in MANAGED
    )


def _drawn_over(hands: Hands, item: Item, spot: tuple[float, float]) -> Item | None:
    """What in the same window gets a click on an item at a point.

    GTK 4 reports the item at the point. GTK 3 and Qt answer without regard to which item is above which, but
    list the children of a widget in that order.
    """
    if not item.app.how.on_screen:
        return _hit(hands, item, spot)
    if item.app.toolkit.lower() not in ("gtk", "qt") or item.app.how.vcl:
        return None
    for one in (item, *_above(item)):
        around = one.parent
        if around is None or one is item.window or build.opens(around):
            return None
        # Editors and widgets in the cells of a view are part of it.
        if around.role in VIEWS or one not in around.kids:
            continue
        for other in reversed(around.kids[around.kids.index(one) + 1 :]):
            if other.shown and other.role not in _SEE_THROUGH and other.node is not None:
                part = build.visible_part(other.node)
                if part is not None and contains(part, spot):
                    return other
    return None


def _hit(hands: Hands, item: Item, spot: tuple[float, float]) -> Item | None:
    """What its program says is at a point of an item, unless that is in the item or around it.

    Of the row of a view, the view itself is there where no row is.
    """
    if item.extents is None or item.node is None or item.node.bounds is None:
        return None
    scale = item.node.bounds.width / item.extents[2]
    x = item.extents[0] + (spot[0] - item.node.bounds.x) / scale
    y = item.extents[1] + (spot[1] - item.node.bounds.y) / scale
    answer = hands.ask(
        item.window, COMPONENT, "GetAccessibleAtPoint", "iiu", math.floor(x), math.floor(y), 1, reply="(so)"
    )
    path = answer[1] if answer else NULL_PATH
    if path != NULL_PATH and path not in item.app.items:
        hands.look(item)
    found = item.app.items.get(path)
    if found is None or found is item or item in _above(found):
        return None
    return None if found in _above(item) and found is not _view(item) else found


def _view(item: Item) -> Item | None:
    """The view that an item is in a row of; None if it is in none."""
    return next((one for one in _above(item) if one.role in VIEWS), None)


# -- popups --------------------------------------------------------------------------------------


def _swallower(stack: Stack, item: Item, own: int, spot: tuple[float, float]) -> Popup | None:
    """The popup that gets a click on an item: it is above the point, or takes every click for itself.

    One that the item is in gets what is meant for it, and one that the item opens is closed by the click.
    """
    in_bar = item.parent is not None and item.parent.role == MENU_BAR
    popups = [one for one in stack.popups() if one.kind not in _PASSING]
    if not popups or in_bar or role_name(item) in _OPENERS:
        return None
    there = stack.at(*spot)
    above = next((one for one in popups if one.id == there), None)
    if above is not None:
        return None if _reaches(stack, item, own, there) else above
    return popups[0] if stack.grabbed() else None


def _key_taker(hands: Hands, stack: Stack, item: Item) -> Popup | None:
    """The popup that takes the keys meant for an item."""
    popups = [one for one in stack.popups() if one.kind not in _PASSING]
    if not popups or _opened(item) or role_name(item) in _OPENERS or not stack.grabbed():
        return None
    popup = popups[0]
    if any(_inside(item, one) for one in popups):
        return None
    if popup.kind != "open menu" and (hands.is_now(item, State.FOCUSED) or _close(hands, stack, item, popup)):
        return None
    return popup


def _await_completion(hands: Hands, item: Item) -> None:
    """Wait until a list of completions is open, if the last key opens one: GTK does so a moment later."""
    if item.app.toolkit.lower() != "gtk" or not _in_field(item.app):
        return
    left = hands.input(item).last_key + _COMPLETES - time.monotonic()
    if left > 0:
        time.sleep(left)  # a timer in the program, which nothing announces
        hands.come_round(item, _CLOSES)


def _in_field(app: App) -> bool:
    """Whether a text field of a program has the focus."""
    wanted = State.EDITABLE | State.FOCUSED
    return any(one.role in FIELDS and one.states & wanted == wanted for one in app.items.values())


def _close(hands: Hands, stack: Stack, item: Item, popup: Popup) -> bool:
    """Close a list that opened by itself while text was typed; whether it did.

    GTK closes it when the focus leaves the field, as it does by a click, or by a key that moves the cursor.
    Escape may also close the dialog around it. Qt passes Escape to the list alone. Other popups were opened
    on purpose, and stay open.
    """
    app = item.app
    if popup.pid != app.pid or popup.kind == "open menu" or not _in_field(app):
        return False
    if app.toolkit.lower() == "qt":
        hands.input(item).chord("escape")
    elif app.toolkit.lower() != "gtk" or not app.how.showing:
        return False  # GTK 4 loses some of the clicks that follow at once
    elif item.states & State.FOCUSABLE and item.has(Face.COMPONENT):
        hands.ask(item, COMPONENT, "GrabFocus", reply="b")
    else:
        hands.input(item).chord("right")
    return hands.wait(lambda: all(one.id != popup.id for one in stack.popups()), _CLOSES)


def _open_popover(item: Item) -> Item | None:
    """What of a window takes every click in it, and is not around an item: a popover of GTK 3."""
    window = item.window
    around = [item, *_above(item)]
    return next(
        (
            one
            for one in window.kids
            if one.states & State.MODAL and one.shown and one not in around and one.role not in MANAGED
        ),
        None,
    )


# -- words ---------------------------------------------------------------------------------------


def _covered(item: Item, what: str, suggestion: str) -> NotReady:
    return NotReady(
        f"{build.describe(item)} is covered by {what}", suggestions=(suggestion,), covered_by=what
    )


def _name(hands: Hands, stack: Stack, item: Item, outermost: int) -> str:
    """What to call an outermost window in a message."""
    managed = stack.managed(outermost)
    if managed is not None:
        return f"window '{managed.title}'"
    popup = stack.popup(outermost) if outermost else None
    return "nothing of its window" if popup is None else _call(hands, item, popup)


def _call(hands: Hands, item: Item, popup: Popup) -> str:
    """What to call a popup in a message: as its program calls it, or what kind it is."""
    known = next(
        (
            one
            for app in hands.live.apps.values()
            if app.pid == popup.pid
            for one in app.windows
            if one.role not in MANAGED and one.shown and _inside_of(one, popup)
        ),
        None,
    )
    if known is not None and known.name:
        return f"{popup.kind} '{known.name}'"
    article = "an" if popup.kind.startswith("open") else "a"
    owner = "" if popup.pid in (0, item.app.pid) else f" of process {popup.pid}"
    return f"{article} {popup.kind}{owner}"


def _inside_of(one: Item, popup: Popup) -> bool:
    return one.extents is not None and all(
        abs(a - b) < _NEAR for a, b in zip(one.extents, popup.area, strict=True)
    )


# -- places --------------------------------------------------------------------------------------


def _above(item: Item) -> list[Item]:
    """What an item is in, the nearest first, up to its window."""
    found = []
    above = item.parent
    while above is not None and above is not item.app.root:
        found.append(above)
        above = above.parent
    return found


def contains(rect: Rect, spot: tuple[float, float]) -> bool:
    return rect.x <= spot[0] < rect.x + rect.width and rect.y <= spot[1] < rect.y + rect.height
