"""Which widgets are inner parts of others: there for Qt's sake, not for the person in front of the screen."""

from __future__ import annotations

from typing import Any

from .binding import Binding

SHOWN, LIFTED, HIDDEN = 0, 1, 2
"""An element of its own; none, but what is in it is; none, with all that is in it."""

HIDDEN_NAMES = frozenset((
    "qt_spinbox_lineedit", "qt_scrollarea_hcontainer", "qt_scrollarea_vcontainer", "qt_toolbar_ext_button",
    "qt_menubar_ext_button", "qt_rubberband", "ScrollLeftButton", "ScrollRightButton",
))  # fmt: skip
_HIDDEN_CLASSES = frozenset((
    "QSizeGrip", "QFocusFrame", "QTableCornerButton", "QToolBarExtension", "QMenuBarExtension",
    "QComboBoxPrivateContainer", "QComboBoxPrivateScroller", "QAbstractScrollAreaScrollBarContainer",
))  # fmt: skip


class Inner:
    """Tells inner parts from elements."""

    def __init__(self, binding: Binding) -> None:
        widgets = binding.QtWidgets
        self._edit = widgets.QLineEdit
        self._owners_of_edits = (widgets.QAbstractSpinBox, widgets.QComboBox, widgets.QKeySequenceEdit)
        self._header = widgets.QHeaderView
        self._view = widgets.QAbstractItemView
        self._area = widgets.QScrollArea
        self._scrolls = widgets.QAbstractScrollArea
        self._tool_box = widgets.QToolBox
        self._stack = widgets.QStackedWidget
        self._tab_widget = widgets.QTabWidget

    def __call__(self, native: Any, native_class: str, name: str, above: Any) -> int:
        """What a widget is in the widget above it."""
        if native_class in _HIDDEN_CLASSES or name in HIDDEN_NAMES:
            return HIDDEN
        if isinstance(native, self._edit) and isinstance(above, self._owners_of_edits):
            return HIDDEN
        if isinstance(native, self._header) and isinstance(above, self._view):
            return LIFTED
        if isinstance(above, self._scrolls) and self._scrolls.viewport(above) is native:
            return LIFTED
        if isinstance(native, self._area) and isinstance(above, self._tool_box):
            return LIFTED
        if isinstance(above, self._tab_widget) and (
            isinstance(native, self._stack) or self._tab_widget.tabBar(above) is native
        ):
            return LIFTED
        return SHOWN
