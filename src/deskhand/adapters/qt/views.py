"""Lists, tables and trees: the rows and cells that are on the screen, and how many there are.

Never goes through a model: what is visible is found by position, so a table of a hundred thousand rows costs
no more than one of a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ...model.node import Column, Node, Virtualization, VisibleRow
from .binding import Binding
from .cells import Cells, Rect4, Selected
from .handles import Registry, header_text
from .place import Fields, Place

CELLS_KEPT = 5_000
"""How many cells of a view are read at most."""
_COLUMNS_KEPT = 100
_SCANNED = 5_000
"""How many hidden rows are passed over in search of visible ones."""


class Views:
    """Reads item views."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self.binding = binding
        self.registry = registry

    # -- lists ---------------------------------------------------------------------------------

    def read_list(self, native: Any, place: Place, out: list[Node]) -> None:
        """The items of a list that are on the screen."""
        view = self.binding.bare(native)
        model, root, inside = self._begin(view, place)
        if model is None:
            return
        count, columns = self.binding.ask(model, "rowCount", root) or 0, self.registry.columns(model, root)
        column = view.modelColumn()
        selected = Selected(self.binding, native)
        lines: list[VisibleRow] = []
        rows: list[int] = []
        if place.visible and count:
            cells = Cells(self.binding, self.registry, native, model, inside)
            for row, index, rect in self._list_rows(view, model, root, column, count):
                line = self.registry.line(place.uid, index.sibling(row, 0) if column else index, columns)
                node = cells.node(
                    line, column, index, "list-item", rect, selected(row, column), place.uid, row
                )
                out.append(node)
                lines.append(VisibleRow(row, node.uid, (("0", node.text or ""),)))
                rows.append(row)
            inside.count = len(rows)
        self._end(view, place, inside, "list", count, rows, selected.rows(), (), tuple(lines))

    def _list_rows(
        self, view: Any, model: Any, root: Any, column: int, count: int
    ) -> Iterator[tuple[int, Any, Rect4]]:
        size = view.viewport().size()
        width, height = size.width(), size.height()
        first = self._first_of_list(view, width, height)
        get = self.binding.method(model, "index")
        seen = missed = 0
        for row in range(first, min(count, first + _SCANNED)):
            index = get(row, column, root)
            rect = view.visualRect(index).getRect()
            x, y, w, h = rect
            if w > 0 and h > 0 and x < width and y < height and x + w > 0 and y + h > 0:
                missed = 0
                seen += 1
                yield row, index, rect
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
                index = view.indexAt(self.binding.QtCore.QPoint(x, y))
                if index.isValid():
                    return int(index.row())
        return 0

    # -- tables --------------------------------------------------------------------------------

    def read_table(self, native: Any, place: Place, out: list[Node]) -> None:
        """Headers, rows and cells of a table that are on the screen."""
        view = self.binding.bare(native)
        model, root, inside = self._begin(view, place)
        if model is None:
            return
        count, columns = self.binding.ask(model, "rowCount", root) or 0, self.registry.columns(model, root)
        across, down = view.horizontalHeader(), view.verticalHeader()
        titles = self._columns(across, columns)
        selected = Selected(self.binding, native)
        lines: list[VisibleRow] = []
        rows: list[int] = []
        if place.visible:
            shown = list(_sections(across, view.viewport().width(), columns))
            self._headers(view, across, shown, place, out)
            table = _Table(self, native, model, root, inside, selected, columns, shown)
            room = CELLS_KEPT
            for row, y, tall in _sections(down, view.viewport().height(), count) if shown else ():
                lines.append(table.row(row, y, tall, out))
                rows.append(row)
                room -= len(shown)
                if room <= 0:
                    break
            inside.count = len(rows)
        self._end(view, place, inside, "table", count, rows, selected.rows(), titles, tuple(lines))

    def _headers(
        self, view: Any, header: Any, shown: list[tuple[int, int, int]], place: Place, out: list[Node]
    ) -> None:
        if not header.isVisible():
            return
        at = header.pos()
        band = _shifted(place, header, at.x(), at.y())
        sorted_by = header.sortIndicatorSection() if header.isSortIndicatorShown() else -1
        ascending = self.binding.Qt.SortOrder.AscendingOrder
        for section, x, width in shown:
            text = header_text(self.binding, header, section) or ""
            fields: Fields = {
                "uid": self.registry.header(header, section, text),
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
            Column(str(section), header_text(self.binding, header, section) or "")
            for section in range(min(count, _COLUMNS_KEPT))
        )

    # -- trees ---------------------------------------------------------------------------------

    def read_tree(self, native: Any, place: Place, out: list[Node]) -> None:
        """The items of a tree that are on the screen, below those they belong to."""
        view = self.binding.bare(native)
        model, root, inside = self._begin(view, place)
        if model is None:
            return
        count, columns = self.binding.ask(model, "rowCount", root) or 0, self.registry.columns(model, root)
        header = view.header()
        titles = self._columns(header, columns)
        selected = Selected(self.binding, native, nested=True)
        walk = _Walk(self, native, model, root, inside, selected, columns, out)
        if place.visible and count and columns:
            shown = list(_sections(header, view.viewport().width(), columns))
            self._headers(view, header, shown, place, out)
            walk.columns = [column for column, _, _ in shown]
            walk.run()
        self._end(view, place, inside, "tree", count, walk.rows, selected.rows(), titles, tuple(walk.lines))

    # -- all -----------------------------------------------------------------------------------

    def one(self, item: Any, place: Place) -> Node:
        """An item on its own, also one that is not on the screen."""
        native, index = item.view, self.binding.QtCore.QModelIndex(item.index)
        view = self.binding.bare(native)
        role = item.role
        model = view.model()
        inside = self._inside(view, place)
        cells = Cells(self.binding, self.registry, native, model, inside)
        rect = view.visualRect(index).getRect()
        fields = cells.fields(index, role, Selected(self.binding, native).index(index), rect, place.uid)
        fields["uid"] = self.registry.item(native, item.index, item.row)
        fields["properties"] = {"row": index.row(), "column": index.column()}
        if role == "tree-item":
            _branch(self.binding, view, model, index, fields)
        if rect[2] <= 0 or rect[3] <= 0:
            del fields["bounds"]
            fields["offscreen"] = inside.visible
        return Node.of(fields)

    def _begin(self, view: Any, place: Place) -> tuple[Any, Any, Place]:
        self.binding.failed = None
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
        if self.binding.failed is not None:
            # Else a model that raises would look like one that is empty.
            known = place.fields.get("properties", {})
            place.fields["properties"] = {**known, "unreadable": self.binding.failed}
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


