"""How each widget is read: found out once, when it comes into sight, and kept with it from then on."""

from __future__ import annotations

from itertools import repeat
from operator import is_
from typing import Any

from ...model.node import Node
from .binding import Binding
from .controls import Kind, Kinds
from .handles import Known, Registry
from .inner import HIDDEN, Inner
from .labels import Beside
from .parts import Parts
from .place import Fields
from .views import Views


class Look:
    """How a widget is read."""

    __slots__ = ("above", "cells", "inner", "kind", "leaf", "rank", "scene", "template")

    def __init__(self, kind: Kind, template: Fields, inner: int, above: Known | None, rank: int) -> None:
        self.kind = kind
        self.template = template
        """The fields that all nodes of its class have."""
        self.inner = inner
        self.above = above
        """What it was in when this was found out; in something else it may be something else."""
        self.leaf = kind.leaf
        self.rank = rank
        """Grows with each widget that comes into sight; what is in a widget comes into sight at once."""
        self.cells: dict[str, tuple[Any, Node]] = {}
        """For a view: the nodes of its cells as they were read last."""
        self.scene: Any = None
        """For a window: what was read of it last."""


class Tools:
    """What all reads of one program share."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        widgets = binding.QtWidgets
        self._binding = binding
        self._registry = registry
        self._rank = 0
        # Unbound: to look a method up costs more than to call it, and a program may call its own things so.
        self.children = binding.QObject.children
        self.is_widget = binding.QObject.isWidgetType
        self.name = binding.QObject.objectName
        # A line edit has an object in it whose class only C++ knows. Before PySide6 makes a wrapper for it,
        # it makes every class that could be meant, with all enums: 16 ms. It can pass over what is not a
        # widget without a wrapper. PyQt6 takes eight times as long to do that, and less to make a wrapper.
        self._find_child = binding.QObject.findChild if binding.pyside else None
        self._is_window = widgets.QWidget.isWindow
        self._parent = widgets.QWidget.parentWidget
        self.widget = widgets.QWidget
        self.no_focus = binding.Qt.FocusPolicy.NoFocus
        self.forced = binding.Qt.WidgetAttribute.WA_ForceDisabled
        self._stacked = widgets.QStackedWidget
        self.ordered = (widgets.QStackedWidget, widgets.QSplitter)
        """What says itself in what order things are in it."""
        self._tab_widget = widgets.QTabWidget
        self.kinds = Kinds(binding)
        self.label = self.kinds.table["QLabel"]
        self._inner = Inner(binding)
        self.beside = Beside(binding)
        self.parts = Parts(binding, registry)
        self.views = Views(binding, registry)
        self.no_widget = Look(self.kinds.table["QWidget"], {}, HIDDEN, None, 0)
        """Stands for objects that are known and no widgets."""

    def look(self, native: Any, known: Known, above: Any, above_known: Known | None) -> Look:
        """Find out how a widget is read, and keep that, but not over what is kept while all is read anew."""
        kind = self.kinds.by_native_class.get(known.native_class) or self.kinds.of(native)
        inner = self.inner(native, known, above)
        role = kind.role
        if known.native_class == "QToolBarSeparator":
            role = "separator"
        template: Fields = {"role": role, "native_class": known.native_class, "backend": "qt"}
        if kind.actions:
            template["actions"] = kind.actions
        before = known.reader
        if before is None or before.above is not above_known:
            self._rank += 1
            rank, stays = self._rank, False
        else:
            rank, stays = before.rank, self._registry.anew
        look = Look(kind, template, inner, above_known, rank)
        if not stays:
            known.reader = look
        return look

    def inner(self, native: Any, known: Known, above: Any) -> int:
        """What a widget is in the widget above it."""
        if above is None or self._is_window(native):
            return 0
        return self._inner(native, known.native_class, self._binding.QObject.objectName(native), above)

    def pages(self, native: Any) -> Any:
        """The tab widget whose pages a widget holds."""
        above = self._parent(native)
        is_stack = isinstance(native, self._stacked) and isinstance(above, self._tab_widget)
        return above if is_stack else None

    def index_of(self, native: Any, page: Any) -> int:
        """Where a stack or splitter has a widget."""
        return int(self._binding.bare(native).indexOf(page))

    def hold_widgets(self, natives: list[Any]) -> bool:
        """Whether there are widgets in any of these widgets."""
        if self._find_child is not None:
            return not all(map(is_, map(self._find_child, natives, repeat(self.widget)), repeat(None)))
        # Most leaves have no objects at all in them.
        return any(any(map(self.is_widget, inside)) for inside in filter(None, map(self.children, natives)))

    def keep_inside(self, native: Any) -> None:
        """Keep the wrappers of the objects in a leaf, or each `hold_widgets` would make them again."""
        if self._find_child is None:
            for inside in self.children(native):
                self._registry.know(inside)
