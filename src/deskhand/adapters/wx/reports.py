"""wx.ListCtrl, and the one that wx.lib.agw draws: in report view rows and cells, otherwise items.

Virtual ones are read as far as they show.
"""

from __future__ import annotations

from typing import Any

import wx

from ...model.errors import Stale
from ...model.node import Column, Node, Virtualization, VisibleRow, called
from ..performer import one_only
from .drawn import Bounds, Drawn, in_client, named, style_of
from .kinds import describe
from .lists import ROWS_KEPT
from .place import Fields, Place

_COLUMNS_KEPT = 100
_SEARCHED = 100_000


class Report(Drawn):
    """The rows of a list control, with the key `3`; the cells in report view, with `3.1`; headers, `c1`."""

    kind = "item"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        count = window.GetItemCount()
        report = _is_report(window)
        columns = _columns(window) if report else []
        if not report:
            place.fields["role"] = "list"
        lines: list[VisibleRow] = []
        first, last = self._visible(window, count, report)
        if place.visible:
            if report:
                self._headers(window, place, out, columns)
            for row in range(first, last + 1):
                lines.append(self._row(window, row, place, columns, out))
        chosen, focused = _chosen(window), window.GetFocusedItem()
        place.fields["virtualization"] = Virtualization(
            "table" if report else "list",
            count,
            (first, last) if lines else None,
            chosen,
            focused if focused >= 0 else None,
            tuple(Column(str(at), window.GetColumn(at).GetText()) for at in columns),
            tuple(lines),
        )

    def _visible(self, window: Any, count: int, report: bool) -> tuple[int, int]:
        if not count:
            return 0, -1
        if not report:
            return 0, min(count, ROWS_KEPT) - 1
        first = max(0, window.GetTopItem())
        return first, min(first + window.GetCountPerPage(), count - 1, first + ROWS_KEPT)

    def _headers(self, window: Any, place: Place, out: list[Node], columns: list[int]) -> None:
        if style_of(window) & wx.LC_NO_HEADER:
            return
        for column in columns:
            fields: Fields = {
                "uid": f"{place.uid}:{self.kind}:c{column}",
                "role": "column-header",
                "native_class": "wxListColumn",
                "properties": {"column": column},
            }
            named(fields, window.GetColumn(column).GetText())
            out.append(place.put(fields, self.bounds(window, f"c{column}")))

    def _row(self, window: Any, row: int, place: Place, columns: list[int], out: list[Node]) -> VisibleRow:
        fields = self._fields(window, row, place.uid, columns)
        out.append(place.put(fields, self.bounds(window, str(row))))
        if not columns:
            return VisibleRow(row, fields["uid"], (("0", fields.get("text", "")),))
        inside = Place(fields, (place.x, place.y), (place.left, place.top, place.right, place.bottom))
        inside.visible, inside.enabled = place.visible, place.enabled
        texts = []
        for column in columns:
            text = self._text(window, row, column)
            cell: Fields = {
                "uid": f"{place.uid}:{self.kind}:{row}.{column}",
                "role": "cell",
                "native_class": "wxListItem",
                "selected": fields["selected"],
                "actions": ("press", "select"),
                "properties": {"row": row, "column": column},
            }
            named(cell, text)
            out.append(inside.put(cell, self.bounds(window, f"{row}.{column}")))
            texts.append((str(column), text))
        fields["child_count"] = len(columns)
        return VisibleRow(row, fields["uid"], tuple(texts))

    def _fields(self, window: Any, row: int, uid: str | None, columns: list[int]) -> Fields:
        fields: Fields = {
            "uid": f"{uid}:{self.kind}:{row}",
            "role": "row" if columns else "list-item",
            "native_class": "wxListItem",
            "selected": window.IsSelected(row),
            "actions": ("press", "select", "scroll-into-view"),
            "properties": {"row": row},
        }
        named(fields, window.GetItemText(row))
        if self._has_box(window, row):
            fields["checked"] = bool(window.IsItemChecked(row))
            fields["actions"] += ("toggle",)
        return fields

    def _text(self, window: Any, row: int, column: int) -> str:
        return str(window.GetItemText(row, column))

    def _has_box(self, window: Any, row: int) -> bool:
        """Whether a row can be ticked."""
        return bool(window.HasCheckBoxes())

    def _tick(self, window: Any, row: int, checked: bool) -> None:
        window.CheckItem(row, checked)

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        row, column = _place(window, key)
        if row is None or column is not None:
            fields: Fields = {
                "uid": f"{place.uid}:{self.kind}:{key}",
                "role": "cell" if row is not None else "column-header",
                "native_class": "wxListItem",
                "actions": ("press", "select"),
            }
            named(
                fields,
                self._text(window, row, column) if row is not None else window.GetColumn(column).GetText(),
            )
            return place.put(fields, self.bounds(window, key))
        columns = _columns(window) if _is_report(window) else []
        return place.put(self._fields(window, row, place.uid, columns), self.bounds(window, key))

    def bounds(self, window: Any, key: str) -> Bounds | None:
        row, column = _place(window, key)
        if row is None:
            inner = [child for child in window.GetChildren() if child.IsShown()]
            if len(inner) < 2:
                return None
            header = min(inner, key=lambda child: child.GetSize().height)
            left = sum(window.GetColumnWidth(at) for at in _columns(window) if at < column)
            # Rows and headers are scrolled sideways together.
            left += window.GetItemRect(window.GetTopItem()).x if window.GetItemCount() else 0
            x, y, _, height = header.GetScreenRect().Get()
            return x + left, y, window.GetColumnWidth(column), height
        rect = window.GetItemRect(row)
        if column is not None:
            left = sum(window.GetColumnWidth(at) for at in _columns(window) if at < column)
            rect = wx.Rect(rect.x + left, rect.y, window.GetColumnWidth(column), rect.height)
        return in_client(window, rect)

    def call(self, window: Any, key: str) -> str:
        row, column = _place(window, key)
        if row is None:
            return f"column-header {column}"
        if column is not None:
            return called("cell", window.GetItemText(row, column), key)
        return called("row" if _is_report(window) else "list-item", window.GetItemText(row), key)

    def press(self, window: Any, key: str) -> None:
        row, column = _place(window, key)
        if row is None:
            event = wx.ListEvent(wx.EVT_LIST_COL_CLICK.typeId, window.GetId())
            event.SetColumn(column)
            event.SetEventObject(window)
            window.GetEventHandler().ProcessEvent(event)
            return
        self.choose(window, key, extend=False)
        event = wx.ListEvent(wx.EVT_LIST_ITEM_ACTIVATED.typeId, window.GetId())
        event.SetIndex(row)
        event.SetEventObject(window)
        window.GetEventHandler().ProcessEvent(event)

    def tick(self, window: Any, key: str, checked: bool) -> None:
        row, _ = _place(window, key)
        assert row is not None, "the head has no boxes"
        self._tick(window, row, checked)

    def choose(self, window: Any, key: str, extend: bool) -> None:
        row, _ = _place(window, key)
        if row is None:
            self.press(window, key)
            return
        if extend and style_of(window) & wx.LC_SINGLE_SEL:
            raise one_only(self.title(window))
        if not extend:
            for at in _chosen(window):
                if at != row:
                    window.Select(at, 0)
        window.Select(row)
        window.Focus(row)

    def title(self, window: Any) -> str:
        return describe(window, None if _is_report(window) else "list")

    def show(self, window: Any, key: str) -> None:
        row, _ = _place(window, key)
        if row is not None:
            window.EnsureVisible(row)

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        count = window.GetItemCount()
        if row is not None:
            return str(row) if 0 <= row < count else None
        columns = _columns(window) if _is_report(window) else [0]
        for at in range(min(count, _SEARCHED)):
            if any(self._text(window, at, column) == text for column in columns):
                return str(at)
        return None

    def rows(self, window: Any) -> int:
        return int(window.GetItemCount())

    def text(self, window: Any, key: str) -> str:
        return str(window.GetItemText(int(key)))


