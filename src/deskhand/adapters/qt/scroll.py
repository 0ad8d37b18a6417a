"""Turning the wheel, and bringing things into view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..performer import no_row, no_rows
from . import choose, embedded, quick_aim, quick_scroll
from .aim import Spot
from .handles import Handle, Header, Item, SceneItem, Tab
from .hands import Hands

_GRID = 12
"""How many points in each direction are tried for one where no control is."""
_CHANGED_BY_WHEEL = ("QAbstractSpinBox", "QAbstractSlider", "QComboBox", "QTabBar")


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
    horizontal = header.orientation() == hands.binding.Qt.Orientation.Horizontal
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


def to_row(hands: Hands, handle: Handle, row: int | None, text: str | None) -> None:
    """Scroll to a row of a list, table or tree."""
    if quick_aim.is_item(hands.binding, handle):
        quick_scroll.to_row(hands, handle, row, text)
        return
    item = isinstance(handle, Item)
    view = handle.view if item else hands.bare(handle).view() if hands.is_a(handle, "QComboBox") else handle
    if not hands.is_a(view, "QAbstractItemView"):
        raise no_rows(hands.call(handle))
    parent = hands.index(handle) if item else hands.bare(view).rootIndex()
    index = choose.find_index(hands, view, parent, row, text)
    if index is None:
        model = hands.bare(view).model()
        count = model.rowCount(parent) if model is not None else 0
        raise no_row(hands.call(view), row, text, count)
    view.scrollTo(index)


def turn(hands: Hands, handle: Handle | None, dx: float, dy: float) -> dict[str, object]:
    """Turn the wheel; never over a control that it would change, and with a word if nothing scrolled."""
    area = None
    if handle is not None and not quick_aim.is_item(hands.binding, handle) and not _is_window(hands, handle):
        area = _area(hands, hands.aim.widget(handle))
    around = [] if area is None else _areas(hands, area)
    before = [_position(scrolled) for scrolled in around]
    for amount, upright in ((dy, True), (dx, False)):
        if not amount:
            continue
        for spot, some in _spots(hands, handle, area, around, amount, upright):
            across, down = (0.0, some) if upright else (some, 0.0)
            hands.input.play(hands.input.wheel(spot.window, spot.point, across, down))
    # Of anything else than a scroll area, only the program knows what the wheel does to it.
    known = area is not None and hands.is_a(area, "QAbstractScrollArea")
    if known and before == [_position(scrolled) for scrolled in around]:
        return {"detail": "nothing moved"}
    return {}


def _spots(
    hands: Hands, handle: Handle | None, area: Any, around: list[Any], amount: float, upright: bool
) -> Iterator[tuple[Spot, float]]:
    """Where to turn the wheel, and by how much there."""
    if handle is None:
        yield _here(hands), amount
        return
    if area is None or not _has_controls(hands, area):
        yield hands.aim.spot(handle if area is None else area), amount
        return
    # Another control may come under the pointer with each notch. A scroll bar stays where it is.
    bars = (
        hands.bare(scrolled.verticalScrollBar() if upright else scrolled.horizontalScrollBar())
        for scrolled in around
    )
    bar = next((bar for bar in bars if bar.isVisible()), None)
    if bar is not None:
        yield hands.aim.spot(bar), amount
        return
    left = amount
    while left:
        some = max(-1.0, min(1.0, left))
        yield _free(hands, area), some
        left -= some


def _free(hands: Hands, area: Any) -> Spot:
    """A point of a widget where the wheel changes no control."""
    bare = hands.bare(area)
    rect = bare.visibleRegion().boundingRect()
    for down in range(1, 2 * _GRID, 2):
        for across in range(1, 2 * _GRID, 2):
            x = rect.x() + rect.width() * across // (2 * _GRID)
            y = rect.y() + rect.height() * down // (2 * _GRID)
            at = bare.childAt(x, y)
            while at is not None and at is not area and not _takes_wheel(hands, at):
                at = hands.bare(at).parentWidget()
            if at is None or at is area:
                return hands.aim.spot(area, x, y)
    raise hands.unsupported(area, "has no point where the wheel would not change a control")


def _is_window(hands: Hands, handle: Handle) -> bool:
    return isinstance(handle, hands.binding.QtGui.QWindow)


def _area(hands: Hands, widget: Any) -> Any:
    """A widget, or what scrolls around it if the wheel would change it."""
    if not _takes_wheel(hands, widget):
        return widget
    areas = _areas(hands, hands.bare(widget).parentWidget())
    if not areas:
        raise hands.unsupported(widget, "would be changed by the wheel, and nothing around it scrolls")
    return areas[0]


def _areas(hands: Hands, widget: Any) -> list[Any]:
    """The scroll areas that a widget is, or is in, the innermost first."""
    found = []
    while widget is not None:
        if widget.inherits("QAbstractScrollArea"):
            found.append(hands.bare(widget))
        widget = hands.bare(widget).parentWidget()
    return found


def _position(area: Any) -> tuple[int, int]:
    return area.verticalScrollBar().value(), area.horizontalScrollBar().value()


def _takes_wheel(hands: Hands, widget: Any) -> bool:
    """Whether the wheel changes what a widget is set to."""
    return hands.is_a(widget, *_CHANGED_BY_WHEEL) and not hands.is_a(widget, "QScrollBar")


def _has_controls(hands: Hands, area: Any) -> bool:
    inside = hands.bare(area).findChildren(hands.binding.QtWidgets.QWidget)
    return any(_takes_wheel(hands, widget) for widget in inside)


def _here(hands: Hands) -> Spot:
    """Where the mouse is; in the middle of the active window if it has been nowhere yet."""
    at = hands.input.at
    if at is not None:
        return Spot(*at)
    window = hands.binding.QtGui.QGuiApplication.focusWindow()
    if window is None:
        raise hands.unsupported(hands.binding.app, "has no active window to scroll in", "name a target")
    return Spot(window, hands.binding.QtCore.QPoint(window.width() // 2, window.height() // 2))