class _Table:
    """Reads rows of a table."""

    def __init__(
        self,
        views: Views,
        native: Any,
        model: Any,
        root: Any,
        inside: Place,
        selected: Selected,
        columns: int,
        shown: list[tuple[int, int, int]],
    ) -> None:
        view = views.binding.bare(native)
        self._native, self._view, self._model, self._inside = native, view, model, inside
        self._selected, self._columns, self._shown = selected, columns, shown
        self._registry = views.registry
        self._cells = Cells(views.binding, views.registry, native, model, inside)
        self._index = _indexer(views.binding, model, root)
        # Unbound, because to look a method up costs more than to call it.
        table = views.binding.QtWidgets.QTableView
        self._spans = (table.columnSpan, table.rowSpan)
        down = view.verticalHeader()
        self._named = down.isVisible()
        self._down = down.orientation()
        self._plain = views.binding.Qt.ItemDataRole.DisplayRole
        self._title = partial(views.binding.ask, model, "headerData")
        self._left = min((x for _, x, _ in shown), default=0)
        self._wide = max((x + width for _, x, width in shown), default=0) - self._left

    def row(self, row: int, y: int, tall: int, out: list[Node]) -> VisibleRow:
        """A row and its cells."""
        index = self._index
        line = self._registry.line(self._inside.uid, index(row, 0), self._columns)
        part = self._registry.cell(line, -1)
        name = None
        if self._named:
            title = self._title(row, self._down, self._plain)
            name = None if title is None else str(title)
        wide, high = self._spans
        nodes: list[Node] = []
        texts = []
        for column, x, width in self._shown:
            where = index(row, column)
            rect = (x, y, width, tall)
            if wide(self._native, row, column) > 1 or high(self._native, row, column) > 1:
                rect = self._view.visualRect(where).getRect()
                if rect[1] < y or (rect[0] < x and nodes):
                    continue  # covered by a cell that takes up more than its own place
            chosen = self._selected(row, column)
            node = self._cells.node(line, column, where, "cell", rect, chosen, part.uid, row)
            nodes.append(node)
            texts.append((str(column), node.text or ""))
        whole = self._selected.whole_row(row, self._columns)
        state = (row, y, tall, self._left, self._wide, name, whole, len(nodes), self._cells.frame)
        whole_node = self._cells.kept(part.uid, state)
        if whole_node is None:
            made = self._row_node(part, row, y, tall, name, whole, len(nodes))
            whole_node = self._cells.keep(part.uid, state, made)
            part.label = name
        out.append(whole_node)
        out += nodes
        return VisibleRow(row, part.uid, tuple(texts))

    def _row_node(
        self, part: Any, row: int, y: int, tall: int, name: str | None, whole: bool, count: int
    ) -> Node:
        fields: Fields = {
            "uid": part.uid,
            "role": "row",
            "native_class": "QModelIndex",
            "actions": ("select",),
            "selected": whole,
            "child_count": count,
            "properties": {"row": row},
        }
        if name:
            fields["name"] = name
        return self._inside.node(fields, self._left, y, self._wide, tall)