class DrawnReport(Report):
    """wx.lib.agw.ultimatelistctrl, whose rows may have boxes to tick each."""

    def _text(self, window: Any, row: int, column: int) -> str:
        return str(window.GetItem(row, column).GetText())

    def _has_box(self, window: Any, row: int) -> bool:
        return bool(window.GetItem(row).GetKind())

    def _tick(self, window: Any, row: int, checked: bool) -> None:
        item = window.GetItem(row)
        item.Check(checked)
        window.SetItem(item)


def _is_report(window: Any) -> bool:
    return bool(style_of(window) & wx.LC_REPORT)


def _columns(window: Any) -> list[int]:
    return list(range(min(window.GetColumnCount(), _COLUMNS_KEPT)))


def _chosen(window: Any) -> tuple[int, ...]:
    rows: list[int] = []
    at = window.GetFirstSelected()
    while at != -1 and len(rows) < ROWS_KEPT:
        rows.append(at)
        at = window.GetNextSelected(at)
    return tuple(rows)


def _place(window: Any, key: str) -> tuple[Any, Any]:
    if key.startswith("c"):
        return None, int(key[1:])
    first, _, second = key.partition(".")
    row, column = int(first), int(second) if second else None
    if row >= window.GetItemCount():
        raise Stale(f"the list has no row {row} any more")
    return row, column
