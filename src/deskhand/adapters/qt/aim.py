"""Where on a window a handle is, which point of it to hit, and what is in the way.

Points are found here and hit by `input`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...model.errors import ActionFailed, NotReady, NotVisible
from ...model.record import dataclass
from . import embedded, quick_aim
from .binding import Binding
from .handles import Handle, Header, Item, MenuEntry, Registry, SceneItem, Tab
from .names import describe


@dataclass(frozen=True)
class Spot:
    """A point in a window, in the window's own coordinates."""

    window: Any
    """The QWindow that gets the events."""
    point: Any
    """A QPoint."""

    @property
    def on_screen(self) -> Any:
        return self.window.mapToGlobal(self.point)


class Aim:
    """Finds points to hit."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self._binding = binding
        self._registry = registry
        self._bare = binding.bare
        self._point = binding.QtCore.QPoint

    def spot(self, handle: Handle, x: float | None = None, y: float | None = None, free: bool = True) -> Spot:
        """The point of a handle to hit: that offset from its corner, or the best one.

        With `free`, NotReady says what covers it, and NotVisible that nothing of it can be seen.
        """
        if quick_aim.is_item(self._binding, handle):
            window, point = quick_aim.point(self._binding, handle, x, y)
            spot = Spot(window, point)
            if free:
                self.insist_on_unblocked(handle, window)
                quick_aim.insist_on_uncovered(self._binding, handle, point)
            return self._through_widget(spot)
        if isinstance(handle, self._binding.QtGui.QWindow):
            return self._in_window(handle, x, y, free)
        widget, rect = self.rect(handle)
        if x is not None or y is not None:
            left = rect.x() + (rect.width() / 2 if x is None else x)
            top = rect.y() + (rect.height() / 2 if y is None else y)
            return self._first_free(handle, widget, iter([self._point(int(left), int(top))]), free)
        return self._first_free(handle, widget, self._candidates(handle, widget, rect), free)

    def at(self, x: float, y: float) -> Spot:
        """The point on the screen, in the window that is there."""
        point = self._point(int(x), int(y))
        application = self._binding.QtGui.QGuiApplication
        popup = self.popup()
        if popup is not None and popup.geometry().contains(point):
            window = popup.windowHandle()
        else:
            window = application.topLevelAt(point)
        if window is None:
            seen = ", ".join(
                f"{describe(self._binding, known)} at {_rect_text(known.geometry())}"
                for known in application.topLevelWindows()
                if known.isVisible()
            )
            raise ActionFailed(f"no window at {x:g},{y:g}; there is {seen or 'none at all'}")
        return Spot(window, window.mapFromGlobal(point))

    def anywhere(self, x: float, y: float) -> Spot:
        """The point on the screen, also where no window is: any one will do to say where that is."""
        application = self._binding.QtGui.QGuiApplication
        window = application.focusWindow() or next(iter(application.topLevelWindows()))
        return Spot(window, window.mapFromGlobal(self._point(int(x), int(y))))

    def rect(self, handle: Handle) -> tuple[Any, Any]:
        """The widget that draws a handle, and where in that widget it is."""
        core = self._binding.QtCore
        if isinstance(handle, Item):
            model_index = core.QModelIndex(handle.index)
            rect = handle.view.visualRect(model_index)
            if handle.row:
                rect = self._row_rect(handle.view, model_index, rect)
            return self._bare(handle.view).viewport(), rect
        if isinstance(handle, Tab):
            return handle.bar, self._bare(handle.bar).tabRect(handle.index)
        if isinstance(handle, MenuEntry):
            return handle.menu, self._bare(handle.menu).actionGeometry(handle.action)
        if isinstance(handle, Header):
            return self._bare(handle.header).viewport(), self._section_rect(handle)
        if isinstance(handle, SceneItem):
            scene_rect = self._bare(handle.item).sceneBoundingRect()
            view = self._bare(handle.view)
            return view.viewport(), view.mapFromScene(scene_rect).boundingRect()
        return handle, self._bare(handle).rect()

    def in_window(self, handle: Handle) -> tuple[Any, Any]:
        """The top-level widget that a handle is drawn in, and the part of it that shows the handle."""
        core = self._binding.QtCore
        if quick_aim.is_item(self._binding, handle):
            widget = quick_aim.widget_around(self._binding, quick_aim.window_of(handle))
            rect = quick_aim.shown_rect(self._binding, handle) or core.QRectF()
            rect = rect.toAlignedRect()
        else:
            widget, rect = self.rect(handle)
        bare = self._bare(widget)
        if not bare.isVisible():
            raise NotVisible(f"{describe(self._binding, handle)} is hidden")
        rect = rect.intersected(bare.visibleRegion().boundingRect()) if not bare.isWindow() else rect
        first, top, _ = self._place(handle, widget, rect.topLeft())
        last, _, _ = self._place(handle, widget, rect.bottomRight())
        return top, core.QRect(first.point, last.point).intersected(self._bare(top).rect())

    def window(self, handle: Handle) -> Any:
        """The QWindow that a handle is in, and that gets its events."""
        if isinstance(handle, self._binding.QtGui.QWindow):
            return handle
        if quick_aim.is_item(self._binding, handle):
            return self._through_widget(Spot(quick_aim.window_of(handle), self._point(0, 0))).window
        widget, _ = self.rect(handle)
        return self._place(handle, widget, self._point(0, 0))[0].window

    def widget(self, handle: Handle) -> Any:
        """The widget that a handle is, or is a part of."""
        if isinstance(handle, Item):
            return handle.view
        if isinstance(handle, Tab):
            return handle.bar
        if isinstance(handle, MenuEntry):
            return handle.menu
        if isinstance(handle, Header):
            return handle.header
        if isinstance(handle, SceneItem):
            return handle.view
        return handle

    # -- points --------------------------------------------------------------------------------

    def _candidates(self, handle: Handle, widget: Any, rect: Any) -> Iterator[Any]:
        """Points that may do, the best first."""
        preferred = self._preferred(handle, rect)
        shown = self._bare(widget).visibleRegion().intersected(rect)
        if shown.contains(preferred):
            yield preferred
        if shown.isEmpty():
            # What is in front of it is not to be seen through; then that is to be named.
            around = self._within_parents(widget, rect)
            if not around.isEmpty():
                yield around.center()
            return
        around = shown.boundingRect()
        yield around.center()
        for across in (1, 3, 5):
            for down in (1, 3, 5):
                point = self._point(
                    around.x() + around.width() * across // 6, around.y() + around.height() * down // 6
                )
                if shown.contains(point):
                    yield point

    def _within_parents(self, widget: Any, rect: Any) -> Any:
        """What all the parents of a widget leave of a part of it, whatever is in front of that."""
        above, corner = self._bare(widget), self._point(0, 0)
        if not above.isVisible():
            return self._binding.QtCore.QRect()
        while True:
            rect = rect.intersected(above.rect().translated(-corner))
            if above.isWindow():
                return rect
            corner += above.pos()
            above = self._bare(above.parentWidget())

    def _preferred(self, handle: Handle, rect: Any) -> Any:
        """Where a person would click."""
        if isinstance(handle, Item) and not handle.row:
            return self._box_of(handle, rect) or rect.center()
        if not hasattr(handle, "inherits"):
            return rect.center()
        bare = self._bare(handle)
        widgets = self._binding.QtWidgets
        style = widgets.QStyle
        if handle.inherits("QCheckBox") or handle.inherits("QRadioButton"):
            # The hit area ends where the text does, however wide the widget is.
            option = widgets.QStyleOptionButton()
            option.initFrom(handle)
            option.text = bare.text()
            element = (
                style.SubElement.SE_CheckBoxIndicator
                if handle.inherits("QCheckBox")
                else style.SubElement.SE_RadioButtonIndicator
            )
            return bare.style().subElementRect(element, option, handle).center()
        if handle.inherits("QGroupBox") and bare.isCheckable():
            group = widgets.QStyleOptionGroupBox()
            group.initFrom(handle)
            group.text = bare.title()
            group.lineWidth = 1
            group.textAlignment = bare.alignment()
            group.subControls = style.SubControl.SC_GroupBoxFrame | style.SubControl.SC_GroupBoxCheckBox
            return self._sub_control(handle, style.ComplexControl.CC_GroupBox, group, "SC_GroupBoxCheckBox")
        return rect.center()

    def _box_of(self, item: Item, rect: Any) -> Any:
        """The middle of the box of a cell that shows nothing else; None for any other."""
        index = self._binding.QtCore.QModelIndex(item.index)
        checkable = bool(index.flags() & self._binding.Qt.ItemFlag.ItemIsUserCheckable)
        roles = self._binding.Qt.ItemDataRole
        if not checkable or index.data(roles.CheckStateRole) is None or index.data(roles.DisplayRole):
            return None
        widgets = self._binding.QtWidgets
        option = widgets.QStyleOptionViewItem()
        option.initFrom(item.view)
        option.rect = rect
        option.features = widgets.QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
        element = widgets.QStyle.SubElement.SE_ItemViewItemCheckIndicator
        return self._bare(item.view).style().subElementRect(element, option, item.view).center()

    def slider_handle(self, slider: Any) -> Any:
        """The middle of the part of a slider or scroll bar that can be dragged."""
        widgets = self._binding.QtWidgets
        option = widgets.QStyleOptionSlider()
        option.initFrom(slider)
        native, slider = slider, self._bare(slider)
        option.orientation = slider.orientation()
        horizontal = slider.orientation() == self._binding.Qt.Orientation.Horizontal
        if horizontal:
            option.state |= widgets.QStyle.StateFlag.State_Horizontal
        option.minimum, option.maximum = slider.minimum(), slider.maximum()
        option.sliderPosition = option.sliderValue = slider.sliderPosition()
        option.singleStep, option.pageStep = slider.singleStep(), slider.pageStep()
        option.subControls = widgets.QStyle.SubControl.SC_All
        inverted = slider.invertedAppearance()
        if slider.inherits("QScrollBar"):
            option.upsideDown = inverted
            control, part = widgets.QStyle.ComplexControl.CC_ScrollBar, "SC_ScrollBarSlider"
        else:
            right_to_left = slider.layoutDirection() == self._binding.Qt.LayoutDirection.RightToLeft
            option.upsideDown = (inverted != right_to_left) if horizontal else not inverted
            option.tickPosition, option.tickInterval = slider.tickPosition(), slider.tickInterval()
            control, part = widgets.QStyle.ComplexControl.CC_Slider, "SC_SliderHandle"
        return self._sub_control(native, control, option, part)

    def _sub_control(self, widget: Any, control: Any, option: Any, part: str) -> Any:
        sub_control = getattr(self._binding.QtWidgets.QStyle.SubControl, part)
        return self._bare(widget).style().subControlRect(control, option, sub_control, widget).center()

    def _row_rect(self, view: Any, index: Any, rect: Any) -> Any:
        bare = self._bare(view)
        header = self._bare(bare.horizontalHeader() if view.inherits("QTableView") else bare.header())
        for column in range(min(header.count(), 100)):
            rect = rect.united(view.visualRect(index.sibling(index.row(), column)))
        return rect

    def _section_rect(self, handle: Handle) -> Any:
        header = self._bare(handle.header)
        size = header.sectionSize(handle.section)
        start = header.sectionViewportPosition(handle.section)
        rect = self._binding.QtCore.QRect
        if header.orientation() == self._binding.Qt.Orientation.Horizontal:
            return rect(start, 0, size, header.height())
        return rect(0, start, header.width(), size)

    # -- windows -------------------------------------------------------------------------------

    def _place(self, handle: Handle, widget: Any, point: Any) -> tuple[Spot, Any, Any]:
        """The spot in the window, and the top-level widget and the widget in it that draw it."""
        top = self._bare(widget).window()
        while embedded.in_scene(self._binding, top):
            proxy, view = embedded.proxy(self._binding, top)
            if proxy is None:
                raise NotVisible(f"{describe(self._binding, handle)} is in a scene that no view shows")
            on_scene = proxy.mapToScene(self._binding.QtCore.QPointF(self._bare(widget).mapTo(top, point)))
            widget, point = self._bare(view).viewport(), self._bare(view).mapFromScene(on_scene)
            if not widget.rect().contains(point):
                raise NotVisible(
                    f"{describe(self._binding, handle)} is scrolled away in its scene",
                    suggestions=("scroll it into view",),
                )
            top = widget.window()
        self._registry.know(top)  # a window's wrapper lives no longer than that of its widget
        window = self._bare(top).windowHandle()
        if window is None or not self._bare(top).isVisible():
            raise NotVisible(
                f"{describe(self._binding, handle)} is not on the screen: its window is hidden",
                suggestions=("open the window first",),
            )
        return Spot(window, self._bare(widget).mapTo(top, point)), top, widget

    def _first_free(self, handle: Handle, widget: Any, points: Iterator[Any], free: bool) -> Spot:
        obstacle: NotReady | None = None
        for point in points:
            spot, top, drawn_by = self._place(handle, widget, point)
            if not free:
                return spot
            self.insist_on_unblocked(handle, spot.window)
            self._insist_on_no_popup(handle, top)
            hit = self._bare(top).childAt(spot.point) or top
            if self._same(hit, drawn_by):
                return spot
            obstacle = obstacle or self._covered(handle, drawn_by, hit)
        if obstacle is not None:
            raise obstacle
        raise NotVisible(
            f"nothing of {describe(self._binding, handle)} shows: it is scrolled away, clipped or empty",
            suggestions=("scroll it into view",),
            out_of_sight=True,
        )

    def _same(self, hit: Any, wanted: Any) -> bool:
        # A click on a part of it is one on it; one on what is around it passes through, as for a mere label.
        return bool(hit is wanted or wanted.isAncestorOf(hit) or hit.isAncestorOf(wanted))

    def _covered(self, handle: Handle, wanted: Any, hit: Any) -> NotReady:
        above = hit.parentWidget()
        while above is not None and not above.isAncestorOf(wanted):
            hit, above = above, above.parentWidget()
        return self._in_the_way(handle, hit)

    def _insist_on_no_popup(self, handle: Handle, top: Any) -> None:
        popup = self.popup()
        if popup is None or popup is top or top.windowType() == self._binding.Qt.WindowType.Popup:
            return
        opener = self.widget(handle)
        if not opener.inherits("QMenuBar") and opener is not popup.parentWidget():
            raise self.behind_popup(handle, popup)

    def behind_popup(self, handle: Handle, popup: Any) -> NotReady:
        """What to say of something that an open menu or list keeps input from."""
        error = self._in_the_way(handle, popup)
        error.suggestions = ("choose from it, or close it by pressing esc",)
        return error

    def insist_on_unblocked(self, handle: Handle, window: Any) -> None:
        """NotReady if a modal window keeps input from this one."""
        blocker = self.blocker(window)
        if blocker is not None:
            error = self._in_the_way(handle, blocker)
            error.suggestions = ("answer that dialog first",)
            raise error

    def _in_the_way(self, handle: Handle, obstacle: Any) -> NotReady:
        there = describe(self._binding, obstacle)
        return NotReady(f"{describe(self._binding, handle)} is covered by {there}", covered_by=there)

    def popup(self) -> Any:
        """The menu or list that is open in front of everything; None if there is none."""
        popup = self._binding.app.activePopupWidget() if self._binding.has_widgets() else None
        if popup is not None:
            self._registry.know(popup)
        return popup

    def leave_completions(self, handle: Handle, typing: bool) -> None:
        """Close the completions that a field offers, as a user would by turning to something else.

        Until then they take every key, and the first click.
        """
        popup = self.popup()
        if popup is None or self._completed(popup) is None or self.widget(handle) is popup:
            return
        if not (typing and self.is_completed(handle)):
            self._bare(popup).hide()

    def is_completed(self, handle: Handle) -> bool:
        """Whether it is the field whose completions are open: they pass on to it what is typed."""
        popup = self.popup()
        field = None if popup is None else self._completed(popup)
        return field is not None and self.widget(handle) in (field, field.parentWidget())

    def _completed(self, popup: Any) -> Any:
        """The field whose completions a popup shows; None if it is another kind of popup."""
        return self._bare(popup).focusProxy() if popup.inherits("QAbstractItemView") else None

    def blocker(self, window: Any) -> Any:
        """The modal window that keeps input from this one; None if nothing does."""
        application, qt = self._binding.QtGui.QGuiApplication, self._binding.Qt
        newest = application.modalWindow()
        if newest is None or window.type() in (qt.WindowType.Popup, qt.WindowType.ToolTip):
            return None
        others = [
            known
            for known in application.topLevelWindows()
            if known is not newest and known.isVisible() and known.modality() != qt.WindowModality.NonModal
        ]
        transients = self._binding.QtGui.QWindow.AncestorMode.IncludeTransients
        for modal in (newest, *others):
            if modal is window or modal.isAncestorOf(window, transients):
                return None
            if modal.modality() == qt.WindowModality.ApplicationModal:
                return modal
            root = window
            while (above := root.transientParent() or root.parent()) is not None:
                root = above
            if root is modal or root.isAncestorOf(modal, transients):
                return modal
        return None

    def _in_window(self, window: Any, x: float | None, y: float | None, free: bool) -> Spot:
        if free:
            self.insist_on_unblocked(window, window)
        size = window.size()
        across = size.width() / 2 if x is None else x
        down = size.height() / 2 if y is None else y
        return Spot(window, self._point(int(across), int(down)))

    def _through_widget(self, spot: Spot) -> Spot:
        """The same spot in a real window, where QML is drawn by a widget."""
        widget = quick_aim.widget_around(self._binding, spot.window)
        if widget is None:
            return spot
        return self._place(widget, widget, spot.point)[0]


def _rect_text(rect: Any) -> str:
    return f"{rect.x()},{rect.y()} {rect.width()}×{rect.height()}"
