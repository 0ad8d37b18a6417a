"""The windows of a program: which are shown, in what order, and what can be said of each."""

from __future__ import annotations

import os
from typing import Any

from ...model.node import Rect, Window
from .binding import Binding
from .embedded import in_scene
from .handles import Registry

MENU = 9
_TITLED = ("regular", "dialog", "sheet", "floating")
"""The kinds of windows that have a title bar."""


class Tops:
    """The windows as they are at one moment."""

    def __init__(self, binding: Binding, registry: Registry) -> None:
        self._binding = binding
        self._bare = binding.bare
        self.widgets: list[Any] = binding.app.topLevelWidgets() if binding.has_widgets() else []
        """All widgets that are windows, shown or not."""
        # Known ones keep their wrapper, and with it their id().
        self.ids = {registry.know(widget).key for widget in self.widgets}

    def shown(self) -> list[Any]:
        """Widgets that are windows, and windows without widgets: the main one first, menus last."""
        binding = self._binding
        windows = binding.windows()
        # A widget in a graphics view is a window to Qt; it is read where the view shows it.
        pairs = [
            (bare.windowHandle(), widget)
            for bare, widget in zip(map(self._bare, self.widgets), self.widgets, strict=True)
            if bare.isVisible() and not in_scene(binding, widget)
        ]
        widget_of = {id(handle): widget for handle, widget in pairs if handle is not None}
        found = []
        # In the order they were first shown; topLevelWidgets() has none.
        for window in windows:
            native = widget_of.get(id(window))
            if native is not None:
                found.append(native)
            elif self._bare(window).isVisible() and not window.inherits("QWidgetWindow"):
                found.append(window)
        return sorted(found, key=self.rank)

    def rank(self, native: Any) -> int:
        """Where a kind of window stands among the others."""
        kind = {"regular": 1, "dialog": 2, "floating": 3}.get(self._kind(native), 4)
        if self._is_widget(native):
            widgets = self._binding.QtWidgets
            if isinstance(native, widgets.QMenu):
                return MENU
            if isinstance(native, widgets.QMainWindow) and kind == 1:
                return 0
        return kind

    def describe(self, native: Any, uid: str) -> Window:
        """The record of a window."""
        kind, name = self._kind(native), self.title(native)
        widget = self._is_widget(native)
        native = self._bare(native)
        handle = native.windowHandle() if widget else native
        app = self._binding.app
        states = self._binding.Qt.WindowState
        state = handle.windowStates()
        if widget:
            modal, active = native.isModal(), native.isActiveWindow()
        else:
            modal = handle.modality() != self._binding.Qt.WindowModality.NonModal
            active = handle.isActive()
        return Window(
            uid=uid,
            title=name or None,
            app_name=app.applicationDisplayName() or app.applicationName(),
            pid=os.getpid(),
            kind=kind,
            bounds=Rect(*native.geometry().getRect()),
            focused=active,
            minimized=bool(state & states.WindowMinimized),
            maximized=bool(state & states.WindowMaximized),
            modal=modal,
            native_id=int(handle.winId()) if app.platformName() == "xcb" else None,
            scale=float(handle.devicePixelRatio()),
        )

    def _kind(self, native: Any) -> str:
        kinds = self._binding.Qt.WindowType
        widget = self._is_widget(native)
        kind = self._bare(native).windowType() if widget else self._bare(native).type()
        if kind in (kinds.Popup, kinds.ToolTip):
            return "popup"
        if kind in (kinds.Tool, kinds.SplashScreen):
            return "floating"
        if kind == kinds.Sheet:
            return "sheet"
        if widget and isinstance(native, self._binding.QtWidgets.QDialog):
            return "dialog"
        return "dialog" if kind == kinds.Dialog else "regular"

    def title(self, native: Any) -> str:
        """The title of a window, without the mark for unsaved changes."""
        bare = self._bare(native)
        text: str = bare.windowTitle() if self._is_widget(native) else bare.title()
        return self._binding.title(text) if self._kind(native) in _TITLED else text

    def _is_widget(self, native: Any) -> bool:
        return bool(self._binding.QObject.isWidgetType(native))
