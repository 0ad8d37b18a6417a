"""Windows inside widgets: what QWidget.createWindowContainer() makes, of a QQuickView for one.

Qt does not tell which window a container holds, but keeps it where the container is, and as large.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .binding import Binding

CONTAINER = "QWindowContainer"
"""The class of such a widget, which only C++ knows."""


def window_in(binding: Binding, container: Any) -> Any:
    """The window that a container shows; None if it shows none."""
    widget, core = binding.QtWidgets.QWidget, binding.QtCore
    if not widget.isVisible(container):
        return None
    _ = binding.QtQuick  # before a wrapper is made of one of its windows
    size, of_that_size = widget.size(container), None
    above = container
    # Its window may belong to any widget around that has one, not just to the nearest.
    while above is not None:
        handle = widget.windowHandle(above)
        if handle is not None:
            corner = widget.mapTo(container, above, core.QPoint(0, 0))
            for window in _inside(binding, handle):
                if window.size() == size:
                    if window.position() == corner:
                        return window
                    of_that_size = of_that_size or window
        above = None if widget.isWindow(above) else widget.parentWidget(above)
    # Fallback: Qt misplaces it where widgets around have got windows of their own since.
    return of_that_size


def _inside(binding: Binding, handle: Any) -> Iterator[Any]:
    """The visible windows in one of a widget that are not of widgets themselves."""
    for window in binding.QObject.children(handle):
        if (
            isinstance(window, binding.QtGui.QWindow)
            and not window.inherits("QWidgetWindow")
            and window.isVisible()
        ):
            yield window


def container_of(binding: Binding, window: Any) -> Any:
    """The container that shows a window; None if it is in none."""
    if not binding.has_widgets() or binding.QObject.parent(window) is None:
        return None
    for native in binding.app.allWidgets():
        if binding.class_name(native) == CONTAINER and window_in(binding, native) is window:
            return native
    return None