class _Walk:
    """Goes down a tree view from the first item on the screen to the last."""

    def __init__(
        self,
        views: Views,
        native: Any,
        model: Any,
        root: Any,
        inside: Place,
        selected: Selected,
        columns: int,
        out: list[Node],
    ) -> None:
        view = views.binding.bare(native)
        self._view, self._model, self._root, self._inside = view, model, root, inside
        self._selected, self._out, self._count = selected, out, columns
        self._binding, self._registry = views.binding, views.registry
        self._point = views.binding.QtCore.QPoint
        self._cells = Cells(views.binding, views.registry, native, model, inside)
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
        node, line = self._node(index, above, rect)
        texts = [("0", node.text or "")]
        row = index.row()
        for column in self.columns:
            if column == 0:
                continue
            other = index.sibling(row, column)
            where = self._view.visualRect(other).getRect()
            chosen = self._selected.index(other)
            cell = self._cells.node(line, column, other, "cell", where, chosen, node.uid, row)
            node.fields["child_count"] = node.child_count + 1
            self._out.append(cell)
            texts.append((str(column), cell.text or ""))
        if above is None:
            self.rows.append(row)
        self.lines.append(VisibleRow(row, node.uid, tuple(texts)))

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

    def _node(self, index: Any, above: Node | None, rect: Rect4) -> tuple[Node, Any]:
        line = self._registry.line(self._inside.uid, index, self._count)
        part = self._registry.cell(line, 0)
        parent = self._inside.uid if above is None else above.uid
        fields = self._cells.fields(index, "tree-item", self._selected.index(index), rect, parent)
        fields["uid"] = part.uid
        fields["properties"] = {"row": index.row(), "level": len(self._open)}
        part.label = fields["text"]
        _branch(self._binding, self._view, self._model, index, fields)
        if above is None:
            self._inside.count += 1
        else:
            above.fields["child_count"] = above.child_count + 1
        node = Node.of(fields)
        self._out.append(node)
        self._open.append((index, node))
        return node, line


def _indexer(binding: Binding, model: Any, root: Any) -> Callable[[int, int], Any]:
    """How to get an index of a model.

    The plain `index` of a table asks the model for its size each time; where the model is in Python that
    costs ten times as much as all else.
    """
    core = binding.QtCore
    plain = binding.known_class(model) is core.QAbstractTableModel and not binding.overrides(model, "index")
    if plain and binding.made_in_python(model) and not root.isValid():
        return partial(core.QAbstractItemModel.createIndex, model)
    index = binding.method(model, "index")
    return lambda row, column: index(row, column, root)


def _branch(binding: Binding, view: Any, model: Any, index: Any, fields: Fields) -> None:
    if binding.has_children(model, index):
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
