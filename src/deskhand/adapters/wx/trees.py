"""wx.TreeCtrl, and the trees that wx.lib.agw draws: the items that are on the screen.

Keys are the items' own addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import wx

from ...model.errors import ActionFailed, NotEditable, Stale
from ...model.node import Node, Virtualization, VisibleRow, called
from ...model.operations import Select
from ...model.record import dataclass
from ..choices import insist
from ..performer import Offer, one_only
from .drawn import Bounds, Drawn, Row, Rows, in_client, named, style_of
from .place import Fields, Place

_KEPT = 1000
_SEARCHED = 100_000
"""How many items are gone through in search of one."""


class Items(Drawn):
    """The items of a tree."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        count = window.GetCount()
        lines: list[VisibleRow] = []
        parents: dict[str, Place] = {}
        height = window.GetClientSize().height
        item = window.GetFirstVisibleItem() if count and place.visible else None
        while _is_there(item) and len(lines) < _KEPT:
            rect = window.GetBoundingRect(item)
            if rect is not None and rect.y >= height:
                break
            node = self._put(window, item, place, parents, out)
            lines.append(VisibleRow(len(lines), node.uid, (("0", node.text or ""),)))
            item = window.GetNextVisible(item)
        for under in parents.values():
            if under.count:
                under.fields["child_count"] = under.count
        place.fields["virtualization"] = Virtualization(
            "tree", count, (0, len(lines) - 1) if lines else None, (), None, (), tuple(lines)
        )

    def _put(self, window: Any, item: Any, place: Place, parents: dict[str, Place], out: list[Node]) -> Node:
        above = _parent(window, item)
        under = place if above is None else parents.get(_key(above))
        if under is None:
            # What it belongs to is scrolled away, but is what it is found by.
            self._put(window, above, place, parents, out)
            under = parents[_key(above)]
        fields = self._fields(window, item, place.uid)
        node = under.put(fields, self._rect(window, item))
        inside = Place(fields, (place.x, place.y), (place.left, place.top, place.right, place.bottom))
        inside.visible, inside.enabled = place.visible, place.enabled
        parents[_key(item)] = inside
        out.append(node)
        return node

    def _fields(self, window: Any, item: Any, uid: str | None) -> Fields:
        fields: Fields = {
            "uid": f"{uid}:{self.kind}:{_key(item)}",
            "role": "tree-item",
            "native_class": "wxTreeItem",
            "selected": window.IsSelected(item),
            "actions": ("press", "select", "scroll-into-view"),
        }
        named(fields, window.GetItemText(item))
        if window.ItemHasChildren(item):
            fields["expanded"] = window.IsExpanded(item)
            fields["actions"] = ("press", "select", "expand", "collapse", "scroll-into-view")
        if style_of(window) & wx.TR_EDIT_LABELS:
            fields["editable"] = True
            fields["actions"] += ("edit",)
        self._tick(window, item, fields)
        return fields

    def _tick(self, window: Any, item: Any, fields: Fields) -> None:
        state = window.GetItemState(item)
        if state != wx.TREE_ITEMSTATE_NONE:
            fields["checked"] = state == 1

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        item = self._find(window, key)
        return place.put(self._fields(window, item, place.uid), self._rect(window, item))

    def _rect(self, window: Any, item: Any) -> Bounds | None:
        rect = window.GetBoundingRect(item, True) if window.IsVisible(item) else None
        return None if rect is None else in_client(window, rect)

    def bounds(self, window: Any, key: str) -> Bounds | None:
        return self._rect(window, self._find(window, key))

    def call(self, window: Any, key: str) -> str:
        return called("tree-item", window.GetItemText(self._find(window, key)), key)

    def press(self, window: Any, key: str) -> None:
        item = self._find(window, key)
        window.SelectItem(item)
        event = wx.TreeEvent(wx.EVT_TREE_ITEM_ACTIVATED.typeId, window, item)
        window.GetEventHandler().ProcessEvent(event)

    def choose(self, window: Any, key: str, extend: bool) -> None:
        if extend and not style_of(window) & wx.TR_MULTIPLE:
            raise one_only(self.title(window))
        item = self._find(window, key)
        if not extend and style_of(window) & wx.TR_MULTIPLE:
            window.UnselectAll()
        window.SelectItem(item)
        window.EnsureVisible(item)

    def expand(self, window: Any, key: str, expanded: bool) -> None:
        item = self._find(window, key)
        if not window.ItemHasChildren(item):
            super().expand(window, key, expanded)
        (window.Expand if expanded else window.Collapse)(item)

    def value(self, window: Any, key: str) -> str:
        return str(window.GetItemText(self._find(window, key)))

    def set_value(self, window: Any, key: str, value: str) -> None:
        if not style_of(window) & wx.TR_EDIT_LABELS:
            super().set_value(window, key, value)
        item = self._find(window, key)
        # As its user does it, so that the program is asked whether it accepts this.
        editor = window.EditLabel(item)
        if editor is None:
            raise ActionFailed(f"the program does not let {self.call(window, key)} be edited")
        editor.SetValue(value)
        window.EndEditLabel(item)
        if window.GetItemText(item) != value:
            raise ActionFailed(f"the program did not accept {value!r}")

    def offer(self, window: Any, key: str | None) -> Offer:
        return _Items(self, window, below=key)

    def show(self, window: Any, key: str) -> None:
        window.EnsureVisible(self._find(window, key))

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        for at, item in enumerate(_all(window)):
            if at == row or (text is not None and window.GetItemText(item) == text):
                return _key(item)
        return None

    def rows(self, window: Any) -> int:
        return int(window.GetCount())

    def _find(self, window: Any, key: str) -> Any:
        # Compared only: an item that was deleted must not be asked for anything.
        found = next((item for item in _all(window) if _key(item) == key), None)
        if found is None:
            raise Stale(f"the tree item {key} is gone")
        return found


