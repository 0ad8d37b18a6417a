"""Scrolls by the wheel, to a row of a view or until an item is in view; knows where rows and cells are."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from ...model.errors import ActionFailed, ActionUnsupported
from ...model.node import Rect
from ..performer import ALREADY, Answer, no_row, no_rows
from . import aim, build
from .hands import BY_ACCESSIBILITY, BY_INPUT, EFFECT, Hands, describe
from .item import Item
from .kinds import VIEWS, role_name
from .strategy import Facet
from .views import rows_of
from .vocabulary import COMPONENT, TABLE, VALUE, Face, State
from .wire import Variant

NOTHING_MOVED = "nothing moved"
"""What the answer says of a wheel that had no effect."""
_CHANGED_BY_WHEEL = frozenset(
    ("spin button", "slider", "combo box", "dial", "page tab list", "date editor", "rating")
)
_ROWS_A_NOTCH = 3
_LINES = 12
"""How many points in each direction are tried for a place to turn the wheel."""
_LINE = 16.0
"""How much a scroll bar that does not say it counts for a line."""
_PADDING = 16
"""How far a control of GTK 4 may reach beyond what it says, in pixels."""
_COMPARED = 60
"""How many items are compared to see whether an area moved."""
_SHARE = 0.02
"""How much of an area changes at least when it scrolls."""
_TRIES = 8
"""How often a scroll bar is set again that does not count pixels."""
_FAR = 1 << 20
_PAGES = 100
"""How many pages are looked through for something that does not say where it is."""


def row_of(hands: Hands, item: Item, row: int | None, text: str | None) -> int:
    """The number of the row that is asked for."""
    if not item.app.how.showing and not item.has(Face.TABLE) and role_name(item) == "tree table":
        raise ActionUnsupported(
            f"GTK 4 does not tell which rows {describe(item)} has, only those it made for the screen",
            suggestions=("scroll it by the wheel, and click on a cell that is there",),
        )
    if item.view is None and not item.has(Face.TABLE) and item.role not in VIEWS:
        raise no_rows(describe(item))
    rows = _rows(hands, item)
    if row is not None and 0 <= row < rows:
        return row
    if text is not None:
        names = rows_of(hands.live, item, rows, hands.timeout)
        if text in names:
            return names.index(text)
    raise no_row(describe(item), row, text, rows)


def cell_at(hands: Hands, item: Item, row: int, column: int) -> Item | None:
    """The cell at a place, if it is known."""
    if item.view is not None:
        return item.view.cells.get((row, column))
    if item.has(Face.TABLE):
        found = hands.ask(item, TABLE, "GetAccessibleAt", "ii", row, column, reply="(so)")
        return item.app.items.get(found[1]) if found else None
    return item.kids[row] if row < len(item.kids) else None


def to_row(hands: Hands, item: Item, row: int) -> Answer:
    """Turn the wheel over a view until a row is on screen."""
    if item.view is None:
        cell = cell_at(hands, item, row, 0)
        if cell is None:
            raise ActionFailed(f"{describe(item)} does not give its row {row}")
        return into_view(hands, cell)
    hands.front(item)
    if _row_shows(hands, item, row):
        return {"detail": ALREADY}
    if _row_by_bar(hands, item, row):
        return {"detail": BY_ACCESSIBILITY}
    deadline = time.monotonic() + hands.timeout
    while time.monotonic() < deadline:
        view = item.view
        if view.first is None or view.last is None:
            break
        middle = (view.first + view.last) // 2
        notches = max(-300, min(300, round((row - middle) / _ROWS_A_NOTCH))) or (1 if row > middle else -1)
        x, y = _spot(hands, item, [one for one in item.walk() if _takes_wheel(one)])
        hands.input().wheel(x, y, 0, notches)
        if not _view_moves(hands, item, (view.first, view.last)):
            break
        if _row_shows(hands, item, row):
            return {"detail": BY_INPUT}
    raise ActionFailed(f"row {row} of {describe(item)} did not come into view")


def _rows(hands: Hands, item: Item) -> int:
    if item.view is not None:
        return item.view.rows
    return int(hands.get(item, TABLE, "NRows") or 0) if item.has(Face.TABLE) else item.child_count


def _row_shows(hands: Hands, item: Item, row: int) -> bool:
    cell = cell_at(hands, item, row, 0)
    return cell is not None and not _away(hands, cell)


def _row_by_bar(hands: Hands, item: Item, row: int) -> bool:
    """Set the scroll bar of a view so that a row is the first: as far down as that is among all rows."""
    view = item.view
    bar = next((one for one in _bars(hands, item) if one.value and one.value[2]), None)
    if bar is None or view is None or view.first is None or view.last is None:
        return False
    assert bar.value is not None
    below = max(1, view.rows - (view.last - view.first))
    top = bar.value[2] or 0.0
    hands.set(bar, VALUE, "CurrentValue", Variant("d", float(round(min(top, row * top / below)))))
    _view_moves(hands, item, (view.first, view.last))
    return _row_shows(hands, item, row)


def _bars(hands: Hands, view: Item, *, upright: bool = True) -> list[Item]:
    """The scroll bars of a view in one direction, be they out of view themselves.

    Each is the object that has the number, which in GTK 4 is inside the scroll bar.
    """
    found = []
    for bar in _every_bar(view):
        place = bar.extents or _extents(hands, bar)
        if place is not None and (place[3] > place[2] if upright else place[2] > place[3]):
            found.append(next((one for one in bar.walk() if one.has(Face.VALUE)), bar))
    return found


def _every_bar(view: Item) -> list[Item]:
    """The scroll bars of a view: inside it, or next to it in what scrolls it."""
    found: list[Item] = []
    for around in (view, view.parent):
        for one in around.kids if around is not None else []:
            # Qt puts each into a box of its own.
            found += [one] if role_name(one) != "filler" else one.kids[:1]
    return [one for one in found if role_name(one) == "scroll bar"]


def _view_moves(hands: Hands, item: Item, before: tuple[int, int]) -> bool:
    """Wait until a view shows other rows than before, and has settled."""
    last = before

    def so() -> bool:
        nonlocal last
        hands.refresh(item, Facet.KIDS)
        view, earlier = item.view, last
        last = (view.first or 0, view.last or 0) if view is not None else before
        return last == earlier != before

    hands.come_round(item, EFFECT)
    return hands.wait(so) or last != before


# -- the wheel -------------------------------------------------------------------------------------


def turn(hands: Hands, item: Item | None, dx: float, dy: float) -> Answer:
    """Turn the wheel over an item or the window in front; over what is around it if that would change it."""
    item = item or next((window for window, one in hands.matched.items() if one.active), None)
    if item is None:
        raise ActionUnsupported("neither a target nor an active window to scroll in")
    hands.input(item)  # refused where there is none, also if a scroll bar could do it
    area = item if not _takes_wheel(item) else (_scrolling(item) or [item.window])[-1]
    hands.front(area)
    controls = [one for one in area.walk() if one is not area and _takes_wheel(one)]
    moving = any(_scrolling(one) for one in controls)
    details = []
    for amount, upright in ((dy, True), (dx, False)):
        notches = round(amount)
        if notches and moving and (bar := _bar_around(hands, area, upright)) is not None:
            details.append(_by_steps(hands, area, bar, notches))
        elif notches:
            details.append(_by_notches(hands, area, controls, notches, upright, moving))
    hands.react(area)
    return {
        "detail": next(
            (one for one in details if NOTHING_MOVED not in one), details[0] if details else ALREADY
        )
    }


def _bar_around(hands: Hands, area: Item, upright: bool) -> Item | None:
    """The scroll bar of an area, or of what scrolls it."""
    for view in (area, *reversed(_scrolling(area))):
        for bar in _bars(hands, view, upright=upright):
            if isinstance(hands.get(bar, VALUE, "CurrentValue"), float):
                return bar
    return None


def _by_steps(hands: Hands, area: Item, bar: Item, notches: int) -> str:
    """Set a scroll bar on by as much as the wheel does, where the wheel would change what is under it."""
    now, top, step = (
        float(hands.get(bar, VALUE, name) or 0.0)
        for name in ("CurrentValue", "MaximumValue", "MinimumIncrement")
    )
    stop = max(0.0, min(top, now + notches * _ROWS_A_NOTCH * (step if step >= 1 else _LINE)))
    before = _seen(hands, area)
    hands.set(bar, VALUE, "CurrentValue", Variant("d", stop))
    moved = stop != now and hands.wait(lambda: _differs(before, _seen(hands, area)))
    return BY_ACCESSIBILITY if moved else f"{BY_ACCESSIBILITY}; {NOTHING_MOVED}"


def _by_notches(
    hands: Hands, area: Item, controls: list[Item], notches: int, upright: bool, moving: bool
) -> str:
    """Turn the wheel over an area, at points where no control is."""
    left, way, moved = abs(notches), 1 if notches > 0 else -1, False
    while left > 0:
        x, y = _spot(hands, area, controls)
        # Where controls move with the rest, one may come under the pointer with the next notch.
        some = 1 if moving else left
        hands.input(area).move(x, y)
        hands.react(area)
        before = _seen(hands, area)
        hands.input(area).wheel(x, y, 0 if upright else way * some, way * some if upright else 0)

        def so(before: tuple[object, bytes] = before) -> bool:
            return _differs(before, _seen(hands, area))

        if not hands.wait(so):
            break
        moved = True
        left -= some
    return BY_INPUT if moved else f"{BY_INPUT}; {NOTHING_MOVED}"


def _spot(hands: Hands, area: Item, controls: list[Item]) -> tuple[float, float]:
    """Where to turn the wheel so that only an area scrolls."""
    part = hands.bounds(area)
    scrolls = [one for one in area.walk() if one is not area and _scrolls_itself(one)]
    for avoided in (controls + scrolls, controls):
        places = [place for one in avoided if one.shown and (place := _place(one)) is not None]
        free = (spot for spot in _grid(part) if not any(aim.contains(place, spot) for place in places))
        spot = next((spot for spot in free if not hands.blocked(area, spot)), None)
        if spot is not None:
            return spot
    hands.point(area, None, None)  # says what covers it, if that is why
    raise ActionUnsupported(
        f"the wheel would change a control wherever it is turned over {describe(area)}",
        suggestions=("scroll what is wanted into view, or press keys such as pagedown",),
    )


def _takes_wheel(item: Item) -> bool:
    """Whether the wheel changes what an item is set to."""
    return role_name(item) in _CHANGED_BY_WHEEL


def _scrolls_itself(item: Item) -> bool:
    """Whether the wheel scrolls an item, and not what it is in."""
    text = role_name(item) in ("text", "terminal") and item.states & State.MULTI_LINE
    return item.role in VIEWS or role_name(item) == "scroll pane" or bool(text)


def _place(item: Item) -> Rect | None:
    """The visible part of an item, with what of it takes input around that in GTK 4."""
    part = None if item.node is None else build.visible_part(item.node)
    if part is None or item.app.how.showing or not _takes_wheel(item):
        return part
    return Rect(part.x - _PADDING, part.y - _PADDING, part.width + 2 * _PADDING, part.height + 2 * _PADDING)


def _grid(part: Rect) -> Iterator[tuple[float, float]]:
    """Points of a part of the screen, the middle first."""
    yield from aim.spread(part)
    for down in range(1, 2 * _LINES, 2):
        for across in range(1, 2 * _LINES, 2):
            yield (
                math.floor(part.x + part.width * across / (2 * _LINES)),
                math.floor(part.y + part.height * down / (2 * _LINES)),
            )


def _seen(hands: Hands, area: Item) -> tuple[object, bytes]:
    """What shows whether an area moved: where things are in it, and its scroll bars or else its pixels."""
    hands.look(area)
    build.build(area.app, hands.matched)
    bars = _bars(hands, area) + _bars(hands, area, upright=False)
    numbers = [hands.get(bar, VALUE, "CurrentValue") for bar in bars]
    places = []
    for one in area.walk():
        # Scroll bars grow when the pointer comes.
        if one.node is not None and one.node.bounds is not None and not _is_bar(one):
            places.append((one.uid, one.node.bounds))
            if len(places) >= _COMPARED:
                break
    if numbers or hands.display is None:
        return (places, numbers), b""
    return (places, numbers), bytes(hands.display.pixels(*(int(one) for one in hands.bounds(area))))


def _is_bar(item: Item) -> bool:
    return "scroll bar" in (role_name(item), role_name(item.parent) if item.parent is not None else "")


def _differs(before: tuple[object, bytes], after: tuple[object, bytes]) -> bool:
    """Whether an area moved: more than a blinking cursor changes."""
    if before[0] != after[0] or len(before[1]) != len(after[1]):
        return True
    if before[1] == after[1]:
        return False
    changed = sum(one != other for one, other in zip(before[1][::4], after[1][::4], strict=True))
    return changed > len(before[1]) / 4 * _SHARE


# -- into view -------------------------------------------------------------------------------------


def into_view(hands: Hands, item: Item) -> Answer:
    if not _away(hands, item):
        return {"detail": ALREADY}
    if item.has(Face.COMPONENT):
        hands.ask(item, COMPONENT, "ScrollTo", "u", 6, reply="b")
        hands.react(item)
        if not _away(hands, item):
            return {"detail": BY_ACCESSIBILITY}
    hands.front(item)
    views = _scrolling(item)
    if not views:
        raise ActionFailed(f"{describe(item)} is out of view, and nothing around it scrolls")
    # From the outside in: what is inside an area that is out of view cannot be seen, however it is scrolled.
    for view, inner in zip(views, [*views[1:], item], strict=True):
        hands.look(item)  # what came into view by the one around it is known only then
        _by_scroll_bars(hands, inner, view)
    # What is inside an area wider than the one around it may be anywhere in that.
    for view in views if _away(hands, item) else ():
        _by_scroll_bars(hands, item, view)
    if not _away(hands, item):
        return {"detail": BY_ACCESSIBILITY}
    for view in views:
        if _by_wheel(hands, item, view):
            return {"detail": BY_INPUT}
    raise ActionFailed(f"{describe(item)} did not come into view")


def _scrolling(item: Item) -> list[Item]:
    """What scrolls around an item, the outermost first."""
    found: list[Item] = []
    view = item.parent
    while view is not None and view is not item.app.root:
        # The lists, tables and trees of Qt scroll without a bar that could be found.
        scrolls = role_name(view) in ("scroll pane", "viewport", "document web") or _is_view(view)
        # A viewport and what scrolls it are one; the inner of the two is as large as what can be seen.
        same = found and found[-1].parent is view and not _is_view(found[-1])
        if (scrolls or _every_bar(view)) and not same:
            found.append(view)
        view = view.parent
    return found[::-1]


def _is_view(item: Item) -> bool:
    return item.role in VIEWS and item.app.how.clips


def _by_scroll_bars(hands: Hands, item: Item, view: Item) -> None:
    """Set the scroll bars of a view so that an item is in its middle."""
    for upright in (True, False):
        for bar in _bars(hands, view, upright=upright):
            _by_scroll_bar(hands, item, view, bar, 1 if upright else 0)


def _by_scroll_bar(hands: Hands, item: Item, view: Item, bar: Item, axis: int) -> None:
    """Set one scroll bar: by as many pixels as are missing, or by trying where it counts something else."""
    ratio = 1.0
    for _ in range(_TRIES):
        inner, outer = _extents(hands, item), _extents(hands, view)
        now = hands.get(bar, VALUE, "CurrentValue")
        top = hands.get(bar, VALUE, "MaximumValue")
        if inner is None or outer is None or not isinstance(now, float) or not isinstance(top, float):
            return
        if inner[1] <= -_FAR:
            _by_pages(hands, item, bar, outer[2 + axis], top)
            return
        start, end = inner[axis] - outer[axis], inner[axis] + inner[2 + axis] - outer[axis] - outer[2 + axis]
        if (start >= 0 and end <= 0) or (start <= 0 <= end):
            return  # all of it is in the view, or it fills the view
        missing = (start + end) / 2 if inner[2 + axis] <= outer[2 + axis] else start
        stop = max(0.0, min(top, now + missing * ratio))
        if stop == now:
            return
        hands.set(bar, VALUE, "CurrentValue", Variant("d", stop))

        def moved(before: tuple[int, ...] = inner) -> bool:
            return _extents(hands, item) != before

        hands.wait(moved)
        after = _extents(hands, item)
        if after is None or after[axis] == inner[axis]:
            return
        ratio = (stop - now) / (inner[axis] - after[axis])


def _by_pages(hands: Hands, item: Item, bar: Item, length: int, top: float) -> None:
    """Set a bar to one page after the other: GTK 3 does not say where it is what was never shown."""
    page = max(1.0, length * 0.8)
    for number in range(min(_PAGES, int(top / page) + 2)):
        hands.set(bar, VALUE, "CurrentValue", Variant("d", max(0.0, min(top, page * number))))
        hands.react(item)
        if not _away(hands, item):
            return


def _by_wheel(hands: Hands, item: Item, view: Item) -> bool:
    """Turn the wheel over a view until an item is in it, down and then up; whether it is."""
    deadline = time.monotonic() + hands.timeout / 2
    inner, outer = _extents(hands, item), _extents(hands, view)
    above = inner is not None and outer is not None and -_FAR < inner[1] < outer[1]
    for way in (-1, 1) if above else (1, -1):
        while time.monotonic() < deadline:
            answer = turn(hands, view, 0, way * _far(_extents(hands, item), _extents(hands, view)))
            if not _away(hands, item):
                return True
            if NOTHING_MOVED in str(answer["detail"]):
                break
    return False


def _far(inner: tuple[int, ...] | None, outer: tuple[int, ...] | None) -> int:
    """How many notches of the wheel are likely to be between an item and the middle of what it is in."""
    if inner is None or outer is None or inner[1] <= -_FAR or inner[3] <= 0:
        return _ROWS_A_NOTCH
    missing = abs(inner[1] + inner[3] / 2 - outer[1] - outer[3] / 2)
    return max(1, min(100, int(missing / (_ROWS_A_NOTCH * max(inner[3], _LINE)))))


def _extents(hands: Hands, item: Item) -> tuple[int, ...] | None:
    """Where an item is, as its program says: what is out of view is not read otherwise."""
    kind = 0 if item.app.how.on_screen else 1
    found = hands.ask(item, COMPONENT, "GetExtents", "u", kind, reply="(iiii)")
    return None if found is None else tuple(found)


def _away(hands: Hands, item: Item) -> bool:
    """Whether nothing of an item can be seen."""
    hands.refresh(item, Facet.STATES | Facet.EXTENTS)
    hands.look(item)
    build.build(item.app, hands.matched)
    if item.node is None or item.node.offscreen:
        return True
    return item.node.bounds is None and item.app.placed
