"""Where a QML item is in its window, and what is in front of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.errors import NotReady, NotVisible
from .binding import Binding
from .names import describe
from .quick_call import call


def is_item(binding: Binding, handle: Any) -> bool:
    """Whether a handle is an item of a QML scene."""
    return binding.QtQuick is not None and isinstance(handle, binding.QtQuick.QQuickItem)


def window_of(item: Any) -> Any:
    """The window of an item's scene; None if it is in none.

    Never by the item's own window(): in PySide6 that makes the wrapper of the window a child of the item's,
    and the program's window dies with the first such item.
    """
    above = root_of(item).parent()
    return above if above is not None and above.inherits("QQuickWindow") else None


def root_of(item: Any) -> Any:
    """The item that everything in the scene is in."""
    while (above := item.parentItem()) is not None:
        item = above
    return item


def point(binding: Binding, item: Any, x: float | None, y: float | None) -> tuple[Any, Any]:
    """The window of an item, and the point in it: that offset from the item's corner, or its middle."""
    core = binding.QtCore
    window = window_of(item)
    if window is None:
        raise NotVisible(f"{describe(binding, item)} is in no window")
    if x is not None or y is not None:
        across = item.width() / 2 if x is None else x
        down = item.height() / 2 if y is None else y
        return window, item.mapToScene(core.QPointF(across, down)).toPoint()
    middle = item.mapToScene(core.QPointF(item.width() / 2, item.height() / 2))
    shown = shown_rect(binding, item)
    if shown is None:
        raise NotVisible(
            f"nothing of {describe(binding, item)} shows: it is scrolled away, clipped or empty",
            suggestions=("scroll it into view",),
            out_of_sight=True,
        )
    return window, (middle if shown.contains(middle) else shown.center()).toPoint()


def shown_rect(binding: Binding, item: Any) -> Any:
    """What of an item is inside its window and all that clips it, in the scene; None if nothing is."""
    core = binding.QtCore
    rect = item.mapRectToScene(core.QRectF(0, 0, item.width(), item.height()))
    window = window_of(item)
    if window is not None:
        rect = rect.intersected(core.QRectF(0, 0, window.width(), window.height()))
    above = item.parentItem()
    while above is not None:
        if clips(above):
            rect = rect.intersected(above.mapRectToScene(core.QRectF(0, 0, above.width(), above.height())))
        above = above.parentItem()
    return None if rect.isEmpty() else rect


def clips(item: Any) -> bool:
    """Whether what lies outside an item cannot be used; a view that does not clip only looks untidy."""
    return bool(item.clip()) or item.inherits("QQuickItemView") or item.inherits("QQuickTableView")


def insist_on_uncovered(binding: Binding, item: Any, at: Any) -> None:
    """NotReady if a click there would go to something that has nothing to do with the item."""
    for above in parents(item):
        if above.inherits("QQuickStackView") and above.property("busy"):
            # While one page takes the place of another, it lets no click through.
            raise NotReady(
                f"{describe(binding, item)} is on a page that is still coming or going",
                covered_by=describe(binding, above),
            )
    scene_point = binding.QtCore.QPointF(at)
    hit = _taker(binding, root_of(item), scene_point)
    if hit is None or hit is item or _related(item, hit):
        return
    there = describe(binding, _popup(hit) or hit)
    raise NotReady(f"{describe(binding, item)} is covered by {there}", covered_by=there)


def widget_around(binding: Binding, window: Any) -> Any:
    """The QQuickWidget that draws a window's scene; None if the window is a real one."""
    if binding.QtQuickWidgets is None or not binding.has_widgets():
        return None
    kind = binding.QtQuickWidgets.QQuickWidget
    return next(
        (
            widget
            for widget in binding.app.allWidgets()
            if isinstance(widget, kind) and widget.quickWindow() is window
        ),
        None,
    )


def is_in_widget(binding: Binding, item: Any) -> bool:
    """Whether a widget draws the item's scene."""
    return widget_around(binding, window_of(item)) is not None


def parents(item: Any) -> Iterator[Any]:
    """From the item's parent up to the root of the scene."""
    above = item.parentItem()
    while above is not None:
        yield above
        above = above.parentItem()


def _taker(binding: Binding, item: Any, scene_point: Any) -> Any:
    """The foremost item below this one that takes clicks at the point."""
    inside = item.contains(item.mapFromScene(scene_point))
    if item.clip() and not inside:
        return None
    children = sorted(
        (child for child in item.childItems() if child.isVisible()), key=lambda child: child.z()
    )
    for child in reversed(children):
        if child.inherits("QQuickOverlay"):
            taker = _modal_popup(binding, child, scene_point)
        else:
            taker = _taker(binding, child, scene_point)
        if taker is not None:
            return taker
    return item if inside and item.isEnabled() and _takes_clicks(binding, item, scene_point) else None


def _modal_popup(binding: Binding, overlay: Any, scene_point: Any) -> Any:
    """What a click on the layer of popups goes to: a popup that is there, or a modal one anywhere."""
    for child in sorted(overlay.childItems(), key=lambda child: child.z(), reverse=True):
        if not child.isVisible() or not child.inherits("QQuickPopupItem"):
            continue
        if child.contains(child.mapFromScene(scene_point)):
            return _taker(binding, child, scene_point) or child
        popup = _popup(child)
        if popup is not None and popup.property("modal"):
            return child
    return None


def _popup(item: Any) -> Any:
    """The popup that an item is the face of: it has the title."""
    if not item.inherits("QQuickPopupItem"):
        return None
    above = item.parent()
    return above if above is not None and above.inherits("QQuickPopup") else None


def _takes_clicks(binding: Binding, item: Any, scene_point: Any) -> bool:
    buttons = item.acceptedMouseButtons()
    if not getattr(buttons, "value", buttons):
        return False
    # A text says that it does, for its links, and lets all others through.
    at = item.mapFromScene(scene_point)
    return not item.inherits("QQuickText") or bool(
        call(binding, item, "linkAt", at.x(), at.y(), gives="QString")
    )


def _related(item: Any, hit: Any) -> bool:
    """Whether a click on `hit` is one on `item`.

    It is if one contains the other, and also if `hit` is the mouse area of something that contains both:
    the mouse area that fills a rectangle is in front of the rectangle's text, and meant for it.
    """
    around = list(parents(item))
    return (
        any(above is item for above in parents(hit))
        or any(above is hit for above in around)
        or (hit.inherits("QQuickMouseArea") and any(above is hit.parentItem() for above in around))
    )
