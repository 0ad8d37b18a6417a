"""Scrolls by the wheel, to a row of a view or until an item is in view; knows where rows and cells are."""

from __future__ import annotations

import time

from ...model import operations as ops
from ...model.errors import ActionFailed, ActionUnsupported, OptionNotFound
from ...model.node import Rect
from . import build
from .hands import ALREADY, BY_ACCESSIBILITY, BY_INPUT, EFFECT, Answer, Hands, describe
from .item import Item
from .kinds import VIEWS, role_name
from .strategy import Facet
from .views import rows_of
from .vocabulary import COMPONENT, TABLE, VALUE, Face
from .wire import Variant

_ROWS_A_NOTCH = 3
_FAR = 1 << 20
_PAGES = 100
"""How many pages are looked through for something that does not say where it is."""


def scroll(hands: Hands, action: ops.Scroll, item: Item | None) -> Answer:
    """Scroll to a row, an item into view, or by so many notches of the wheel."""
    if item is not None and (action.row is not None or action.text is not None):
        return to_row(hands, item, row_of(hands, item, action.row, action.text))
    if action.into_view and item is not None:
        return into_view(hands, item)
    x, y = hands.point(item, None, None) if item is not None else _middle(hands)
    hands.front(item)
    hands.input().wheel(x, y, action.dx, action.dy)
    hands.react(item)
    return {"detail": BY_INPUT}


def row_of(hands: Hands, item: Item, row: int | None, text: str | None) -> int:
    """The number of the row that is asked for."""
    if not item.app.how.showing and not item.has(Face.TABLE) and role_name(item) == "tree table":
        raise ActionUnsupported(
            f"GTK 4 does not tell which rows {describe(item)} has, only those it made for the screen",
            suggestions=("scroll it by the wheel, and click on a cell that is there",),
        )
    rows = _rows(hands, item)
    if row is not None and 0 <= row < rows:
        return row
    if text is not None:
        names = rows_of(hands.live, item, rows, hands.timeout)
        if text in names:
            return names.index(text)
    asked = repr(text) if text is not None else f"number {row}"
    raise OptionNotFound(f"no row {asked} in {describe(item)}, which has {rows}", options=[])


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
        x, y = hands.bounds(item).center
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
    bar = next((one for one in _bars(item) if one.value and one.value[2]), None)
    if bar is None or view is None or view.first is None or view.last is None:
        return False
    assert bar.value is not None
    below = max(1, view.rows - (view.last - view.first))
    top = bar.value[2] or 0.0
    hands.set(bar, VALUE, "CurrentValue", Variant("d", float(round(min(top, row * top / below)))))
    _view_moves(hands, item, (view.first, view.last))
    return _row_shows(hands, item, row)


def _bars(view: Item) -> list[Item]:
    """The vertical scroll bars of a view: inside it, or beside it in what scrolls it."""
    found: list[Item] = []
    for around in (view, view.parent):
        for one in around.kids if around is not None else []:
            inside = [one, *one.kids] if one.role not in VIEWS else []
            found += [bar for bar in inside if role_name(bar) == "scroll bar" and bar.has(Face.VALUE)]
    return [bar for bar in found if bar.extents is not None and bar.extents[3] > bar.extents[2]]


def _view_moves(hands: Hands, item: Item, before: tuple[int, int]) -> bool:
    """Wait until a view shows other rows than before, and has come to rest."""
    last = before

    def so() -> bool:
        nonlocal last
        hands.refresh(item, Facet.KIDS)
        view, earlier = item.view, last
        last = (view.first or 0, view.last or 0) if view is not None else before
        return last == earlier != before

    hands.come_round(item, EFFECT)
    return hands.wait(so) or last != before


def _middle(hands: Hands) -> tuple[float, float]:
    window = next((one for one in hands.matched.values() if one.active), None)
    if window is None:
        raise ActionUnsupported("neither a target nor an active window to scroll in")
    return window.bounds.center


def into_view(hands: Hands, item: Item) -> Answer:
    if not _away(hands, item):
        return {"detail": ALREADY}
    if item.has(Face.COMPONENT):
        hands.ask(item, COMPONENT, "ScrollTo", "u", 6, reply="b")
        hands.react(item)
        if not _away(hands, item):
            return {"detail": BY_ACCESSIBILITY}
    view = item.parent
    while view is not None and not _scrolls(view, item):
        view = view.parent
    if view is not None and role_name(view) == "viewport" and view.parent is not None:
        view = view.parent  # which is as large as what can be seen of it
    if view is None:
        raise ActionFailed(f"{describe(item)} is out of view, and nothing around it scrolls")
    hands.front(item)
    if _by_scroll_bar(hands, item, view):
        return {"detail": BY_ACCESSIBILITY}
    area = hands.bounds(view)
    x, y = area.center
    deadline = time.monotonic() + hands.timeout / 2
    for turned in range(200):
        if time.monotonic() > deadline:
            break
        build.build(item.app, hands.matched)
        place = item.extents
        step = 1.0
        if place is not None and place[3] > 0:
            top = place[1] + (item.node.bounds.y - place[1] if item.node and item.node.bounds else 0)
            step = 1.0 if top > area.y + area.height / 2 else -1.0
            far = abs(top - area.center[1]) / max(area.height, 1)
            step *= max(1.0, min(10.0, far * 4))
        else:
            step = 3.0 if turned < 100 else -3.0
        hands.input().wheel(x, y, 0, round(step))
        hands.react(item, None, 0.03)
        if not _away(hands, item):
            return {"detail": BY_INPUT}
    raise ActionFailed(f"{describe(item)} did not come into view")


def _by_scroll_bar(hands: Hands, item: Item, view: Item) -> bool:
    """Set the scroll bar of a view so that an item is in its middle; works where bars count pixels."""
    for bar in _bars(view):
        # Asked for here, as what is out of view is otherwise left alone.
        inner, outer = (
            hands.ask(one, COMPONENT, "GetExtents", "u", 0, reply="(iiii)") for one in (item, view)
        )
        now = hands.get(bar, VALUE, "CurrentValue")
        top = hands.get(bar, VALUE, "MaximumValue")
        if inner is None or outer is None or not isinstance(now, float) or not isinstance(top, float):
            continue
        if inner[1] > -_FAR:
            stops = [now + inner[1] + inner[3] / 2 - outer[1] - outer[3] / 2]
        else:
            # GTK 3 does not say where it is, so the bar goes down all the way until it shows.
            page = max(1.0, outer[3] * 0.8)
            stops = [page * number for number in range(min(_PAGES, int(top / page) + 2))]
        for stop in stops:
            hands.set(bar, VALUE, "CurrentValue", Variant("d", max(0.0, min(top, stop))))
            hands.react(item)
            if not _away(hands, item):
                return True
    return False


def _away(hands: Hands, item: Item) -> bool:
    hands.refresh(item, Facet.STATES | Facet.EXTENTS)
    hands.look(item)
    build.build(item.app, hands.matched)
    if item.node is None or item.node.offscreen:
        return True
    return item.node.bounds is None and item.app.placed


def _scrolls(view: Item, item: Item) -> bool:
    """Whether a view is what has to be scrolled for an item inside to be seen."""
    if role_name(view) in ("scroll pane", "viewport", "document web"):
        return True
    if not view.app.how.clips or view.extents is None or item.extents is None or view.extents[3] <= 0:
        return False
    return Rect(*view.extents).intersection(Rect(*item.extents)) is None
