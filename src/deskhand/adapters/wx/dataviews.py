"""wx.dataview: lists and trees over a model. Keys are the way to an item in that: `0.2`, and `/column`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from ...model.errors import ActionFailed, InvalidParams, Stale
from ...model.node import Column, Node, Virtualization, VisibleRow, called
from ..performer import one_only, read_only
from .drawn import Bounds, Drawn, in_client, named
from .gtk import gtk, widget_of
from .kinds import describe
from .lists import ROWS_KEPT
from .place import Fields, Place

_COLUMNS_KEPT = 100
_SEARCHED = 20_000
"""How many items are gone through in search of one."""
_MULTIPLE = 1
"""wx.dataview.DV_MULTIPLE."""
_BOXES = 2
"""wx.dataview.TL_CHECKBOX."""
_TICKED = 1
"""wx.CHK_CHECKED."""


class Items(Drawn):
    """The items of a data view that are on the screen, and their cells."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        if window.GetModel() is None:
            return
        view = _View(window)
        if not view.flat:
            place.fields["role"] = "tree"
        lines: list[VisibleRow] = []
        parents: dict[tuple[int, ...], Place] = {(): place}
        for way, item in view.visible() if place.visible else ():
            under = parents.get(way[:-1], place)
            lines.append(self._row(view, way, item, under, place, out))
            inside = Place(out[-1 - len(view.cells)].fields, (place.x, place.y), _clip(place))
            inside.visible, inside.enabled = place.visible, place.enabled
            inside.count = len(view.cells)
            parents[way] = inside
        for way, inside in parents.items():
            if way:
                inside.fields["child_count"] = inside.count
        rows = [line.index for line in lines]
        place.fields["virtualization"] = Virtualization(
            "table" if view.flat else "tree",
            view.count,
            (min(rows), max(rows)) if rows else None,
            view.chosen_rows(),
            None,
            tuple(Column(str(column.GetModelColumn()), column.GetTitle()) for column in view.columns),
            tuple(lines),
        )

    def _row(
        self, view: _View, way: tuple[int, ...], item: Any, under: Place, place: Place, out: list[Node]
    ) -> VisibleRow:
        fields = self._fields(view, way, item, place.uid)
        out.append(under.put(fields, view.bounds(item, None)))
        inside = Place(fields, (place.x, place.y), _clip(place))
        inside.visible, inside.enabled = place.visible, place.enabled
        texts = []
        for column in view.cells:
            cell = self._cell(view, way, item, column, place.uid)
            cell["selected"] = fields["selected"]
            out.append(inside.put(cell, view.bounds(item, column)))
            texts.append((str(column.GetModelColumn()), cell.get("text", "")))
        if not view.flat:
            texts.insert(0, (str(view.columns[0].GetModelColumn()), fields.get("text", "")))
        return VisibleRow(way[-1], fields["uid"], tuple(texts))

    def _fields(self, view: _View, way: tuple[int, ...], item: Any, uid: str | None) -> Fields:
        fields: Fields = {
            "uid": f"{uid}:{self.kind}:{_key(way)}",
            "role": "row" if view.flat else "tree-item",
            "native_class": "wxDataViewItem",
            "selected": view.window.IsSelected(item),
            "actions": ("press", "select", "scroll-into-view"),
            "properties": {"row": way[-1]},
        }
        named(fields, view.title(item))
        if (checked := view.checked(item)) is not None:
            fields["checked"] = checked
        if not view.flat and view.model.IsContainer(item):
            fields["expanded"] = view.window.IsExpanded(item)
            fields["actions"] = ("press", "select", "expand", "collapse", "scroll-into-view")
        if checked is not None:
            fields["actions"] += ("toggle",)
        return fields

    def _cell(self, view: _View, way: tuple[int, ...], item: Any, column: Any, uid: str | None) -> Fields:
        at = column.GetModelColumn()
        fields: Fields = {
            "uid": f"{uid}:{self.kind}:{_key(way)}/{at}",
            "role": "cell",
            "native_class": "wxDataViewCell",
            "actions": ("press", "select"),
            "properties": {"row": way[-1], "column": at},
        }
        value = view.value(item, column)
        if isinstance(value, bool):
            fields["checked"] = value
            fields["actions"] = ("press", "select", "toggle")
        named(fields, _text(value))
        fields["value"] = _text(value)
        if column.GetRenderer() is not None and column.GetRenderer().GetMode() == 2:
            fields["editable"] = fields["focusable"] = True
            fields["actions"] = (*fields["actions"], "set-value", "edit")
        return fields

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        view, way, item, column = self._find(window, key)
        if column is None:
            return place.put(self._fields(view, way, item, place.uid), view.bounds(item, None))
        return place.put(self._cell(view, way, item, column, place.uid), view.bounds(item, column))

    def bounds(self, window: Any, key: str) -> Bounds | None:
        view, _, item, column = self._find(window, key)
        return view.bounds(item, column)

    def call(self, window: Any, key: str) -> str:
        view, _, item, column = self._find(window, key)
        if column is None:
            return called("row" if view.flat else "tree-item", view.title(item), key)
        return called("cell", view.text(item, column), key)

    # -- actions -----------------------------------------------------------------------------------

    def press(self, window: Any, key: str) -> None:
        view, _, item, column = self._find(window, key)
        if column is not None and isinstance(value := view.value(item, column), bool):
            self._change(view, item, column, not value)
            return
        self.choose(window, key, extend=False)
        view.tell("EVT_DATAVIEW_ITEM_ACTIVATED", item)

    def tick(self, window: Any, key: str, checked: bool) -> None:
        view, _, item, column = self._find(window, key)
        if column is None:
            view.tick(item, checked)
        else:
            self._change(view, item, column, checked)

    def expand(self, window: Any, key: str, expanded: bool) -> None:
        view, _, item, _ = self._find(window, key)
        if not view.model.IsContainer(item):
            super().expand(window, key, expanded)
        (window.Expand if expanded else window.Collapse)(item)

    def value(self, window: Any, key: str) -> str:
        view, _, item, column = self._find(window, key)
        return "" if column is None else view.text(item, column)

    def set_value(self, window: Any, key: str, value: str) -> None:
        view, _, item, column = self._find(window, key)
        if column is None or column.GetRenderer().GetMode() != 2:
            raise read_only(self.call(window, key))
        self._change(view, item, column, _like(view.value(item, column), value))

    def _change(self, view: _View, item: Any, column: Any, value: object) -> None:
        if not view.model.ChangeValue(value, item, column.GetModelColumn()):
            raise ActionFailed(f"the program did not accept {value!r}")

    def choose(self, window: Any, key: str, extend: bool) -> None:
        view, _, item, _ = self._find(window, key)
        if extend and not window.GetWindowStyleFlag() & _MULTIPLE:
            raise one_only(self.title(window))
        if not extend:
            window.UnselectAll()
        window.Select(item)
        window.EnsureVisible(item)
        view.tell("EVT_DATAVIEW_SELECTION_CHANGED", item)

    def title(self, window: Any) -> str:
        return describe(window, None if _View(window).flat else "tree")

    def text(self, window: Any, key: str) -> str:
        view, _, item, _ = self._find(window, key)
        return view.title(item)

    def number(self, key: str) -> int:
        return int(key.rpartition(".")[2])

    def show(self, window: Any, key: str) -> None:
        _, _, item, _ = self._find(window, key)
        window.EnsureVisible(item)

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        found = _View(window).search(row, text)
        return None if found is None else _key(found[0])

    def rows(self, window: Any) -> int:
        return _View(window).count

    def _find(self, window: Any, key: str) -> tuple[_View, tuple[int, ...], Any, Any]:
        path, _, at = key.partition("/")
        way = tuple(int(number) for number in path.split("."))
        view = _View(window)
        item = view.item(way)
        column = next((each for each in view.columns if at and each.GetModelColumn() == int(at)), None)
        return view, way, item, column


