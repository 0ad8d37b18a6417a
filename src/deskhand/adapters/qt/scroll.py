"""Turning the wheel, and bringing things into view."""

from __future__ import annotations

from typing import Any

from ...model.errors import OptionNotFound
from ...model.operations import Scroll
from . import choose, embedded, quick_aim, quick_scroll
from .aim import Spot
from .handles import Handle, Header, Item, SceneItem, Tab
from .hands import Hands

_MOST_NOTCHES = 1000


def scroll(hands: Hands, action: Scroll, handle: Handle | None) -> dict[str, object]:
    """Scroll as asked."""
    if handle is not None and (action.row is not None or action.text is not None):
        _to_row(hands, action, handle)
    elif handle is not None and action.into_view:
        into_view(hands, handle)
    if action.dx or action.dy:
        _turn(hands, action, handle)
    return {}


def into_view(hands: Hands, handle: Handle) -> None:
    """Scroll everything around a handle so that it can be seen."""
    if quick_aim.is_item(hands.binding, handle):
        quick_scroll.into_view(hands, handle)
        return
    if isinstance(handle, hands.binding.QtGui.QWindow):
        return
    if isinstance(handle, Item):
        handle.view.scrollTo(hands.index(handle))
    elif isinstance(handle, Header):
        _to_section(hands, handle)
    elif isinstance(handle, SceneItem):
        hands.bare(handle.view).ensureVisible(handle.item)
    elif isinstance(handle, Tab):
        _to_tab(hands, handle)
    widget = hands.aim.widget(handle)
    above = hands.bare(widget).parentWidget()
    while above is not None:
        inside = hands.bare(above).widget() if above.inherits("QScrollArea") else None
        if inside is not None and inside.isAncestorOf(widget):
            _show_in(hands, hands.bare(above), handle, widget)
        above = hands.bare(above).parentWidget()
    proxy, view = embedded.proxy(hands.binding, hands.bare(widget).window())
    if proxy is not None:
        hands.bare(view).ensureVisible(proxy)


def _show_in(hands: Hands, area: Any, handle: Handle, widget: Any) -> None:
    area.ensureWidgetVisible(widget, 0, 0)
    drawn_by, rect = hands.aim.rect(handle)
    # A part of something larger than the area: its own rectangle must show, not just the widget's corner.
    if (
        not area.viewport()
        .rect()
        .contains(area.viewport().mapFromGlobal(hands.bare(drawn_by).mapToGlobal(rect.center())))
    ):
        centre = hands.bare(drawn_by).mapTo(area.widget(), rect.center())
        area.ensureVisible(centre.x(), centre.y(), rect.width() // 2, rect.height() // 2)


def _to_section(hands: Hands, handle: Header) -> None:
    header = hands.bare(handle.header)
    view, model = header.parentWidget(), header.model()
    if model is None or not hands.is_a(view, "QAbstractItemView"):
        return
    horizontal = header.orientation().name == "Horizontal"
    row, column = (0, handle.section) if horizontal else (handle.section, 0)
    index = model.index(row, column, hands.bare(view).rootIndex())
    if index.isValid():
        view.scrollTo(index)
    else:
        # Fallback: a table without rows has no index to scroll to.
        header.setOffsetToSectionPosition(header.visualIndex(handle.section))


def _to_tab(hands: Hands, handle: Tab) -> None:
    """Press the small arrows of a tab bar that has no room for all tabs."""
    bar = hands.bare(handle.bar)
    for _ in range(2 * bar.count()):
        rect = bar.tabRect(handle.index)
        names = "ScrollLeftButton" if rect.center().x() < 0 or rect.center().y() < 0 else "ScrollRightButton"
        arrow = bar.findChild(hands.binding.QtWidgets.QToolButton, names)
        seen = bar.rect().contains(rect.center()) and (
            arrow is None or not arrow.isVisible() or not arrow.geometry().contains(rect.center())
        )
        if seen or arrow is None or not arrow.isEnabled():
            return
        arrow.click()


def _to_row(hands: Hands, action: Scroll, handle: Handle) -> None:
    if quick_aim.is_item(hands.binding, handle):
        quick_scroll.to_row(hands, handle, action.row, action.text)
        return
    item = isinstance(handle, Item)
    view = handle.view if item else hands.bare(handle).view() if hands.is_a(handle, "QComboBox") else handle
    if not hands.is_a(view, "QAbstractItemView"):
        raise hands.unsupported(handle, "has no rows to scroll to", "target a list, table or tree")
    parent = hands.index(handle) if item else hands.bare(view).rootIndex()
    index = choose.find_index(hands, view, parent, action.row, action.text)
    if index is None:
        model = hands.bare(view).model()
        count = model.rowCount(parent) if model is not None else 0
        what = f"row {action.row}" if action.row is not None else f"row {action.text!r}"
        raise OptionNotFound(f"{hands.call(view)} has no {what}; it has {count} rows", options_count=count)
    view.scrollTo(index)


def _turn(hands: Hands, action: Scroll, handle: Handle | None) -> None:
    spot = hands.aim.spot(handle) if handle is not None else _here(hands)
    dx = max(-_MOST_NOTCHES, min(_MOST_NOTCHES, action.dx))
    dy = max(-_MOST_NOTCHES, min(_MOST_NOTCHES, action.dy))
    hands.input.play(hands.input.wheel(spot.window, spot.point, dx, dy))


def _here(hands: Hands) -> Spot:
    """Where the mouse is; in the middle of the active window if it has been nowhere yet."""
    at = hands.input.at
    if at is not None:
        return Spot(*at)
    window = hands.binding.QtGui.QGuiApplication.focusWindow()
    if window is None:
        raise hands.unsupported(hands.binding.app, "has no active window to scroll in", "name a target")
    return Spot(window, hands.binding.QtCore.QPoint(window.width() // 2, window.height() // 2))
