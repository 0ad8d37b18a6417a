"""What a Qt program believes of its windows, for comparing that with the display. On the GUI thread."""

from __future__ import annotations

import math
from typing import Any

from ...model.node import Rect
from ..placement import Belief, Believed
from .binding import Binding

_UNMANAGED_TYPES = ("Popup", "ToolTip", "Desktop", "ForeignWindow")


def on_x11(binding: Binding) -> bool:
    """Whether the windows of this program are on an X display."""
    gui = binding.QtGui.QGuiApplication
    return isinstance(binding.app, gui) and gui.platformName() == "xcb"


def belief(binding: Binding) -> Belief:
    """The windows that a window manager manages, as Qt has them."""
    focus = binding.QtGui.QGuiApplication.focusWindow()
    while focus is not None and (parent := focus.parent()) is not None:
        focus = parent
    windows = [window for window in binding.windows() if window.isVisible() and _managed(binding, window)]
    return Belief(
        tuple(_believed(binding, window, focus) for window in windows),
        focus_known=focus is None or focus in windows,
    )


def _managed(binding: Binding, window: Any) -> bool:
    qt = binding.Qt.WindowType
    if window.flags() & qt.BypassWindowManagerHint:
        return False
    return window.type() not in [getattr(qt, name) for name in _UNMANAGED_TYPES]


def _believed(binding: Binding, window: Any, focus: Any) -> Believed:
    minimized = window.windowStates() & binding.Qt.WindowState.WindowMinimized
    place, ratio, screen = window.geometry(), window.devicePixelRatio(), window.screen().geometry()
    # Qt scales distances from the screen's origin; the origin itself it leaves as the display has it.
    left, top = screen.x(), screen.y()
    area = Rect(
        left + round((place.x() - left) * ratio),
        top + round((place.y() - top) * ratio),
        round(place.width() * ratio),
        round(place.height() * ratio),
    )
    return Believed(
        int(window.winId()), not minimized, area, window is focus, 0 if ratio == 1 else math.ceil(ratio)
    )