@dataclass(frozen=True)
class _Items(Rows):
    """The items of a tree: by text any of them, by number one of those right below a key."""

    below: str | None = None

    def pick(self, action: Select) -> Row:
        window, parts = self.window, cast("Items", self.parts)
        wanted = action.text if action.text is not None else action.value
        if wanted is not None:
            item = next((each for each in _all(window) if window.GetItemText(each) == wanted), None)
            if item is not None:
                return Row(0, wanted, key=_key(item))
        above = parts._find(window, self.below) if self.below is not None else _root(window)  # noqa: SLF001 - its own
        items = list(_children(window, above)) if above is not None else list(_tops(window))
        rows = [Row(at, window.GetItemText(item), key=_key(item)) for at, item in enumerate(items)]
        return cast("Row", insist(action, parts.title(window), rows))


class DrawnItems(Items):
    """Those of wx.lib.agw.customtreectrl, also inside a HyperTreeList."""

    def _tick(self, window: Any, item: Any, fields: Fields) -> None:
        if window.GetItemType(item):
            fields["checked"] = bool(window.IsItemChecked(item))
            fields["actions"] += ("toggle",)

    def press(self, window: Any, key: str) -> None:
        self.choose(window, key, extend=False)

    def tick(self, window: Any, key: str, checked: bool) -> None:
        window.CheckItem(self._find(window, key), checked)

    def set_value(self, window: Any, key: str, value: str) -> None:
        raise NotEditable(
            f"{self.call(window, key)} can be edited with the keyboard alone",
            suggestions=("select it, press F2 and type",),
        )


def _is_there(item: Any) -> bool:
    """Whether that is an item: wx tells by one that is not, what is drawn in Python by None."""
    return item is not None and bool(item.IsOk())


def _key(item: Any) -> str:
    return f"{int(item.GetID()) if hasattr(item, 'GetID') else id(item):x}"


def _root(window: Any) -> Any:
    """The root, if that is shown."""
    if style_of(window) & wx.TR_HIDE_ROOT:
        return None
    root = window.GetRootItem()
    return root if _is_there(root) else None


def _tops(window: Any) -> Iterator[Any]:
    root = window.GetRootItem()
    if _is_there(root):
        if style_of(window) & wx.TR_HIDE_ROOT:
            yield from _children(window, root)
        else:
            yield root


def _children(window: Any, item: Any) -> Iterator[Any]:
    child, cookie = window.GetFirstChild(item)
    while _is_there(child):
        yield child
        child, cookie = window.GetNextChild(item, cookie)


def _all(window: Any) -> Iterator[Any]:
    """All items, in the order of the tree."""
    stack = list(reversed(list(_tops(window))))
    for _ in range(_SEARCHED):
        if not stack:
            return
        item = stack.pop()
        yield item
        stack.extend(reversed(list(_children(window, item))))


def _parent(window: Any, item: Any) -> Any:
    above = window.GetItemParent(item)
    if not _is_there(above):
        return None
    hidden = style_of(window) & wx.TR_HIDE_ROOT and _key(above) == _key(window.GetRootItem())
    return None if hidden else above
