"""wx.grid.Grid: the rows and cells that are on the screen, and how many there are. Keys are `row.column`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import wx

from ...model.errors import ActionFailed, Stale
from ...model.node import Column, Node, Virtualization, VisibleRow, called
from ...model.operations import Select
from ..performer import Offer, no_column, read_only
from .drawn import Bounds, Drawn, Row, Rows, in_client, named
from .lists import ROWS_KEPT
from .place import Fields, Place

_COLUMNS_KEPT = 100
_SEARCHED = 100_000


class Cells(Drawn):
    """The cells of a grid. A row has the key `3`, its second cell `3.1`, a column header `c1`."""

    kind = "cell"

    def read(self, window: Any, place: Place, out: list[Node], registry: Any) -> None:
        rows, columns = window.GetNumberRows(), window.GetNumberCols()
        titles = tuple(
            Column(str(at), window.GetColLabelValue(at)) for at in range(min(columns, _COLUMNS_KEPT))
        )
        lines: list[VisibleRow] = []
        shown = _Shown(window, rows, columns)
        if place.visible and rows and columns:
            inner = window.GetGridWindow()
            origin = x, y = inner.ClientToScreen(0, 0)
            size = inner.GetClientSize()
            clip = place.clipped(x, y, size.width, size.height)
            self._headers(window, place, out, shown)
            for row in shown.rows:
                lines.append(self._row(window, row, shown, place, origin, clip, out))
        chosen = tuple(sorted(_selected_rows(window)))[:ROWS_KEPT]
        place.fields["virtualization"] = Virtualization(
            "table",
            rows,
            (shown.rows[0], shown.rows[-1]) if lines else None,
            chosen,
            window.GetGridCursorRow() if rows and window.GetGridCursorRow() >= 0 else None,
            titles,
            tuple(lines),
        )

    def _headers(self, window: Any, place: Place, out: list[Node], shown: _Shown) -> None:
        band = window.GetGridColLabelWindow()
        if not band.IsShown() or not window.GetColLabelSize():
            return
        x, y = band.ClientToScreen(0, 0)
        for column in shown.columns:
            left, width = shown.across[column]
            fields: Fields = {
                "uid": f"{place.uid}:{self.kind}:c{column}",
                "role": "column-header",
                "native_class": "wxGridColumnLabel",
                "properties": {"column": column},
            }
            named(fields, window.GetColLabelValue(column))
            out.append(place.put(fields, (x + left, y, width, window.GetColLabelSize())))

    def _row(
        self, window: Any, row: int, shown: _Shown, place: Place, origin: Any, clip: Any, out: list[Node]
    ) -> VisibleRow:
        top, height = shown.down[row]
        left = shown.across[shown.columns[0]][0]
        last = shown.across[shown.columns[-1]]
        fields: Fields = {
            "uid": f"{place.uid}:{self.kind}:{row}",
            "role": "row",
            "native_class": "wxGridRow",
            "actions": ("select",),
            "selected": False,
            "properties": {"row": row},
            "child_count": len(shown.columns),
        }
        if window.GetRowLabelSize() and (name := window.GetRowLabelValue(row)):
            fields["name"] = name
        x, y = origin
        out.append(place.put(fields, (x + left, y + top, last[0] + last[1] - left, height)))
        inside = Place(fields, (x, y), clip)
        inside.visible, inside.enabled = place.visible, place.enabled
        texts, whole = [], True
        for column in shown.columns:
            at, width = shown.across[column]
            cell = self._fields(window, row, column, place.uid)
            whole = whole and cell["selected"]
            out.append(inside.put(cell, (x + at, y + top, width, height)))
            texts.append((str(column), cell.get("text", "")))
        fields["selected"] = whole
        return VisibleRow(row, fields["uid"], tuple(texts))

    def _fields(self, window: Any, row: int, column: int, uid: str | None) -> Fields:
        text = window.GetCellValue(row, column)
        fields: Fields = {
            "uid": f"{uid}:{self.kind}:{row}.{column}",
            "role": "cell",
            "native_class": "wxGridCell",
            "selected": window.IsInSelection(row, column)
            or (window.GetGridCursorRow(), window.GetGridCursorCol()) == (row, column),
            "value": text,
            "actions": ("select", "press", "scroll-into-view"),
            "properties": {"row": row, "column": column},
        }
        named(fields, text)
        if window.IsEditable() and not window.IsReadOnly(row, column):
            fields["editable"] = True
            fields["focusable"] = True
            fields["actions"] = ("select", "press", "edit", "set-value", "scroll-into-view")
        return fields

    def one(self, window: Any, key: str, place: Place, registry: Any) -> Node:
        row, column = _place(window, key)
        if column is None:
            fields: Fields = {
                "uid": f"{place.uid}:{self.kind}:{key}",
                "role": "row",
                "native_class": "wxGridRow",
            }
            fields["properties"] = {"row": row}
            return place.put(fields, None)
        if row is None:
            fields = {"uid": f"{place.uid}:{self.kind}:{key}", "role": "column-header"}
            fields["native_class"] = "wxGridColumnLabel"
            named(fields, window.GetColLabelValue(column))
            return place.put(fields, None)
        node = place.put(self._fields(window, row, column, place.uid), self.bounds(window, key))
        return node.changed(parent=f"{place.uid}:{self.kind}:{row}")

    def bounds(self, window: Any, key: str) -> Bounds | None:
        row, column = _place(window, key)
        inner = window.GetGridWindow()
        if row is None:
            band = window.GetGridColLabelWindow()
            rect = window.CellToRect(0, column) if window.GetNumberRows() else wx.Rect(0, 0, 0, 0)
            x, _ = window.CalcScrolledPosition(rect.x, rect.y)
            return in_client(band, wx.Rect(x, 0, rect.width, window.GetColLabelSize()))
        rect = window.CellToRect(row, 0 if column is None else column)
        rect.x, rect.y = window.CalcScrolledPosition(rect.x, rect.y)
        return in_client(inner, rect)

    def call(self, window: Any, key: str) -> str:
        row, column = _place(window, key)
        if row is None:
            return called("column-header", window.GetColLabelValue(column), key)
        return f"row {row}" if column is None else f"cell {row},{column}"

    def press(self, window: Any, key: str) -> None:
        row, column = _place(window, key)
        if row is not None and column is not None:
            window.GoToCell(row, column)
            return
        super().press(window, key)

    def choose(self, window: Any, key: str, extend: bool) -> None:
        row, column = _place(window, key)
        if row is None:
            window.SelectCol(column, extend)
        elif column is None:
            window.SelectRow(row, extend)
        elif extend:
            window.SelectBlock(row, column, row, column, True)
        else:
            window.ClearSelection()
            window.GoToCell(row, column)

    def value(self, window: Any, key: str) -> str:
        row, column = _place(window, key)
        return "" if row is None or column is None else str(window.GetCellValue(row, column))

    def set_value(self, window: Any, key: str, value: str) -> None:
        row, column = _place(window, key)
        if row is None or column is None or not window.IsEditable() or window.IsReadOnly(row, column):
            raise read_only(self.call(window, key))
        import wx.grid as grids  # loaded by the program, which has a grid

        old = window.GetCellValue(row, column)
        changing = grids.GridEvent(window.GetId(), grids.EVT_GRID_CELL_CHANGING.typeId, window, row, column)
        changing.SetString(value)
        window.GetEventHandler().ProcessEvent(changing)
        if not changing.IsAllowed():
            raise ActionFailed(f"the program did not accept {value!r} in {self.call(window, key)}")
        window.SetCellValue(row, column, value)
        changed = grids.GridEvent(window.GetId(), grids.EVT_GRID_CELL_CHANGED.typeId, window, row, column)
        changed.SetString(old)
        window.GetEventHandler().ProcessEvent(changed)
        if not changed.IsAllowed():
            window.SetCellValue(row, column, old)
            raise ActionFailed(f"the program took {value!r} back from {self.call(window, key)}")
        window.ForceRefresh()

    def offer(self, window: Any, key: str | None) -> Offer:
        return _Rows(self, window)

    def cell(self, window: Any, key: str, column: int | None) -> str:
        row, first = _place(window, key)
        at = first if column is None else column
        if at is None or at >= window.GetNumberCols():
            raise no_column(self.title(window), at or 0, window.GetNumberCols())
        window.MakeCellVisible(row, at)
        return f"{row}.{at}"

    def number(self, key: str) -> int:
        return int(key.partition(".")[0])

    def _row_of(self, window: Any, row: int | None, text: str | None) -> tuple[int, int] | None:
        rows, columns = window.GetNumberRows(), window.GetNumberCols()
        if row is not None:
            return (row, 0) if 0 <= row < rows and columns else None
        for at in range(min(rows, _SEARCHED)):
            for column in range(min(columns, _COLUMNS_KEPT)):
                if window.GetCellValue(at, column) == text:
                    return at, column
        return None

    def show(self, window: Any, key: str) -> None:
        row, column = _place(window, key)
        window.MakeCellVisible(0 if row is None else row, 0 if column is None else column)

    def row(self, window: Any, row: int | None, text: str | None) -> str | None:
        found = self._row_of(window, row, text)
        return None if found is None else f"{found[0]}.{found[1]}"

    def rows(self, window: Any) -> int:
        return int(window.GetNumberRows())


class _Rows(Rows):
    """The rows of a grid, or single cells: by a column, or where whole rows cannot be selected."""

    def pick(self, action: Select) -> Row:
        cell = super().pick(action)
        whole = action.column is None and self.window.GetSelectionMode() == 1
        return replace(cell, key=str(cell.index)) if whole else cell


class _Shown:
    """The rows and columns of a grid that are on the screen, and where in its window."""

    def __init__(self, window: Any, rows: int, columns: int) -> None:
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.down: dict[int, tuple[int, int]] = {}
        self.across: dict[int, tuple[int, int]] = {}
        if not rows or not columns:
            return
        width, height = window.GetGridWindow().GetClientSize().Get()
        left, top = window.CalcUnscrolledPosition(0, 0)
        row = max(0, window.YToRow(top))
        rect = window.CellToRect(row, 0)
        y = rect.y - top
        while row < rows and y < height and len(self.rows) < ROWS_KEPT:
            tall = window.GetRowSize(row)
            if tall > 0:
                self.rows.append(row)
                self.down[row] = (y, tall)
            y += tall
            row += 1
        at = max(0, window.GetColPos(window.XToCol(left))) if window.XToCol(left) >= 0 else 0
        x = window.CellToRect(0, window.GetColAt(at)).x - left
        while at < columns and x < width and len(self.columns) < _COLUMNS_KEPT:
            column = window.GetColAt(at)
            wide = window.GetColSize(column)
            if wide > 0:
                self.columns.append(column)
                self.across[column] = (x, wide)
            x += wide
            at += 1
        if not self.columns:
            self.rows.clear()


def _selected_rows(window: Any) -> set[int]:
    rows = set(window.GetSelectedRows())
    rows.update(cell.Row for cell in window.GetSelectedCells())
    for first, last in zip(
        window.GetSelectionBlockTopLeft(), window.GetSelectionBlockBottomRight(), strict=True
    ):
        rows.update(range(first.Row, min(last.Row, first.Row + ROWS_KEPT) + 1))
    if not rows and window.GetGridCursorRow() >= 0:
        # Then the cell that the cursor is at is what is chosen.
        rows.add(window.GetGridCursorRow())
    return rows


def _place(window: Any, key: str) -> tuple[Any, Any]:
    row: int | None = None
    column: int | None
    if key.startswith("c"):
        column = int(key[1:])
    else:
        first, _, second = key.partition(".")
        row, column = int(first), int(second) if second else None
    if (row or 0) >= max(window.GetNumberRows(), 1) or (column or 0) >= window.GetNumberCols():
        raise Stale(f"the grid has no cell {key} any more")
    return row, column
