"""Screenshots: what a window shows, or the part of it that one node takes up.

The window draws itself into the image, so nothing has to be in front of anything and the offscreen platform
will do. A node is cut out of its window, so that what overlaps it shows as it does to a person.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.errors import NotVisible, ScreenshotFailed
from ...model.node import Image
from . import quick_aim
from .aim import Aim
from .binding import Binding
from .handles import Handle, Registry
from .names import describe

_QUALITY = 80
"""Qt's number for zlib level 1: a quarter of the time of its default, a fifth more bytes."""


def screenshot(binding: Binding, registry: Registry, handle: Handle) -> Image:
    """A screenshot of a node or a window. On the GUI thread."""
    return encode(binding, grab(binding, registry, handle))


def grab(binding: Binding, registry: Registry, handle: Handle) -> Any:
    """The screenshot as a QImage. On the GUI thread; `encode` takes longer, and may run on any other."""
    if quick_aim.is_item(binding, handle) and not quick_aim.is_in_widget(binding, handle):
        image = _of_item(binding, handle)
    elif isinstance(handle, binding.QtGui.QWindow):
        image = _of_window(binding, handle)
    else:
        image = _of_widget(binding, registry, handle)
    if image.isNull():
        what = describe(binding, handle)
        raise ScreenshotFailed(f"{what} drew nothing", suggestions=("wait until it is shown",))
    return image


def encode(binding: Binding, image: Any) -> Image:
    """A QImage as PNG."""
    core = binding.QtCore
    buffer = core.QBuffer()
    buffer.open(core.QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG", _QUALITY):
        raise ScreenshotFailed("Qt could not write a PNG: it may have been built without")
    return Image(bytes(buffer.data()), image.width(), image.height(), image.devicePixelRatio())


def _of_widget(binding: Binding, registry: Registry, handle: Handle) -> Any:
    try:
        top, rect = Aim(binding, registry).in_window(handle)
    except NotVisible as error:
        raise ScreenshotFailed(error.message) from None
    if top.isMinimized():
        raise ScreenshotFailed(
            f"{describe(binding, handle)} is in a minimized window", suggestions=("restore the window first",)
        )
    if rect.isEmpty():
        raise ScreenshotFailed(
            f"nothing of {describe(binding, handle)} shows: it is scrolled away, clipped or empty",
            suggestions=("scroll it into view",),
        )
    grabbed = top.grab(rect)
    above = list(_in_front(binding, top))
    if above:
        painter = binding.QtGui.QPainter(grabbed)
        for offset, part in above:
            painter.drawImage(offset - rect.topLeft(), part)
        painter.end()
    return grabbed.toImage()


def _in_front(binding: Binding, top: Any) -> Iterator[tuple[Any, Any]]:
    """What covers a window and is not drawn by it: windows inside it, and popups over it."""
    window = top.windowHandle()
    for inner in binding.QObject.findChildren(window, binding.QtGui.QWindow) if window is not None else ():
        if inner.isVisible() and inner.inherits("QQuickWindow"):
            corner, shown = _shown(binding, inner, window)
            if not shown.isEmpty():
                yield corner + shown.topLeft(), _part(_of_window(binding, inner), shown)
    types = binding.Qt.WindowType
    if top.windowType() in (types.Popup, types.ToolTip):
        return
    corner = top.mapToGlobal(binding.QtCore.QPoint(0, 0))
    for popup in binding.app.topLevelWidgets():
        shown = popup.isVisible() and popup.windowType() in (types.Popup, types.ToolTip)
        if shown and popup.geometry().intersects(top.geometry()):
            yield popup.mapToGlobal(binding.QtCore.QPoint(0, 0)) - corner, popup.grab().toImage()


def _shown(binding: Binding, inner: Any, window: Any) -> tuple[Any, Any]:
    """Where a window inside another one begins in that, and what of it shows: all around it clip."""
    core, parent = binding.QtCore, binding.QObject.parent
    corner, shown = core.QPoint(0, 0), core.QRect(core.QPoint(0, 0), inner.size())
    while inner is not window:
        corner, inner = corner + inner.position(), parent(inner)
        shown = shown.intersected(core.QRect(core.QPoint(0, 0), inner.size()).translated(-corner))
    return corner, shown


def _part(image: Any, shown: Any) -> Any:
    """A part of an image, which may have more dots than its window has points."""
    scale = image.devicePixelRatio()
    left, top = int(shown.x() * scale), int(shown.y() * scale)
    right, bottom = round((shown.x() + shown.width()) * scale), round((shown.y() + shown.height()) * scale)
    part = image.copy(left, top, right - left, bottom - top)
    part.setDevicePixelRatio(scale)
    return part


def _of_item(binding: Binding, item: Any) -> Any:
    shown = quick_aim.shown_rect(binding, item)
    if shown is None or not item.isVisible():
        raise ScreenshotFailed(
            f"nothing of {describe(binding, item)} shows: it is hidden, scrolled away, clipped or empty",
            suggestions=("scroll it into view",),
        )
    return _part(_of_window(binding, quick_aim.window_of(item)), shown)


def _of_window(binding: Binding, window: Any) -> Any:
    if not window.isVisible() or window.windowState() == binding.Qt.WindowState.WindowMinimized:
        state = "minimized" if window.isVisible() else "hidden"
        raise ScreenshotFailed(
            f"{describe(binding, window)} is {state}", suggestions=("show or restore the window first",)
        )
    if window.inherits("QQuickWindow"):
        image = window.grabWindow()
    else:
        # Not the window's own screen(): in PySide6 the screen's wrapper would then die with the window's.
        screen = binding.QtGui.QGuiApplication.primaryScreen()
        image = screen.grabWindow(window.winId()).toImage()
    if window.width() and not image.isNull():
        image.setDevicePixelRatio(image.width() / window.width())
    return image
