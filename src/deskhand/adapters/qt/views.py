"""Lists, tables and trees: the rows and cells that are on the screen, and how many there are.

Never goes through a model: what is visible is found by position, so a table of a hundred thousand rows costs
no more than one of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from ...model.node import Column, Node, Virtualization, VisibleRow
from .binding import Binding
from .handles import Registry, header_text
from .place import Fields, Place

CELLS_KEPT = 5_000
"""How many cells of a view are read at the most."""
_SELECTED_KEPT = 100
_COLUMNS_KEPT = 100
_SCANNED = 5_000
"""How many hidden rows are passed over in search of visible ones."""

_SELECTABLE, _EDITABLE, _CHECKABLE, _ENABLED = 1, 2, 16, 32

Rect4 = tuple[int, int, int, int]


class Views:
    """Reads item views."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self._binding = binding
        self._registry = registry
        self._check_role = binding.Qt.ItemDataRole.CheckStateRole
        core = binding.QtCore
        plain = (core.QAbstractItemModel, core.QAbstractTableModel, core.QAbstractListModel)
        self._plain_flags = {id(model.flags) for model in plain}
        self._point: Any = core.QPoint

    # -- lists ---------------------------------------------------------------------------------

    def read_list(self, view: Any, place: Place, out: list[Node]) -> None:
        """The items of a list that are on the screen."""
        model, root, inside = self._begin(view, place)
        if model is None:
            return
        count, columns = model.rowCount(root), self._registry.columns(model, root)
        column = view.modelColumn()
        selected = _Selected(view)
        reader = _Cells(self, view, model)
        lines: list[VisibleRow] = []
        rows: list[int] = []
        if place.visible and count:
            for row, rect in self._list_rows(view, model, root, column, count):
                index = model.index(row, column, root)
                first = index if column == 0 else index.sibling(row, 0)
                line = self._registry.line(place.uid, first, columns)
                text, fields = reader.fields(index, "list-item", selected(row, column))
                uid = fields["uid"] = self._registry.cell(line, column, text)
                fields["properties"] = {"row": row}
                out.append(inside.node(fields, *rect))
                lines.append(VisibleRow(row, uid, (("0", text),)))
                rows.append(row)
        self._end(view, place, inside, "list", count, rows, selected.rows(), (), tuple(lines))

    def _list_rows(
        self, view: Any, model: Any, root: Any, column: int, count: int
    ) -> Iterator[tuple[int, Rect4]]:
        size = view.viewport().size()
        width, height = size.width(), size.height()
        first = self._first_of_list(view, width, height)
        seen = missed = 0
        for row in range(first, min(count, first + _SCANNED)):
            rect = view.visualRect(model.index(row, column, root)).getRect()
            x, y, w, h = rect
            if w > 0 and h > 0 and x < width and y < height and x + w > 0 and y + h > 0:
                missed = 0
                seen += 1
                yield row, rect
                if seen >= CELLS_KEPT:
                    return
            elif w > 0 and h > 0:
                # In a list that wraps, some of what follows may be visible again.
                missed += 1
                if missed > 50:
                    return

    def _first_of_list(self, view: Any, width: int, height: int) -> int:
        for y in (*range(1, min(height, 65), 8), *range(65, height, 32)):
            for x in (2, width // 2, width - 2):
                index = view.indexAt(self._point(x, y))
                if index.isValid():
                    return int(index.row())
        return 0

    # -- tables --------------------------------------------------------------------------------

    def read_table(self, view: Any, place: Place, out: list[Node]) -> None:
        """Headers, rows and cells of a table that are on the screen."""
        model, root, inside = self._begin(view, place)
        if model is None:
            return
        count, columns = model.rowCount(root), self._registry.columns(model, root)
        across, down = view.horizontalHeader(), view.verticalHeader()
        titles = self._columns(across, columns)
        selected = _Selected(view)
        lines: list[VisibleRow] = []
        rows: list[int] = []
        if place.visible:
            shown = list(_sections(across, view.viewport().width(), columns))
            self._headers(view, across, shown, place, out)
            reader = _Cells(self, view, model)
            named = down.isVisible()
            left = min((x for _, x, _ in shown), default=0)
            wide = max((x + w for _, x, w in shown), default=0) - left
            room = CELLS_KEPT
            for row, y, tall in _sections(down, view.viewport().height(), count) if shown else ():
                line = self._registry.line(place.uid, model.index(row, 0, root), columns)
                name = header_text(down, row) if named else None
                fields: Fields = {
                    "uid": self._registry.cell(line, -1, name),
                    "role": "row",
                    "native_class": "QModelIndex",
                    "actions": ("select",),
                    "selected": selected.whole_row(row, columns),
                    "properties": {"row": row},
                }
                if name:
                    fields["name"] = name
                out.append(inside.node(fields, left, y, wide, tall))
                cells = self._row(view, model, root, row, line, (y, tall), shown, reader, selected, inside)
                fields["child_count"] = len(cells)
                for cell in cells:
                    cell.fields["parent"] = fields["uid"]
                out.extend(cells)
                texts = tuple((str(cell.properties["column"]), cell.text or "") for cell in cells)
                lines.append(VisibleRow(row, fields["uid"], texts))
                rows.append(row)
                room -= len(cells)
                if room <= 0:
                    break
        self._end(view, place, inside, "table", count, rows, selected.rows(), titles, tuple(lines))

    def _row(
        self,
        view: Any,
        model: Any,
        root: Any,
        row: int,
        line: Any,
        vertical: tuple[int, int],
        shown: list[tuple[int, int, int]],
        reader: _Cells,
        selected: _Selected,
        inside: Place,
    ) -> list[Node]:
        y, tall = vertical
        cells: list[Node] = []
        before = inside.count
        for column, x, width in shown:
            index = model.index(row, column, root)
            text, fields = reader.fields(index, "cell", selected(row, column))
            fields["uid"] = self._registry.cell(line, column, text)
            fields["properties"] = {"row": row, "column": column}
            if view.columnSpan(row, column) > 1 or view.rowSpan(row, column) > 1:
                spanned = view.visualRect(index)
                if spanned.y() < y or (spanned.x() < x and cells):
                    continue  # covered by a cell that spans more than its own place
                cells.append(inside.node(fields, *spanned.getRect()))
            else:
                cells.append(inside.node(fields, x, y, width, tall))
        inside.count = before
        return cells

    def _headers(
        self, view: Any, header: Any, shown: list[tuple[int, int, int]], place: Place, out: list[Node]
    ) -> None:
        if not header.isVisible():
            return
        at = header.pos()
        band = _shifted(place, header, at.x(), at.y())
        sorted_by = header.sortIndicatorSection() if header.isSortIndicatorShown() else -1
        ascending = self._binding.Qt.SortOrder.AscendingOrder
        for section, x, width in shown:
            text = header_text(header, section) or ""
            fields: Fields = {
                "uid": self._registry.header(header, section, text),
                "role": "column-header",
                "native_class": "QHeaderSection",
                "name": text,
                "text": text,
                "properties": {"column": section},
            }
            if header.sectionsClickable():
                fields["actions"] = ("press",)
            if section == sorted_by:
                order = "ascending" if header.sortIndicatorOrder() == ascending else "descending"
                fields["properties"]["sorted"] = order
            out.append(band.node(fields, x, 0, width, header.height()))
        place.count += band.count

    def _columns(self, header: Any, count: int) -> tuple[Column, ...]:
        return tuple(
            Column(str(section), header_text(header, section) or "")
            for section in range(min(count, _COLUMNS_KEPT))
        )

    # -- trees ---------------------------------------------------------------------------------

    def read_tree(self, view: Any, place: Place, out: list[Node]) -> None:
        """The items of a tree that are on the screen, below those they belong to."""
        model, root, inside = self._begin(view, place)
        if model is None:
            return
        count, columns = model.rowCount(root), self._registry.columns(model, root)
        header = view.header()
        titles = self._columns(header, columns)
        selected = _Selected(view, nested=True)
        walk = _Walk(self, view, model, root, inside, selected, columns, out)
        if place.visible and count and columns:
            shown = list(_sections(header, view.viewport().width(), columns))
            self._headers(view, header, shown, place, out)
            walk.columns = [column for column, _, _ in shown]
            walk.run()
        self._end(view, place, inside, "tree", count, walk.rows, selected.rows(), titles, tuple(walk.lines))

    # -- all -----------------------------------------------------------------------------------

    def one(self, item: Any, place: Place) -> Node:
        """An item on its own, also one that is not on the screen."""
        view, index = item.view, self._binding.QtCore.QModelIndex(item.index)
        roles = self._binding.QtWidgets
        role = "row" if item.row else "cell"
        if not item.row and isinstance(view, roles.QListView):
            role = "list-item"
        elif not item.row and isinstance(view, roles.QTreeView) and index.column() == 0:
            role = "tree-item"
        model = view.model()
        selected = _Selected(view)
        _, fields = _Cells(self, view, model).fields(index, role, selected.index(index))
        fields["uid"] = self._registry.item(view, item.index, item.row)
        fields["properties"] = {"row": index.row(), "column": index.column()}
        if role == "tree-item":
            _branch(view, model, index, fields)
        inside = self._inside(view, place)
        rect = view.visualRect(index).getRect()
        node = inside.node(fields, *rect)
        if rect[2] <= 0 or rect[3] <= 0:
            node.fields.pop("bounds", None)
            node.fields["offscreen"] = inside.visible
        return node

    def _begin(self, view: Any, place: Place) -> tuple[Any, Any, Place]:
        model = view.model()
        if model is None:
            return None, None, place
        return model, view.rootIndex(), self._inside(view, place)

    def _inside(self, view: Any, place: Place) -> Place:
        port = view.viewport()
        return _shifted(place, port, port.x(), port.y())

    def _end(
        self,
        view: Any,
        place: Place,
        inside: Place,
        kind: str,
        count: int,
        rows: list[int],
        selected: tuple[int, ...],
        columns: tuple[Column, ...],
        lines: tuple[VisibleRow, ...],
    ) -> None:
        place.count += inside.count
        current = view.currentIndex()
        place.fields["virtualization"] = Virtualization(
            kind,
            count,
            (min(rows), max(rows)) if rows else None,
            selected,
            current.row() if current.isValid() else None,
            columns,
            lines,
        )

    def flags(self, model: Any) -> Callable[[Any], int]:
        """How to get an index's flags; for a model in Python that defines none, without asking."""
        if id(type(model).flags) in self._plain_flags and self._binding.made_in_python(model):
            known: dict[bool, int] = {}

            def same(index: Any) -> int:
                valid = index.isValid()
                if valid not in known:
                    known[valid] = int(model.flags(index).value)
                return known[valid]

            return same
        return lambda index: int(index.flags().value)


class _Walk:
    """Goes down a tree view from the first item on the screen to the last."""

    def __init__(
        self,
        views: Views,
        view: Any,
        model: Any,
        root: Any,
        inside: Place,
        selected: _Selected,
        columns: int,
        out: list[Node],
    ) -> None:
        self._view, self._model, self._root, self._inside = view, model, root, inside
        self._selected, self._out, self._count = selected, out, columns
        self._registry = views._registry  # noqa: SLF001 - a part of Views
        self._point = views._point  # noqa: SLF001
        self._cells = _Cells(views, view, model)
        self.columns: list[int] = []
        self.rows: list[int] = []
        self.lines: list[VisibleRow] = []
        self._open: list[tuple[Any, Node]] = []
        """The way from the top to the item before: persistent index and node of each."""

    def run(self) -> None:
        view = self._view
        height = view.viewport().height()
        index = view.indexAt(self._point(1, 1))
        room = CELLS_KEPT
        while index.isValid() and room > 0:
            index = index.sibling(index.row(), 0)
            rect = view.visualRect(index).getRect()
            if rect[1] >= height:
                break
            self._item(index, rect)
            room -= len(self.columns)
            index = view.indexBelow(index)

    def _item(self, index: Any, rect: Rect4) -> None:
        above = self._above(index.parent())
        node, line, text = self._node(index, above, rect)
        cells = [("0", text)]
        for column in self.columns:
            if column == 0:
                continue
            other = index.sibling(index.row(), column)
            words, fields = self._cells.fields(other, "cell", self._selected.index(other))
            fields["uid"] = self._registry.cell(line, column, words)
            fields["properties"] = {"column": column}
            cell = self._inside.node(fields, *self._view.visualRect(other).getRect())
            self._inside.count -= 1
            cell.fields["parent"] = node.uid
            node.fields["child_count"] = node.child_count + 1
            self._out.append(cell)
            cells.append((str(column), words))
        row = index.row()
        if above is None:
            self.rows.append(row)
        self.lines.append(VisibleRow(row, node.uid, tuple(cells)))

    def _above(self, parent: Any) -> Node | None:
        """The node of the item above, which is made if it is not on the screen itself."""
        if not parent.isValid() or parent == self._root:
            self._open.clear()
            return None
        for depth, (index, node) in enumerate(self._open):
            if index == parent:
                del self._open[depth + 1 :]
                return node
        above = self._above(parent.parent())
        return self._node(parent, above, self._view.visualRect(parent).getRect())[0]

    def _node(self, index: Any, above: Node | None, rect: Rect4) -> tuple[Node, Any, str]:
        line = self._registry.line(self._inside.uid, index, self._count)
        text, fields = self._cells.fields(index, "tree-item", self._selected.index(index))
        fields["uid"] = self._registry.cell(line, 0, text)
        fields["properties"] = {"row": index.row(), "level": len(self._open)}
        _branch(self._view, self._model, index, fields)
        node = self._inside.node(fields, *rect)
        if above is not None:
            self._inside.count -= 1
            node.fields["parent"] = above.uid
            above.fields["child_count"] = above.child_count + 1
        self._out.append(node)
        self._open.append((index, node))
        return node, line, text


class _Cells:
    """Reads what one cell shows."""

    def __init__(self, views: Views, view: Any, model: Any) -> None:
        self._flags = views.flags(model)
        self._check_role = views._check_role  # noqa: SLF001 - a part of Views
        triggers = view.editTriggers()
        self._can_edit = int(triggers.value) != 0

    def fields(self, index: Any, role: str, selected: bool) -> tuple[str, Fields]:
        data = index.data()
        text = "" if data is None else data if isinstance(data, str) else str(data)
        flags = self._flags(index)
        fields: Fields = {
            "role": role,
            "native_class": "QModelIndex",
            "text": text,
            "name": text,
            "selected": selected,
            "actions": ("select", "press"),
        }
        if not flags & _ENABLED:
            fields["enabled"] = False
        if flags & _EDITABLE and self._can_edit:
            fields["editable"] = True
            fields["value"] = text
            fields["actions"] = ("select", "press", "edit", "set-value")
        if flags & _CHECKABLE:
            state = index.data(self._check_role)
            if state is not None:
                number = getattr(state, "value", state)
                fields["checked"] = number == 2
                if number == 1:
                    fields["mixed"] = True
                fields["actions"] = (*fields["actions"], "toggle")
        return text, fields


class _Selected:
    """What is selected in a view, as ranges: asking for each cell would cost more than reading it."""

    def __init__(self, view: Any, nested: bool = False) -> None:
        self._model = view.selectionModel()
        self._nested = nested
        self.ranges: list[tuple[int, int, int, int]] = []
        if self._model is None:
            return
        root = view.rootIndex()
        for part in islice(self._model.selection(), 1_000) if self._model.hasSelection() else ():
            if not nested or part.parent() == root:
                self.ranges.append((part.top(), part.bottom(), part.left(), part.right()))

    def __call__(self, row: int, column: int) -> bool:
        return any(
            top <= row <= bottom and left <= column <= right for top, bottom, left, right in self.ranges
        )

    def index(self, index: Any) -> bool:
        return self._model is not None and bool(self._model.isSelected(index))

    def whole_row(self, row: int, columns: int) -> bool:
        return any(
            top <= row <= bottom and left == 0 and right >= columns - 1
            for top, bottom, left, right in self.ranges
        )

    def rows(self) -> tuple[int, ...]:
        found: list[int] = []
        for top, bottom, _, _ in sorted(self.ranges):
            for row in range(top, bottom + 1):
                if len(found) >= _SELECTED_KEPT:
                    return tuple(found)
                if row not in found:
                    found.append(row)
        return tuple(found)


def _branch(view: Any, model: Any, index: Any, fields: Fields) -> None:
    if model.hasChildren(index):
        fields["expanded"] = bool(view.isExpanded(index))
        fields["actions"] = (*fields["actions"], "expand", "collapse")


def _sections(header: Any, extent: int, count: int) -> Iterator[tuple[int, int, int]]:
    """Logical index, position and size of the sections of a header that are on the screen."""
    if count == 0 or extent <= 0:
        return
    first, last = header.visualIndexAt(0), header.visualIndexAt(extent - 1)
    if first < 0:
        first = 0
    if last < 0:
        last = count - 1
    seen = 0
    for visual in range(first, min(last, first + _SCANNED) + 1):
        section = header.logicalIndex(visual)
        size = header.sectionSize(section)
        if size > 0:
            yield section, header.sectionViewportPosition(section), size
            seen += 1
            if seen >= CELLS_KEPT:
                return


def _shifted(place: Place, child: Any, x: int, y: int) -> Place:
    """The same place in the tree, at the position of a child widget."""
    left, top = place.x + x, place.y + y
    clip = (
        max(left, place.left),
        max(top, place.top),
        min(left + child.width(), place.right),
        min(top + child.height(), place.bottom),
    )
    inside = Place(place.fields, (left, top), clip, place.level)
    inside.visible, inside.enabled = place.visible, place.enabled
    return inside
