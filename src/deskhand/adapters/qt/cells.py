"""One cell of a list, table or tree: what it shows, and whether it is selected.

A cell that shows what it showed before, where it was before, keeps its node.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from ...model.node import Node, Rect
from .binding import Binding
from .handles import Line, Registry
from .place import Fields, Place

Rect4 = tuple[int, int, int, int]

_SELECTED_KEPT = 100
_RANGES_KEPT = 1_000
_EDITABLE, _CHECKABLE, _ENABLED = 2, 16, 32
_DISPLAY = 0


class Cells:
    """Reads the cells of one view."""

    def __init__(self, binding: Binding, registry: Registry, native: Any, model: Any, inside: Place) -> None:
        view = binding.bare(native)
        self._registry = registry
        self._inside = inside
        self._view = view
        self._check_role = binding.Qt.ItemDataRole.CheckStateRole
        self._data: Callable[[Any], Any] = _data(binding, model)
        self._flags: Callable[[Any], int] = _flags(binding, model)
        self._can_edit = binding.number(view.editTriggers()) != 0
        delegate = view.itemDelegate()
        styled = binding.QtWidgets.QStyledItemDelegate
        self._delegate = delegate if isinstance(delegate, styled) else None
        self._own_words = self._delegate is not None and binding.overrides(delegate, "displayText")
        self.frame = (
            inside.x, inside.y, inside.left, inside.top, inside.right, inside.bottom, inside.visible,
            inside.enabled, self._can_edit,
        )  # fmt: skip
        """What all cells of the view depend on."""
        look = None if registry.anew else registry.know(native).reader
        self._kept: dict[str, tuple[Any, Node]] = {} if look is None else look.cells
        self._keeps: dict[str, tuple[Any, Node]] = {}
        if look is not None:
            look.cells = self._keeps

    def node(
        self,
        line: Line,
        column: int,
        index: Any,
        role: str,
        rect: Rect4,
        selected: bool,
        parent: str,
        row: int,
    ) -> Node:
        """The node of a cell in a row."""
        part = self._registry.cell(line, column)
        text, flags = self._text(index), self._flags(index)
        check = index.data(self._check_role) if flags & _CHECKABLE else None
        state = (text, flags, check, selected, rect, row, parent, self.frame)
        node = self.kept(part.uid, state)
        if node is not None:
            return node
        fields = self._fields(text, flags, check, role, selected, rect, parent)
        fields["uid"] = part.uid
        fields["properties"] = {"row": row} if role == "list-item" else {"row": row, "column": column}
        part.label = text
        return self.keep(part.uid, state, Node.of(fields))

    def kept(self, uid: str, state: Any) -> Node | None:
        """The node of the read before, if it was of the same state."""
        seen = self._kept.get(uid)
        if seen is None or seen[0] != state:
            return None
        self._keeps[uid] = seen
        return seen[1]

    def keep(self, uid: str, state: Any, node: Node) -> Node:
        self._keeps[uid] = (state, node)
        return node

    def fields(self, index: Any, role: str, selected: bool, rect: Rect4, parent: str) -> Fields:
        """The fields of an item, but for its uid."""
        flags = self._flags(index)
        check = index.data(self._check_role) if flags & _CHECKABLE else None
        return self._fields(self._text(index), flags, check, role, selected, rect, parent)

    def _fields(
        self, text: str, flags: int, check: Any, role: str, selected: bool, rect: Rect4, parent: str
    ) -> Fields:
        inside = self._inside
        x, y, width, height = rect
        x, y = x + inside.x, y + inside.y  # type: ignore[assignment]  # whole or not, as the place is
        fields: Fields = {
            "role": role,
            "native_class": "QModelIndex",
            "backend": "qt",
            "parent": parent,
            "bounds": Rect(x, y, width, height),
            "text": text,
            "selected": selected,
            "actions": ("select", "press"),
        }
        if text:
            fields["name"] = text
        if not inside.visible:
            fields["visible"] = False
        elif x >= inside.right or y >= inside.bottom or x + width <= inside.left or y + height <= inside.top:
            fields["offscreen"] = True
        if not flags & _ENABLED or not inside.enabled:
            fields["enabled"] = False
        if flags & _EDITABLE and self._can_edit:
            fields["editable"] = True
            fields["value"] = text
            fields["actions"] = ("select", "press", "edit", "set-value")
        if check is not None:
            number = getattr(check, "value", check)
            fields["checked"] = number == 2
            if number == 1:
                fields["mixed"] = True
            fields["actions"] = (*fields["actions"], "toggle")
        return fields

    def _text(self, index: Any) -> str:
        data = self._data(index)
        if type(data) is str and not self._own_words:
            return data
        if data is None:
            return ""
        if self._delegate is not None:
            return str(self._delegate.displayText(data, self._view.locale()))
        return str(data)


class Selected:
    """What is selected in a view, as ranges: asking for each cell would cost more than reading it."""

    def __init__(self, binding: Binding, view: Any, nested: bool = False) -> None:
        view = binding.bare(view)
        self._model = view.selectionModel()
        self.ranges: list[tuple[int, int, int, int]] = []
        if self._model is None or not self._model.hasSelection():
            return
        root = view.rootIndex()
        for part in islice(self._model.selection(), _RANGES_KEPT):
            if not nested or part.parent() == root:
                self.ranges.append((part.top(), part.bottom(), part.left(), part.right()))

    def __call__(self, row: int, column: int) -> bool:
        for top, bottom, left, right in self.ranges:
            if top <= row <= bottom and left <= column <= right:
                return True
        return False

    def index(self, index: Any) -> bool:
        return self._model is not None and bool(self._model.isSelected(index))

    def whole_row(self, row: int, columns: int) -> bool:
        """Whether all of a row is selected."""
        covered = sum(right - left + 1 for top, bottom, left, right in self.ranges if top <= row <= bottom)
        return columns > 0 and covered >= columns

    def rows(self) -> tuple[int, ...]:
        """The rows in which something is selected; not all, if they are many."""
        found: dict[int, None] = {}
        for top, bottom, _, _ in sorted(self.ranges):
            for row in range(top, bottom + 1):
                found[row] = None
                if len(found) >= _SELECTED_KEPT:
                    return tuple(found)
        return tuple(found)


def _data(binding: Binding, model: Any) -> Callable[[Any], Any]:
    """How to get what an index shows; of a model in Python without a detour through C++."""
    data = type(model).data
    if not binding.overrides(model, "data") or not binding.made_in_python(model):
        of_index = binding.QtCore.QModelIndex.data
        return lambda index: of_index(index, _DISPLAY)
    variant = getattr(binding.QtCore, "QVariant", None)

    def read(index: Any) -> Any:
        try:
            value = data(model, index, _DISPLAY)
        except Exception:  # noqa: BLE001 - the program's own; to Qt the index then shows nothing
            return None
        return value.value() if variant is not None and isinstance(value, variant) else value

    return read


def _flags(binding: Binding, model: Any) -> Callable[[Any], int]:
    """How to get an index's flags; of a model in Python that defines none, by asking once."""
    core = binding.QtCore
    plain = (core.QAbstractItemModel, core.QAbstractTableModel, core.QAbstractListModel)
    of_index = core.QModelIndex.flags
    inherited = binding.known_class(model) in plain and not binding.overrides(model, "flags")
    if inherited and binding.made_in_python(model):
        known: list[int] = []

        def same(index: Any) -> int:
            if not known:
                known.append(binding.number(of_index(index)))
            return known[0]

        return same
    return lambda index: binding.number(of_index(index))