class _View:
    """A data view and its model."""

    def __init__(self, window: Any) -> None:
        self.window = window
        # The store of a list says more than what it is as a model.
        self.model = window.GetStore() if hasattr(window, "GetStore") else window.GetModel()
        self._module = sys.modules["wx.dataview"]
        every = [window.GetColumn(at) for at in range(min(window.GetColumnCount(), _COLUMNS_KEPT))]
        self.columns = [column for column in every if not column.IsHidden()]
        self.flat = bool(self.model.IsListModel()) or hasattr(self.model, "GetItem")
        self.cells = self.columns if self.flat else self.columns[1:]
        """The columns whose cells are reported; the first of a tree is the item itself."""
        above = window.GetParent()
        # Python has no type for what is in the view of that one.
        self._owner: Any = above if type(above).__name__ == "TreeListCtrl" else None
        self._owned: dict[int, Any] | None = None

    @property
    def count(self) -> int:
        """How many items there are at the top."""
        if self.flat and hasattr(self.model, "GetCount"):
            return int(self.model.GetCount())
        return len(self._children(self._module.DataViewItem()))

    def item(self, way: tuple[int, ...]) -> Any:
        """The item at the end of a way; Stale if there is none."""
        if self.flat and hasattr(self.model, "GetItem"):
            if way[0] >= self.count:
                raise Stale(f"the view has no row {way[0]} any more")
            return self.model.GetItem(way[0])
        item = self._module.DataViewItem()
        for at in way:
            children = self._children(item)
            if at >= len(children):
                raise Stale(f"the view has no item {_key(way)} any more")
            item = children[at]
        return item

    def visible(self) -> Iterator[tuple[tuple[int, ...], Any]]:
        """The items on the screen, and those above them."""
        if self.flat and hasattr(self.model, "GetItem"):
            rows = self._visible_rows()
            for row in range(rows[0], rows[1] + 1):
                yield (row,), self.model.GetItem(row)
            return
        height = self.window.GetClientSize().height
        shown = 0
        for way, item in self.all(only_open=True):
            rect = self.window.GetItemRect(item)
            on_screen = rect.height > 0 and rect.y < height and rect.y + rect.height > 0
            # What is above something on the screen is needed for the way to it.
            if on_screen or self.model.IsContainer(item):
                shown += 1
                yield way, item
            if shown >= ROWS_KEPT:
                return

    def _visible_rows(self) -> tuple[int, int]:
        count = self.count
        found = gtk.visible_rows(gtk.tree_view(widget_of(self.window))) if gtk is not None and count else None
        if found is None:
            return 0, min(count, ROWS_KEPT) - 1
        return found[0], min(found[1], found[0] + ROWS_KEPT, count - 1)

    def all(self, only_open: bool = False) -> Iterator[tuple[tuple[int, ...], Any]]:
        """All items, in the order of the tree."""
        if self.flat and hasattr(self.model, "GetItem"):
            for row in range(min(self.count, _SEARCHED)):
                yield (row,), self.model.GetItem(row)
            return
        top = self._children(self._module.DataViewItem())
        stack: list[tuple[tuple[int, ...], Any]] = [((at,), item) for at, item in enumerate(top)]
        stack.reverse()
        for _ in range(_SEARCHED):
            if not stack:
                return
            way, item = stack.pop()
            yield way, item
            if self.model.IsContainer(item) and (not only_open or self.window.IsExpanded(item)):
                stack += [((*way, at), child) for at, child in enumerate(self._children(item))][::-1]

    def search(self, row: int | None, text: str | None) -> tuple[tuple[int, ...], Any] | None:
        """An item by its number at the top, or by a text anywhere."""
        if row is not None:
            return ((row,), self.item((row,))) if 0 <= row < self.count else None
        for way, item in self.all():
            if any(self.text(item, column) == text for column in self.columns):
                return way, item
        return None

    def chosen_rows(self) -> tuple[int, ...]:
        if not self.flat or not hasattr(self.model, "GetRow"):
            return ()
        return tuple(sorted(self.model.GetRow(item) for item in self.window.GetSelections()))[:ROWS_KEPT]

    def value(self, item: Any, column: Any) -> Any:
        if self._owner is not None:
            return self._owner.GetItemText(self.owned(item), column.GetModelColumn())
        try:
            return self.model.GetValue(item, column.GetModelColumn())
        except TypeError:
            return None  # of a type that Python has nothing for

    def checked(self, item: Any) -> bool | None:
        """Whether an item of a wx.dataview.TreeListCtrl is ticked; None if it cannot be."""
        if self._owner is None or not self._owner.GetWindowStyleFlag() & _BOXES:
            return None
        return int(self._owner.GetCheckedState(self.owned(item))) == _TICKED

    def tick(self, item: Any, checked: bool) -> None:
        """Tick an item of a wx.dataview.TreeListCtrl."""
        assert self._owner is not None, "only such items can be ticked"
        self._owner.CheckItem(self.owned(item), _TICKED if checked else 0)

    def owned(self, item: Any) -> Any:
        """The item of a wx.dataview.TreeListCtrl that one of its inner view stands for: both are in the same
        order."""
        if self._owned is None:
            self._owned = {}
            other = self._owner.GetFirstItem()
            for _, shown in self.all():
                if not other.IsOk():
                    break
                self._owned[int(shown.GetID())] = other
                other = self._owner.GetNextItem(other)
        found = self._owned.get(int(item.GetID()))
        if found is None:
            raise Stale("the view has no such item any more")
        return found

    def text(self, item: Any, column: Any) -> str:
        return _text(self.value(item, column))

    def title(self, item: Any) -> str:
        """What to call an item: by its first column, or the first that is more than a tick."""
        values = [self.value(item, column) for column in self.columns[: None if self.flat else 1]]
        return _text(next((value for value in values if not isinstance(value, bool)), *values[:1] or ("",)))

    def bounds(self, item: Any, column: Any) -> Bounds | None:
        if column is None and self.columns:
            first, last = self.bounds(item, self.columns[0]), self.bounds(item, self.columns[-1])
            if first is None or last is None:
                return first
            return first[0], first[1], last[0] + last[2] - first[0], first[3]
        rect = self.window.GetItemRect(item, column)
        return in_client(self.window, rect) if rect.width > 0 and rect.height > 0 else None

    def tell(self, name: str, item: Any) -> None:
        """Let the program hear of what its user would have done."""
        event = self._module.DataViewEvent(getattr(self._module, name).typeId, self.window, item)
        self.window.GetEventHandler().ProcessEvent(event)

    def _children(self, item: Any) -> list[Any]:
        found = self._module.DataViewItemArray()
        self.model.GetChildren(item, found)
        # Copies: what an array gives goes with it.
        return [self._module.DataViewItem(child) for child in found]


def _key(way: tuple[int, ...]) -> str:
    return ".".join(map(str, way))


def _clip(place: Place) -> tuple[int, int, int, int]:
    return place.left, place.top, place.right, place.bottom


def _text(value: Any) -> str:
    if value is None:
        return ""
    if hasattr(value, "GetText"):
        return str(value.GetText())
    return str(value).lower() if isinstance(value, bool) else str(value)


def _like(old: Any, value: str) -> object:
    """A value of the same type as before."""
    try:
        if isinstance(old, bool):
            return value.strip().lower() in ("true", "1", "yes", "on")
        return type(old)(value) if isinstance(old, (int, float)) else value
    except ValueError:
        raise InvalidParams(f"{value!r} is not a number, as this cell needs", field="value") from None
