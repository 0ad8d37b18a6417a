"""Bringing QML items, and the rows of QML views, into view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.errors import OptionNotFound
from . import quick_aim
from .binding import Binding
from .hands import Hands
from .quick_call import call, evaluate, texts

_CONTAIN = 4
"""Scroll as little as needed: ItemView.Contain."""
_MOST_PAGES = 200
"""How far a view whose model cannot be searched is leafed through."""


def into_view(hands: Hands, item: Any) -> None:
    """Scroll every flickable around an item so that it shows."""
    for above in quick_aim.parents(item):
        if above.inherits("QQuickFlickable"):
            _show_in(hands, above, item)


def to_row(hands: Hands, item: Any, row: int | None, text: str | None) -> tuple[Any, int]:
    """Scroll a view to a row, by number or by a text in it; gives the view and the number."""
    view = inner_view(item)
    if view is None:
        raise hands.unsupported(item, "has no rows", "target a ListView, GridView or TableView")
    count = row_count(view)
    found = find_row(hands.binding, view, text or "") if row is None else row if 0 <= row < count else None
    if found is None:
        what = f"row {text!r}" if row is None else f"row {row}"
        near = [each for _, delegate in delegates(hands.binding, view) for each in texts(delegate)]
        raise OptionNotFound(
            f"{hands.call(item)} has no {what}; it has {count} rows", options=near[:100], options_count=count
        )
    position(hands.binding, view, found)
    return view, found


def inner_view(item: Any) -> Any:
    """The view that an item is, or that a ScrollView shows; None if there is none."""
    if item.inherits("QQuickItemView") or item.inherits("QQuickTableView"):
        return item
    return next((found for child in item.childItems() if (found := inner_view(child)) is not None), None)


def row_count(view: Any) -> int:
    """How many rows a view has."""
    count = view.property("rows") if view.inherits("QQuickTableView") else view.property("count")
    return int(count or 0)


def position(binding: Binding, view: Any, row: int) -> None:
    """Scroll so that a row shows."""
    if view.inherits("QQuickTableView"):
        evaluate(binding, view, f"positionViewAtRow({row}, TableView.Visible)")
        call(binding, view, "forceLayout")
    else:
        call(binding, view, "positionViewAtIndex", row, _CONTAIN)


def delegates(binding: Binding, view: Any) -> Iterator[tuple[int, Any]]:
    """The items that show rows, with the number of the row. Headers and highlights have none."""
    content = view.property("contentItem")
    for item in content.childItems() if content is not None else ():
        row = row_of(binding, view, item)
        if row is not None:
            yield row, item


def row_of(binding: Binding, view: Any, item: Any, name: str = "") -> int | None:
    """Which row (or column) of a view an item shows; None if it shows none."""
    name = name or ("row" if view.inherits("QQuickTableView") else "index")
    row = item.property(name)
    if row is None:
        context = binding.QtQml.QQmlEngine.contextForObject(item)
        row = context.contextProperty(name) if context is not None else None
    return row if isinstance(row, int) else None


def delegate(
    binding: Binding, view: Any, row: int, column: int | None = None, text: str | None = None
) -> Any:
    """The item that shows a row, or that cell of it; None if there is none now."""
    items = sorted((item for at, item in delegates(binding, view) if at == row), key=lambda item: item.x())
    if column is not None:
        items = [item for item in items if row_of(binding, view, item, "column") == column]
    with_text = (item for item in items if text is not None and text in texts(item))
    return next(with_text, items[0] if items else None)


def find_row(binding: Binding, view: Any, text: str) -> int | None:
    """The first row that shows a text: by its model where that can be searched, else by looking at each."""
    model = view.property("model")
    if isinstance(model, binding.QtCore.QAbstractItemModel):
        found = _in_model(binding, model, text)
        if found is not None:
            return found
    elif isinstance(model, list):
        return next((at for at, each in enumerate(model) if str(each) == text), None)
    # Fallback: what the delegates make of their data is known only by looking at them.
    return _leaf_through(binding, view, text)


def _in_model(binding: Binding, model: Any, text: str) -> int | None:
    exactly = binding.Qt.MatchFlag.MatchExactly
    is_list = isinstance(model, binding.QtCore.QAbstractListModel)  # whose columnCount() is private
    whole = binding.QtCore.QModelIndex()
    for column in range(1 if is_list else min(model.columnCount(whole), 100)):
        start = model.index(0, column, whole)
        for role in model.roleNames() if start.isValid() else ():
            hits = model.match(start, role, text, 1, exactly)
            if hits:
                return int(hits[0].row())
    return None


def _leaf_through(binding: Binding, view: Any, text: str) -> int | None:
    before = view.property("contentX"), view.property("contentY")
    at = -1
    for _ in range(_MOST_PAGES):
        seen = dict(delegates(binding, view))
        for row in sorted(seen):
            if text in texts(seen[row]):
                return row
        # What shows now is looked at first, then everything from the beginning.
        at = 0 if at < 0 else max(at, max(seen, default=-1)) + 1
        if at >= row_count(view):
            break
        position(binding, view, at)
    view.setProperty("contentX", before[0])
    view.setProperty("contentY", before[1])
    return None


def _show_in(hands: Hands, flickable: Any, item: Any) -> None:
    content = flickable.property("contentItem")
    rect = item.mapRectToItem(content, hands.binding.QtCore.QRectF(0, 0, item.width(), item.height()))
    for name, low, high, size in (
        ("contentX", rect.left(), rect.right(), flickable.width()),
        ("contentY", rect.top(), rect.bottom(), flickable.height()),
    ):
        at = flickable.property(name)
        if low < at:
            flickable.setProperty(name, low)
        elif high > at + size:
            flickable.setProperty(name, min(low, high - size))
