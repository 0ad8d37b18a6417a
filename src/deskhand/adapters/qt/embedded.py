"""Widgets in graphics views: windows to Qt, parts of the view to everybody else.

Never by graphicsProxyWidget(): PySide6 then counts the proxy among the children of its widget and goes on
doing so when the proxy's wrapper is gone, so that the program crashes when the widget is destroyed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .binding import Binding


def in_scene(binding: Binding, window: Any) -> bool:
    """Whether a widget that is a window is part of a graphics scene."""
    attributes, has = binding.Qt.WidgetAttribute, binding.QtWidgets.QWidget.testAttribute
    # A proxy sets the first and clears the second; what a program keeps off the screen itself has both.
    return bool(
        has(window, attributes.WA_DontShowOnScreen)
        and not has(window, attributes.WA_ContentsMarginsRespectsSafeArea)
    )


def proxy(binding: Binding, window: Any) -> tuple[Any, Any]:
    """The graphics item that stands for a window in a scene, and a view that shows it; without one, Nones."""
    if in_scene(binding, window):
        for view in _views(binding):
            for item in binding.bare(view).scene().items():
                if isinstance(item, binding.QtWidgets.QGraphicsProxyWidget) and item.widget() is window:
                    return item, view
    return None, None


def _views(binding: Binding) -> Iterator[Any]:
    """The graphics views that are visible, each with a scene."""
    kind = binding.QtWidgets.QGraphicsView
    for top in binding.app.topLevelWidgets():
        own = (top,) if isinstance(top, kind) else ()
        for view in (*own, *binding.QObject.findChildren(top, kind)):
            bare = binding.bare(view)
            if bare.isVisible() and bare.scene() is not None:
                yield view
